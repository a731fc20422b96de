import pytest

from pytest_memuse.judging.shell import ShellState, SimpleCommand


def read(*texts: str) -> list[SimpleCommand]:
    state = ShellState()
    return [command for text in texts for command in state.read(text)]


def test_a_variable_carries_its_value_into_later_commands() -> None:
    *_, last = read("export SECRET=kc-3", 'vault rotate "$SECRET"')
    assert last.resolved == ("vault", "rotate", "kc-3")


def test_a_value_for_one_command_is_not_kept() -> None:
    first, second = read("PORT=8080 make up", "echo $PORT > out")
    assert first.words == ("make", "up")
    assert "PORT=8080" in first.resolved
    assert second.words == ("echo", "$PORT")
    assert second.resolved == ()


def test_the_working_directory_completes_locations() -> None:
    *_, last = read("cd apps/print && cat spool.py")
    assert "apps/print/spool.py" in last.resolved
    *_, last = read("cd apps", "cd print", "cat spool.py > copy.txt")
    assert "apps/print/spool.py" in last.resolved
    assert "apps/print/copy.txt" in last.resolved
    *_, last = read("git -C apps/print diff spool.py")
    assert "apps/print/spool.py" in last.resolved


def test_a_here_document_is_text_and_the_line_goes_on_after_it() -> None:
    first, second, third = read("cat > a.py <<'EOF' && python a.py\nx = 1; y = 2\nEOF\nls")
    assert (first.writes_to, first.body) == (("a.py",), "x = 1; y = 2\n")
    assert second.words == ("python", "a.py")
    assert third.words == ("ls",)


def test_comments_are_not_executed_and_quotes_are_kept_together() -> None:
    (command,) = read("sed -i 's/a b/#c/' f # because of tools/x.sh")
    assert command.words == ("sed", "-i", "s/a b/#c/", "f")


def test_redirections_of_streams_are_no_files() -> None:
    first, second = read("make 2>&1 | tee log.txt")
    assert first.words == ("make",)
    assert first.writes_to == ()
    assert first.piped
    assert second.words == ("tee", "log.txt")


@pytest.mark.parametrize("unit", ['"\\"', "<<A\n", "a='", "$X", "'", "(", "<", ">", "\\", "a=$X ", "cd a;", "#"])
def test_hostile_text_gives_no_more_commands_than_characters(unit: str) -> None:
    text = unit * (20_000 // len(unit))
    commands = ShellState({"X": "y" * 100}).read(text)
    assert len(commands) <= len(text)
    assert sum(len(w) for c in commands for w in (*c.words, c.body)) <= 2 * len(text)
