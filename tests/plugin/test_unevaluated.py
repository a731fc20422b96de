"""Why a gate is not evaluated is told as it is."""

from tests.plugin.project import Project


def test_a_suite_whose_tests_never_ask_for_its_profile(project: Project) -> None:
    tests = project.folder / "test_shop.py"
    lines = tests.read_text().splitlines()
    tests.write_text("\n".join("    assert memuse" if "memuse.profile()" in line else line for line in lines))
    ran = project.run("--memuse-baseline=main")
    assert ran.code == 0, ran.out
    assert "gate shop: not evaluated (none of its tests asked for its profile)" in ran.out


def test_last_failed_where_nothing_had_failed(project: Project) -> None:
    ran = project.run("--memuse-baseline=main", "-p", "cacheprovider", "--lf")
    assert ran.code == 0, ran.out
    assert "gate shop: not evaluated (--lf was given and nothing had failed; run without it)" in ran.out
