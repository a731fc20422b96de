"""Which requests are the same: told by method, address and canonical body, but for what visible rules let vary."""

import json
import re
import time
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.model import MemuseError
from pytest_memuse.recording.matching import (
    DEFAULT_RULES,
    Matcher,
    address_of,
    canonical_address,
    normal_text,
    parse_rules,
    request_digest,
    rules_as_data,
)

_URI = "https://api.example.org/v1/x"


def _digest(body: bytes, uri: str = _URI, method: str = "POST") -> str:
    return request_digest(method, uri, body)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b'{"a": 1, "b": [2]}', b'{"b":[2],"a":1}'),
        (b'{"a": 1}', b'{"a": 1.0}'),
        (b'{"a": 1e2}', b'{"a": 100}'),
        (b'{"a": "\\u017c\\u00f3\\u0142w/"}', '{"a": "żółw\\/"}'.encode()),
        (b"b=2&a=1", b"a=1&b=2"),
        (b"q=a%20b", b"q=a+b"),
        (b'--xyz\r\nname="f"\r\n\r\n1\r\n--xyz--\r\n', b'--abcdef\r\nname="f"\r\n\r\n1\r\n--abcdef--\r\n'),
    ],
)
def test_what_is_only_written_otherwise_is_the_same(one: bytes, other: bytes) -> None:
    assert _digest(one) == _digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b'{"a": 1}', b'{"a": "1"}'),
        (b'{"a": 1}', b'{"a": true}'),
        (b'{"a": null}', b"{}"),
        (b'{"a": [1, 2]}', b'{"a": [2, 1]}'),
        (b'{"a": 0.1}', b'{"a": 0.10001}'),
        (b"a=1&a=2", b"a=2&a=1"),
        (b"a=1 & b=2", b"b=2 & a=1"),
        (b"", b"{}"),
        (b"\xff\x00", b"\xfe\x00"),
    ],
)
def test_what_says_something_else_is_not_the_same(one: bytes, other: bytes) -> None:
    assert _digest(one) != _digest(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.org/x?b=2&a=1", "https://A.org:443/x?a=1&b=2#top"),
        ("http://127.0.0.1:8080/v1", "http://localhost:9/v1"),
        ("http://[::1]:8080/v1", "http://localhost/v1"),
        ("http://a.org", "http://a.org:80/"),
        ("https://a.org/x?q=%C5%BC", "https://a.org/x?q=ż"),
    ],
)
def test_an_address_has_one_form(one: str, other: str) -> None:
    assert canonical_address(one) == canonical_address(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.org/x", "http://a.org/x"),
        ("https://a.org/x", "https://a.org/X"),
        ("https://a.org:8443/x", "https://a.org/x"),
        ("https://a.org/x?a=1", "https://a.org/x?a="),
        ("http://127.0.0.1.evil.org:1/x", "http://127.0.0.1.evil.org:2/x"),
    ],
)
def test_another_place_is_another_address(one: str, other: str) -> None:
    assert canonical_address(one) != canonical_address(other)


@pytest.mark.parametrize("uri", ["", "not an address", "http://[", "http://a.org:port/", "x" * 10_000])
def test_what_is_no_address_is_no_failure(uri: str) -> None:
    assert isinstance(canonical_address(uri), str)
    assert isinstance(address_of(uri), str)


def test_a_redacted_user_does_not_hide_that_the_host_is_the_loopback() -> None:
    assert canonical_address("http://<redacted>@127.0.0.1:4711/v1") == canonical_address("http://localhost:9/v1")


def test_the_names_of_the_loopback_are_one_host() -> None:
    assert address_of("http://127.0.0.1:81/x") == address_of("http://localhost:81") == "localhost:81"
    assert address_of("https://a.org/x") == "a.org:443"


@pytest.mark.parametrize(
    "text",
    [
        "Today is Monday, January 5, 2026.",
        "Today's date: 2026-01-05",
        "Current date: 5 January 2026",
        "The current date is 01/05/2026, be brief.",
        "Current time: 2026-01-05T12:30:59.123Z",
        "Current date and time: 2026-01-05 09:15:00 UTC",
        "The current time is 9:15 am",
        "id 0b36c2c4-7a8c-4c6e-9a54-6d2f3bb0f7aa",
        "id 0b36c2c47a8c4c6e9a546d2f3bb0f7aa",
        "# Current Date\nMonday",
    ],
)
def test_what_a_prompt_says_of_today_and_random_identifiers_are_let_vary(text: str) -> None:
    assert normal_text(text, DEFAULT_RULES) != text
    # What a rule says it needs is only a quicker way to the same.
    assert normal_text(text, DEFAULT_RULES) == normal_text(text, [replace(rule, needs=()) for rule in DEFAULT_RULES])


@pytest.mark.parametrize(
    "text",
    [
        "released on 2026-01-31",
        "the file of 5 January 2026",
        "d41d8cd98f00b204e9800998ecf8427e",
        "port 8081 at 12:30",
        "0123456789abcdef" * 4,
    ],
)
def test_facts_are_not_let_vary(text: str) -> None:
    assert normal_text(text, DEFAULT_RULES) == text


@pytest.mark.parametrize(
    "part", ["today is ", "# current date\n", "current time: 1", "a", "current date: jan 1", "- 4"]
)
def test_the_default_rules_take_time_in_proportion_to_the_text(part: str) -> None:
    begun = time.process_time()
    normal_text(part * (100_000 // len(part)), DEFAULT_RULES)
    # Matching that goes back over the text again and again would take minutes.
    assert time.process_time() - begun < 5


_bodies = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9) | st.just("y" * 300),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=10,
)


@given(st.lists(st.dictionaries(st.text(max_size=3), _bodies, max_size=3), max_size=5))
def test_what_is_kept_of_earlier_texts_changes_no_digest(bodies: list[Any]) -> None:
    matcher = Matcher(most=500)
    for body in bodies * 2:
        sent = json.dumps(body).encode()
        assert matcher.digest("POST", _URI, sent) == request_digest("POST", _URI, sent)


def test_a_rule_of_the_user_is_added_to_the_default_ones() -> None:
    rules = parse_rules(["", "# a comment", "ticket: (?i)ticket-[0-9]+ => ticket-N", r"range: (\w+)=>x => \1"])
    assert [rule.name for rule in rules] == [*(rule.name for rule in DEFAULT_RULES), "ticket", "range"]
    assert normal_text("see TICKET-12, a=>x", rules) == "see ticket-N, a"


def test_a_default_rule_can_be_replaced_and_left_out() -> None:
    rules = parse_rules(["uuid: off", "current-date: on .* => on <day>"])
    assert "uuid" not in [rule.name for rule in rules]
    assert normal_text("on 2026-01-01", rules) == "on <day>"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("no colon", "it must be"),
        ("name: no arrow", "it must be"),
        ("name: => x", "it must be"),
        (": x => y", "it must be"),
        ("name: ( => x", "is wrong"),
        (r"name: x => \3", "is wrong"),
        ("uid: off", "there is no rule 'uid' to leave out; there are date-heading"),
    ],
)
def test_a_line_that_is_no_rule_is_refused_with_what_it_must_be(line: str, problem: str) -> None:
    with pytest.raises(MemuseError, match=re.escape(problem)):
        parse_rules([line])


def test_the_fingerprint_names_rules_only_where_they_are_not_the_default_ones() -> None:
    assert rules_as_data(parse_rules([])) == []
    assert rules_as_data(parse_rules(["a: b => c"]))[-1] == {"name": "a", "pattern": "b", "replacement": "c"}
