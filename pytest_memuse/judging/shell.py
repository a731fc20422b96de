"""A lenient reading of shell text: simple commands, variables, working directory, here-documents. Runs nothing."""

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.S)
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)(?:[:%#/^,-][^{}]{0,80})?\}|([A-Za-z_]\w*))")
_LONGEST_VALUE = 2_000
_MOST_VARIABLES = 200


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One simple command: its words without quotes, where it wrote by redirection, and the body of a here-document.

    ``resolved`` holds the words again with variables replaced and relative locations under the working directory, where
    that makes a difference. ``piped`` says that the output went to the next command.
    """

    words: tuple[str, ...]
    writes_to: tuple[str, ...] = ()
    body: str = ""
    resolved: tuple[str, ...] = ()
    piped: bool = False

    @property
    def name(self) -> str:
        """The program, without its folder; empty for a bare assignment."""
        return posixpath.basename(self.words[0]) if self.words else ""


@dataclass(slots=True)
class ShellState:
    """What one command leaves for the next: variables and the working directory relative to the first one.

    Harnesses differ in whether they keep a shell between calls; the agent writes as if they did, so it is kept.
    """

    variables: dict[str, str] = field(default_factory=dict)
    folder: str = ""

    def read(self, text: str) -> list[SimpleCommand]:
        """Return the simple commands of a text in order, and remember what they set."""
        return [self._settle(command) for command in _commands(text)]

    def _settle(self, command: SimpleCommand) -> SimpleCommand:
        words = list(command.words)
        assigned = words[1:] if words and words[0] in ("export", "declare", "local", "readonly", "set") else words
        local: dict[str, str] = {}
        for word in assigned:
            match = _ASSIGNMENT.fullmatch(word)
            if not match:
                break
            local[match[1]] = self._expand(match[2], {})[:_LONGEST_VALUE]
        bare = len(local) == len(assigned)
        program = words if words and words[0] in ("export", "declare", "local", "readonly") else words[len(local) :]
        resolved = [self._expand(word, local) for word in command.words]
        if bare and len(self.variables) < _MOST_VARIABLES:
            self.variables.update(local)
        if program and program[0] in ("cd", "pushd"):
            target = self._expand(program[1], {}) if len(program) > 1 else ""
            self.folder = self._under(target) if target not in ("", "-", "~") else ""
            return replace(command, words=tuple(program), resolved=(self.folder,))
        folder = self.folder
        if len(program) > 2 and program[1] == "-C":
            folder = self._under(program[2])
        targets = tuple(self._expand(target, local) for target in command.writes_to)
        if folder:
            relative = [word for word in (*resolved[1:], *targets) if _is_relative(word)]
            resolved += [posixpath.normpath(posixpath.join(folder, word)) for word in relative]
        if (body := self._expand(command.body, local)) != command.body:
            resolved.append(body)
        changed = tuple(resolved) if resolved != words or local else ()
        return replace(command, words=tuple(program), writes_to=targets, resolved=changed)

    def _under(self, target: str) -> str:
        return posixpath.normpath(posixpath.join(self.folder, target))[:_LONGEST_VALUE]

    def _expand(self, word: str, local: dict[str, str]) -> str:
        if "$" not in word:
            return word
        room = [_LONGEST_VALUE * 4]

        def value(match: re.Match[str]) -> str:
            name = match[1] or match[2]
            text = local.get(name, self.variables.get(name))
            room[0] -= len(text or "")
            return match.group() if text is None or room[0] < 0 else text

        return _VARIABLE.sub(value, word)


def _is_relative(word: str) -> bool:
    return bool(re.fullmatch(r"[\w.][\w./@+-]{0,300}", word)) and not word.isdigit()


_TOKEN = re.compile(
    r"""
      '(?P<single>[^']*)(?:'|\Z)
    | "(?P<double>(?:[^"\\]++|\\.)*+)(?:"|\\?\Z)
    | (?P<escape>\\.)
    | <<-?[ ]?(?P<quote>['"]?)(?P<mark>\w{1,40})(?P=quote)
    | (?P<newline>\n)
    | (?P<redirect>(?:&|\d)?>(?:>|\||&\d?)?)
    | (?P<control>\|\||&&|;|\||&)
    | (?P<space>[^\S\n]+|[()<])
    | (?P<plain>[^\s'"\\<;|&>()]++)
    | (?P<other>.)
    """,
    re.X | re.S,
)


class _Line:
    """The simple commands of one line, which here-documents after the line complete."""

    def __init__(self) -> None:
        self.commands: list[SimpleCommand] = []
        self.marks: list[tuple[int, str]] = []
        self._words: list[str] = []
        self._writes: list[str] = []
        self._word: list[str] | None = None
        self._redirected = False

    @property
    def inside_word(self) -> bool:
        return self._word is not None

    def write(self, text: str) -> None:
        """Add to the current word, or begin one."""
        if self._word is None:
            self._word = []
        self._word.append(text)

    def end_word(self) -> None:
        if self._word is not None:
            (self._writes if self._redirected else self._words).append("".join(self._word))
            self._redirected = False
        self._word = None

    def redirect(self, sign: str) -> None:
        self.end_word()
        self._redirected = not sign.endswith("&") and not sign[-1].isdigit()

    def mark(self, name: str) -> None:
        self.end_word()
        self.marks.append((len(self.commands), name))

    def end_command(self, *, piped: bool = False) -> None:
        self.end_word()
        if self._words or self._writes or any(at == len(self.commands) for at, _ in self.marks[-1:]):
            self.commands.append(SimpleCommand(tuple(self._words), tuple(self._writes), piped=piped))
        self._words, self._writes, self._redirected = [], [], False


def _commands(text: str) -> Iterator[SimpleCommand]:
    line, position = _Line(), 0
    while match := _TOKEN.match(text, position):
        position = match.end()
        token = match.lastgroup
        if token == "newline":
            line.end_command()
            for at, mark in line.marks:
                body, position = _body(text, position, mark)
                if at < len(line.commands):
                    line.commands[at] = replace(line.commands[at], body=line.commands[at].body + body)
            yield from line.commands
            line = _Line()
        elif token == "control":
            line.end_command(piped=match.group() == "|")
        elif token == "space":
            line.end_word()
        elif token == "redirect":
            line.redirect(match.group())
        elif match["mark"]:
            line.mark(match["mark"])
        elif token == "plain" and match["plain"].startswith("#") and not line.inside_word:
            end = text.find("\n", position)
            position = len(text) if end < 0 else end
        elif token == "escape":
            if match.group() != "\\\n":
                line.write(match.group()[1:])
        elif match["double"] is not None:
            line.write(re.sub(r"\\([\"\\$`])", r"\1", match["double"]))
        elif match["single"] is not None:
            line.write(match["single"])
        else:
            line.write(match.group())
    line.end_command()
    yield from line.commands


def _body(text: str, start: int, mark: str) -> tuple[str, int]:
    """Return the here-document that begins at a line, and where the text goes on: an unclosed one takes the rest."""
    end = re.compile(rf"^\t*{mark}[ \t]*$", re.M).search(text, start)
    return (text[start : end.start()], min(end.end() + 1, len(text))) if end else (text[start:], len(text))
