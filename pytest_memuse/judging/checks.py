"""Checks, changes and reverts among an agent's actions, and what their results say (MemUse A.2.2, observed effect)."""

import posixpath
import re
from dataclasses import dataclass

from pytest_memuse.judging.actions import Action, Deed
from pytest_memuse.judging.shell import SimpleCommand


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CHECKERS = _words("""
    pytest py.test tox nox mypy pyright flake8 pylint eslint jest vitest mocha phpunit rspec ctest shellcheck
    tsc
""")
_RUNNERS = _words("""
    npm yarn pnpm make cargo go mvn gradle just bundle bun deno mix dotnet poetry uv hatch
""")
_CHECK_WORD = re.compile(
    r"(?:^|[_\W])(?:check|test|tests|verify|validate|lint|smoke|health|assert|doctest)(?:$|[_\W])", re.I
)
_READERS = _words("""
    cat ls grep rg ag ack egrep fgrep find fd head tail less more wc pwd cd pushd popd echo printf which type
    file stat tree diff cmp sort uniq cut awk env printenv true false : test [ date whoami id ps du df history
    sleep export set basename dirname realpath readlink nl od xxd jq yq column man clear
""")
_GIT_READERS = _words("""
    status diff log show grep blame branch remote rev-parse ls-files describe
""")
_READING_TOOLS = re.compile(
    r"read|view|open|search|list|get|find|grep|show|look|fetch|query|describe|status|check|test", re.I
)
_EXIT = re.compile(
    r"[\"']?(?:returncode|return_code|exit_code|exit_status|exitcode)[\"']?\s?[:=>]\s?(-?\d{1,4})"
    r"|\bexit(?:ed with)?(?: with)? (?:code|status):? (-?\d{1,4})",
    re.I,
)
_COUNT_FAILED = re.compile(
    r"\b(\d{1,6}) (?:failed|failures?|errors?|broken)\b|\b(?:failures|errors|broken)[=:] ?(\d{1,6})", re.I
)
_FAILED = re.compile(
    r"\bFAILED\b|\bFAIL\b|\bFAILURES?\b|^Traceback \(most recent|\bAssertionError\b|\bstill (?:fail|broken|wrong)\w*"
    r"|^[x✗✘✕×] |\bnot ok\b|\bmismatch\b|^E  |\bcheck failed\b|\btests? failed\b|^error\b[:\[]",
    re.M,
)
_PASSED = re.compile(
    r"\b\d{1,6} passed\b|\bPASS(?:ED)?\b|(?:^|\s)OK\b|:\s?ok\b|\ball (?:tests |checks )?(?:passed|good|green)\b|^ok\b",
    re.M | re.I,
)
_NOISE = re.compile(r"-q+|-v+|-x|-s|-ra|--tb=\w+|--quiet|--verbose|--no-header|--color=\w+")
_TEMPORARY = "/dev/"


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a check: the index of its action, what was run, and whether it passed."""

    at: int
    program: tuple[str, ...]
    arguments: frozenset[str]
    passed: bool

    def covers(self, other: "Run") -> bool:
        """Whether this run checks at least what the other one did: the same, or with fewer restrictions."""
        return self.program == other.program and self.arguments <= other.arguments


def runs_of(actions: tuple[Action, ...]) -> list[Run]:
    """Return the check runs of an episode whose result is known, in order.

    A command that is no check by name is one where its exit status is recorded: run before and after an action, it
    reproduces what the action changed.
    """
    found: list[Run] = []
    for at, action in enumerate(actions):
        if action.deed is not Deed.WORLD:
            continue
        passed = outcome(action)
        if passed is None:
            continue
        if not action.commands:
            if _CHECK_WORD.search(action.tool) or re.search(r"run_?tests?", action.tool, re.I):
                found.append(Run(at, (action.tool,), frozenset(action.text.splitlines()[1:]), passed))
            continue
        for command in action.commands:
            if is_check(command) or (_by_exit(action) and not _reads(command) and len(action.commands) == 1):
                program, arguments = _signature(command)
                found.append(Run(at, program, arguments, passed))
    return found


def _by_exit(action: Action) -> bool:
    return action.failed is not None or _EXIT.search(action.result) is not None


def _signature(command: SimpleCommand) -> tuple[tuple[str, ...], frozenset[str]]:
    words = [w for w in command.words if not _NOISE.fullmatch(w)]
    if len(words) > 2 and re.fullmatch(r"python[\d.]*", command.name) and words[1] == "-m":
        words = words[2:]
    if words and words[0] in ("pytest", "py.test"):
        words[0] = "pytest"
    # Options and their values belong together: -k name.
    merged: list[str] = []
    for word in words[1:]:
        if merged and merged[-1] in ("-k", "-m", "-t", "-run", "--filter"):
            merged[-1] = f"{merged[-1]} {word}"
        else:
            merged.append(word)
    if words and words[0] == "pytest":
        return ("pytest",), frozenset(merged)
    return tuple(words), frozenset()


def is_check(command: SimpleCommand) -> bool:
    """Whether a command is a test or check by its name."""
    words = command.words
    if not words:
        return False
    if command.name in _CHECKERS:
        return True
    if command.name == "ruff":
        return "check" in words[1:2]
    if re.fullmatch(r"python[\d.]*", command.name) and "-m" in words[1:3]:
        return any(w in _CHECKERS or w in ("unittest", "doctest") for w in words[2:4])
    if command.name in _RUNNERS:
        return any(_CHECK_WORD.search(w) for w in words[1:4])
    if command.name in ("python", "python3", "bash", "sh", "node", "ruby") and len(words) > 1:
        return bool(_CHECK_WORD.search(posixpath.basename(words[1])))
    return command.name not in _READERS and bool(_CHECK_WORD.search(command.name))


def outcome(action: Action) -> bool | None:
    """Return whether an action's command passed by its record, None where the record does not say.

    Failure in the text outweighs a zero exit status, which a pipe may have hidden.
    """
    if action.failed:
        return False
    text = action.result
    code = _EXIT.search(text)
    if code is not None and int(code[1] or code[2]) != 0:
        return False
    checks = not action.commands or any(is_check(command) for command in action.commands)
    counts = [int(m[1] or m[2]) for m in _COUNT_FAILED.finditer(text)] if checks else []
    if any(counts) or (checks and _FAILED.search(text)):
        return False
    if code is not None or action.failed is False:
        return True
    return True if _PASSED.search(text) or counts else None


_REFUSED = re.compile(
    r"\b(?:refused|rejected|bounced|denied|invalid|unknown|expired|retired|no such|not found"
    r"|does(?: not|n['’]t) exist)\b",
    re.I,
)
_ANSWER = 300


def refused(action: Action) -> bool:
    """Whether a tool's short answer says that it did not do what was asked."""
    return not action.commands and len(action.result) <= _ANSWER and bool(_REFUSED.search(action.result))


def changes(action: Action) -> bool:
    """Whether an action may have changed the world. A program that is not known to read only may have."""
    if action.deed is not Deed.WORLD:
        return False
    if action.commands:
        return any(_changes(command) for command in action.commands)
    return not _READING_TOOLS.search(action.tool) or bool(action.edits)


def _changes(command: SimpleCommand) -> bool:
    if any(not target.startswith(_TEMPORARY) for target in command.writes_to):
        return True
    return bool(command.words) and not is_check(command) and not _reads(command)


def _reads(command: SimpleCommand) -> bool:
    words = command.words
    if not words:
        return True
    if command.name == "git":
        return len(words) < 2 or words[1] in _GIT_READERS
    if command.name in ("sed", "perl"):
        return not any(re.match(r"-[a-z]*i|--in-place", w) for w in words[1:])
    if command.name == "find":
        return "-delete" not in words and "-exec" not in words
    if command.name == "curl":
        return not any(w in ("-X", "-d", "--data", "-T", "--request") for w in words)
    return command.name in _READERS


_BACK_AGAIN = (("stash", "pop"), ("stash", "apply"))
_FULL_REVERTS = (("reset", "--hard"), ("stash",), ("restore", "."), ("checkout", "."), ("checkout", "--", "."))


def reverts(action: Action, files: frozenset[str]) -> bool:
    """Whether an action takes back changes to any of these files through version control."""
    return not unstashes(action) and any(_reverts(command, files) for command in action.commands)


def unstashes(action: Action) -> bool:
    """Whether an action brings stashed changes back."""
    return any(command.name == "git" and command.words[1:3] in _BACK_AGAIN for command in action.commands)


def _reverts(command: SimpleCommand, files: frozenset[str]) -> bool:
    if command.name != "git":
        return False
    words = tuple(w for w in command.words[1:] if w not in ("-q", "--quiet"))
    if words[:2] in (("stash", "list"), ("stash", "show"), ("stash", "drop")):
        return False
    if any(words[: len(full)] == full for full in _FULL_REVERTS):
        return True
    if words[:1] in (("checkout",), ("restore",)) and "-b" not in words:
        return any(_same_file(word, name) for word in words[1:] for name in files)
    return False


def _same_file(a: str, b: str) -> bool:
    a, b = posixpath.normpath(a), posixpath.normpath(b)
    return a == b or a.endswith("/" + b) or b.endswith("/" + a)


def files_of(action: Action) -> frozenset[str]:
    """Return the locations that an action names, as far as they look like files."""
    found: set[str] = set()
    for command in action.commands:
        found.update(command.writes_to)
        found.update(w for w in (*command.words[1:], *command.resolved[1:]) if _looks_like_file(w))
    if not action.commands:
        for line in action.text.splitlines()[:200]:
            value = line.partition(": ")[2]
            if _looks_like_file(value):
                found.add(value)
    return frozenset(found)


def _looks_like_file(word: str) -> bool:
    return len(word) <= 300 and bool(re.fullmatch(r"[\w./@+-]*[\w]", word)) and ("/" in word or "." in word.strip("."))
