"""Which element and attribute may stand where in a JUnit file, by the two schemas that validators use.

*Jenkins* is the ``junit-10.xsd`` that Jenkins' xUnit plugin validates with; *Ant* is the schema of Apache Ant's JUnit
task, which is stricter. No schema is copied: these are the rules of theirs that a file of ours can break. Both files
themselves were asked too, with the package ``xmlschema``, when the rules were written.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

_TEXT, _NUMBER, _TIME = ".*", "[0-9]+", r"[0-9]*(\.[0-9]{0,3})?"
_WORDS = r"\S+( \S+)*"


@dataclass(frozen=True)
class Rule:
    """An element: its children as a pattern over ``<name>`` texts, its required and its further attributes."""

    children: str
    required: Mapping[str, str]
    optional: Mapping[str, str]


def _told(**patterns: str) -> dict[str, str]:
    return patterns


_PROBLEM = _told(type=_TEXT, message=_TEXT)
_COUNTS = _told(tests=_NUMBER, failures=_NUMBER, errors=_NUMBER)
_PROPERTY = Rule("", _told(name=_TEXT, value=_TEXT), {})

JENKINS = {
    "testsuites": Rule("(<testsuite>)*", {}, _told(name=_TEXT, time=_TIME, **_COUNTS)),
    "testsuite": Rule(
        "(<properties>|<testcase>|<system-out>|<system-err>)*",
        _told(name=_TEXT, **_COUNTS),
        _told(
            time=_TIME, skipped=_NUMBER, timestamp=_TEXT, hostname=_TEXT, id=_TEXT, package=_TEXT, file=_TEXT, url=_TEXT
        ),
    ),
    "properties": Rule("(<property>)*", {}, {}),
    "property": _PROPERTY,
    "testcase": Rule(
        "(<skipped>|<error>|<failure>|<system-out>|<system-err>)*",
        _told(name=_TEXT),
        _told(time=_TEXT, classname=_TEXT, group=_TEXT),
    ),
    **dict.fromkeys(("failure", "error", "skipped"), Rule("", {}, _PROBLEM)),
    **dict.fromkeys(("system-out", "system-err"), Rule("", {}, {})),
}

ANT = {
    "testsuites": Rule("(<testsuite>)*", {}, {}),
    "testsuite": Rule(
        "<properties>(<testcase>)*<system-out><system-err>",
        _told(
            name=_WORDS,
            package=_TEXT,
            id=_NUMBER,
            hostname=_WORDS,
            timestamp="[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}",
            time=r"[0-9]+(\.[0-9]+)?",
            **_COUNTS,
        ),
        _told(skipped=_NUMBER),
    ),
    "properties": Rule("(<property>)*", {}, {}),
    "property": Rule("", _told(name=_WORDS, value=_TEXT), {}),
    "testcase": Rule(
        "(<skipped>|<error>|<failure>)?", _told(name=_TEXT, classname=_TEXT, time=r"[0-9]+(\.[0-9]+)?"), {}
    ),
    **dict.fromkeys(("failure", "error"), Rule("", _told(type=_TEXT), _told(message=_TEXT))),
    "skipped": Rule("", {}, _told(message=_TEXT)),
    **dict.fromkeys(("system-out", "system-err"), Rule("", {}, {})),
}


def complaints(content: bytes, schema: Mapping[str, Rule]) -> list[str]:
    """Return what a validator would say; raises `ElementTree.ParseError` for what is no XML at all."""
    return [*_of(ElementTree.fromstring(content), schema)]


def _of(element: "ElementTree.Element[Any]", schema: Mapping[str, Rule]) -> Iterator[str]:
    rule = schema.get(element.tag)
    if rule is None:
        yield f"{element.tag}: unknown"
        return
    children = "".join(f"<{child.tag}>" for child in element)
    if not re.fullmatch(rule.children, children):
        yield f"{element.tag}: may not hold {children or 'nothing'}"
    for name in rule.required.keys() - element.attrib.keys():
        yield f"{element.tag}: misses {name}"
    for name, value in element.attrib.items():
        pattern = {**rule.required, **rule.optional}.get(name)
        if pattern is None or not re.fullmatch(pattern, value, re.DOTALL):
            yield f"{element.tag}: {name}={value[:100]!r} is not allowed"
    for child in element:
        yield from _of(child, schema)
