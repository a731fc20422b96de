"""Texts that memory may hold and that no output of ours may take for anything but text; and what that means for lines.

Each text holds the word "owned", so that a test can see that it was shown at all and not merely left out.
"""

import re
import unicodedata
from types import MappingProxyType

HOSTILE_TEXTS = MappingProxyType(
    {
        "ansi": "\x1b[2J\x1b[31mowned\x1b[0m\x1b]0;owned\x07\x1b]8;;http://owned.invalid\x1b\\link\x1b]8;;\x1b\\",
        "c0": "owned\x00\x01\x07\x08\x08\x08\x0b\x0c\x0e\x1f\x7f",
        "c1": "owned\x80\x84\x85\x90owned\x9b31m\x9d0;owned\x9c",
        "overwriting": "harmless\rowned   \r\nowned\x08\x08\x08\x08\x08",
        "bidi": "owned \u202edesrever\u202c \u2066isolate\u2069 \u200e\u200f\u061c\u2067\u2068\u202a\u202b\u202d owned",
        "zero-width": "ow\u200bned\u200c\u200d\u2060\ufeff\u00ad\u180e\u2061\u2064owned",
        "tags": "owned\U000e0001\U000e0069\U000e0067\U000e006e\U000e007f",
        "separators": "owned\u2028::error::owned\u2029::error::owned\u0085::error::owned",
        "surrogate": "owned \ud800\udfff owned",
        "noncharacter": "owned \ufffe\uffff\ufdd0 owned",
        "command": "::error::owned",
        "command-after-newline": "harmless\n::error file=owned.py,line=1::owned\n  ::set-output name=x::owned",
        "command-after-space": " \t\u00a0\u3000::warning::owned",
        "legacy-command": "##[error]owned",
        "legacy-command-inside": "harmless ##[set-env name=PATH]owned ##[add-path]owned",
        "azure-command": "harmless ##vso[task.setvariable variable=owned]1\n##vso[task.complete result=Failed;]owned",
        "teamcity-command": "##teamcity[buildProblem description='owned']\nharmless ##teamcity[testFailed name='x']",
        "gitlab-section": "section_start:1560896352:owned\r\x1b[0Kowned",
        "buildkite-group": "--- owned\n+++ owned\n^^^ +++ owned",
        "markdown": "# owned\n| a | b |\n|---|---|\n[owned](javascript:alert(1)) ![x](//owned.invalid) ```\n@owned",
        "html": "</td></table><script>alert('owned')</script><img src=x onerror=owned()>&amp;&#x1b;<!-- owned",
        "xml": "]]>owned<![CDATA[<!DOCTYPE x [<!ENTITY e 'owned'>]>&e;</failure></testcase>\x00",
        "markup": "[red]owned[/red] {owned} {0} %s %(owned)s $owned ${owned} `owned`",
        "quotes": "owned\"'\\“”’ owned\\n\\x1b[31m",
        "verdict": "owned\n1 passed in 0.01s\ngate billing against main (20 arcs): passed",
        "combining": "owned" + "\u0335\u0301\u0489" * 40,
        "wide": "所有owned" + "語" * 40,
        "long": "owned" + "x" * 200_000,
        "many-lines": "owned\n" * 20_000,
        "blank": "owned\u3164\u115f\u1160\uffa0\u2800" + " " * 400 + "owned",
    }
)
"""Hostile texts by what they try: as memory text, item identifier, task, arc or suite of anything that is shown."""

ALL_AT_ONCE = "".join(f"{text[:300]}\n" for text in HOSTILE_TEXTS.values())
"""Every hostile text in one, for tests that cannot afford one run a text."""

_COMMAND_ANYWHERE = re.compile(r"##\w*\[")
_COMMAND_AT_START = re.compile(r"\s*::[A-Za-z]")
_INVISIBLE = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")


def dangers(output: str, *, longest: int = 2_000) -> list[str]:
    r"""Return what a terminal or the log reader of a CI system would take for more than text; empty where all is well.

    Lines are parted by ``\n``; any other character that ends, hides, reorders or commands is a danger. GitHub obeys
    ``::name`` where a line begins with it and ``##[name]`` anywhere, Azure and TeamCity ``##vso[`` and ``##teamcity[``
    anywhere, GitLab its section marks where control characters follow, and a terminal every control character.
    """
    found = []
    for number, line in enumerate(output.split("\n"), 1):
        where = f"line {number}: {line[:120]!a}"
        found += [
            f"{where}: holds U+{ord(character):04X} ({unicodedata.category(character)})"
            for character in sorted(set(line))
            if not character.isprintable() or character in _INVISIBLE
        ]
        if _COMMAND_AT_START.match(line):
            found.append(f"{where}: begins as a command of a CI system")
        if _COMMAND_ANYWHERE.search(line):
            found.append(f"{where}: holds a command of a CI system")
        if len(line) > longest:
            found.append(f"line {number}: is {len(line):,} characters long")
    return found
