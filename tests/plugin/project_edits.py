"""Changes of a small project, made before pytest runs in it."""

import shutil
from collections.abc import Callable

from tests.plugin.project import Project

Edit = Callable[[Project], None]

BODY = "    assert memuse.profile().outcome_rate > 0.1"
MARK = '@pytest.mark.memuse(suite="shop", arcs="arcs.yaml")'
SHUFFLE = "def pytest_collection_modifyitems(items):\n    items.reverse()\n"
AUTOUSE = """

@pytest.fixture(autouse=True)
def broken():
    raise RuntimeError("broken")
"""
CRASH = "def test_crash():\n    import os\n    os._exit(3)\n"


def file(name: str, text: str) -> Edit:
    def write(project: Project) -> None:
        path = project.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    return write


def in_tests(old: str, new: str, *, first: bool = False) -> Edit:
    def replace(project: Project) -> None:
        path = project.folder / "test_shop.py"
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1 if first else -1))

    return replace


def two_files(project: Project) -> None:
    """Move one of the suite's two tests to a file of its own."""
    path = project.folder / "test_shop.py"
    head, first, second, last = path.read_text().split("\n\n\n")
    path.write_text("\n\n\n".join((head, first, last)))
    (project.folder / "test_more.py").write_text(f"{head}\n\n\n{second}\n")


def nothing_can_be_written(project: Project) -> None:
    # A test may run as a user whom no permission stops; a file in the place of the folder stops all.
    shutil.rmtree(project.folder / ".memuse", ignore_errors=True)
    (project.folder / ".memuse").write_text("")


def elsewhere(project: Project) -> None:
    (project.folder / "inner").mkdir()
    shutil.move(project.folder / "test_shop.py", project.folder / "inner" / "test_shop.py")
    shutil.move(project.folder / "arcs.yaml", project.folder / "inner" / "arcs.yaml")


def another_suite(project: Project) -> None:
    """Give the suite, and its recordings, a name that the baseline does not hold."""
    in_tests('suite="shop"', 'suite="store"')(project)
    shutil.move(project.folder / "cassettes" / "shop", project.folder / "cassettes" / "store")


def memory_fails(project: Project) -> None:
    conftest = project.folder / "conftest.py"
    conftest.write_text(conftest.read_text().replace("    settings =", "    raise RuntimeError\n    settings ="))


def before_mark(line: str, *, first: bool = False) -> Edit:
    """Put a line before the decorator of the suite's tests."""
    return in_tests(MARK, f"{line}\n{MARK}", first=first)


def before_profile(line: str) -> Edit:
    """Put a line before the first test's question for the profile."""
    return in_tests(BODY, f"    {line}\n{BODY}")


def after_profile(line: str) -> Edit:
    return in_tests(BODY, f"{BODY}\n    {line}")
