"""What is replaced, what stays, and that replacing is settled, counted and linear."""

import base64
import gzip
import json
import re
import struct
import time
import zlib
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.model import MemuseError
from pytest_memuse.recording.bodies import body_bytes, body_value
from pytest_memuse.recording.matching import canonical_address
from pytest_memuse.recording.redaction import REDACTED, Redaction, parse_rules
from tests.recording.plants import ENCODINGS, finds

_KNOWN = 'pA000/w&"x y+z=7<é007919Q'
_PLAIN = "hunter2hunter2Abc9"
_WITH = Redaction([_KNOWN, _PLAIN], parse_rules(["ticket: TICKET:([A-Z0-9]+)", "whole: zz[0-9]+zz"]))
_BODY = "A7f" * 12 + "9"

KEYS = {
    "openai key": f"sk-proj-{_BODY}_{_BODY}-x1",
    "openai key of the old form": f"sk-{_BODY}{_BODY}"[:51],
    "openrouter key": "sk-or-v1-" + "0a" * 32,
    "anthropic key": f"sk-ant-api03-{_BODY}-{_BODY}",
    "github token": "ghp_" + _BODY[:36],
    "github oauth token": "gho_" + _BODY[:36],
    "github fine-grained token": f"github_pat_{_BODY[:22]}_{_BODY}{_BODY[:22]}",
    "gitlab token": "glpat-" + _BODY[:20],
    "aws access key id": "AKIA" + "C3" * 8,
    "google key": "AIza" + _BODY[:35],
    "slack token": "xoxb-123456789012-1234567890123-" + _BODY[:24],
    "hugging face token": "hf_" + _BODY[:34],
    "stripe key": "sk_live_" + _BODY[:24],
    "groq key": "gsk_" + (_BODY * 2)[:52],
    "npm token": "npm_" + _BODY[:36],
    "sendgrid key": f"SG.{_BODY[:22]}.{_BODY}{_BODY[:6]}",
    "json web token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "private key": f"-----BEGIN RSA PRIVATE KEY-----\n{_BODY}\n{_BODY}\n-----END RSA PRIVATE KEY-----",
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("around", ["%s", "use %s here", "key=%s;", '{"k": "%s"}', "/v1/%s/x", "one\n%s\ntwo", "(%s)"])
def test_the_shapes_of_common_keys_are_replaced(key: str, around: str) -> None:
    cleaned = Redaction().text(around % key)
    assert cleaned == around % REDACTED
    assert Redaction().text(json.dumps(json.dumps(around % key))) == json.dumps(json.dumps(around % REDACTED))


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("Authorization: Bearer abcdef0123456789abcdef", f"Authorization: Bearer {REDACTED}"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", f"Authorization: Basic {REDACTED}"),
        ('curl -H "x-api-key: 0123456789abcdef" x', f'curl -H "x-api-key: {REDACTED}" x'),
        ("https://a.b/c?api_key=12345678&x=1", f"https://a.b/c?api_key={REDACTED}&x=1"),
        ("postgres://app:s3cr3t@db/app", f"postgres://app:{REDACTED}@db/app"),
        ("api.telegram.org/bot12345678:" + _BODY[:35] + "/x", f"api.telegram.org/bot{REDACTED}/x"),
        (f"AWS_SECRET_ACCESS_KEY={_BODY[:36]}+/Z9", f"AWS_SECRET_ACCESS_KEY={REDACTED}"),
        (f"aws_secret_access_key = {_BODY[:36]}+/Z9\nregion = x", f"aws_secret_access_key = {REDACTED}\nregion = x"),
        (f'{{"SecretAccessKey": "{_BODY[:36]}+/Z9"}}', f'{{"SecretAccessKey": "{REDACTED}"}}'),
        ("curl -H 'Authorization: Token 9f8e7d6c5b4a3928' x", f"curl -H 'Authorization: Token {REDACTED}' x"),
        ("authorization: 9f8e7d6c-5b4a3928", f"authorization: {REDACTED}"),
        ("Authorization: Bearer $OPENAI_API_KEY_2", "Authorization: Bearer $OPENAI_API_KEY_2"),
        ("see TICKET:AB12 and zz7zz", f"see TICKET:{REDACTED} and {REDACTED}"),
    ],
)
def test_secrets_are_seen_by_what_stands_around_them(text: str, cleaned: str) -> None:
    assert _WITH.text(text) == cleaned


def test_of_a_private_key_that_was_cut_off_its_lines_are_replaced() -> None:
    cut = f"-----BEGIN PRIVATE KEY-----\n{_BODY}\n{_BODY}"
    assert Redaction().text(f"this: {cut} ... and more") == f"this: {REDACTED} ... and more"


ORDINARY = [
    "sk-learn-pipelines-and-other-estimators-version-2",
    "The basic authentication scheme, a bearer of internationalization-abbreviations.",
    "task-0123456789abcdef0123456789abcdef",
    "commit bc1cf1e4b0f9a0d6e8c7b5a4938271605f4e3d2c, tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "git@github.com:owner/name.git, ssh://git@host/x, someone@example.org, 10:30@noon",
    "https://example.org/search?q=keyboards&page=2&keyword=token",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 8).decode(),
    "import base64; token = get_token(client_secret_name); key = cache_key(a, b)",
    "AKIAisnot AIzaneither hf_transformers xoxo- ghp_short eyJ.eyJ.eyJ",
    "100% of 5 & 6 \\ \\n \\u12 %zz &nothing; <redacted>",
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_stays(text: str) -> None:
    assert _WITH.text(text) == text
    assert _WITH.body(json.dumps({"t": text}).encode()) == json.dumps({"t": text}).encode()


_WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12)


@given(st.lists(st.floats(width=32, allow_nan=False), min_size=16, max_size=200), st.sampled_from("<>"))
def test_vectors_in_base64_stay(numbers: list[float], order: str) -> None:
    packed = struct.pack(f"{order}{len(numbers)}f", *numbers)
    for code in (base64.b64encode, base64.urlsafe_b64encode):
        text = code(packed).decode()
        assert _WITH.text(text) == text


@given(st.uuids(), st.binary(min_size=20, max_size=32), st.lists(_WORDS, max_size=20))
def test_identifiers_digests_and_words_stay(identifier: object, digest: bytes, words: list[str]) -> None:
    text = f"{identifier} {digest.hex()} {base64.b64encode(digest).decode()} {' '.join(words)} {'-'.join(words)}"
    assert _WITH.text(text) == text


@pytest.mark.parametrize("value", [_KNOWN, _PLAIN])
@pytest.mark.parametrize("name", ENCODINGS)
def test_known_values_are_found_in_every_encoding_and_what_stands_around_stays(name: str, value: str) -> None:
    cleaned = _WITH.text(f"before the {ENCODINGS[name](value)} after it")
    assert cleaned.startswith("before the ")
    assert cleaned.endswith(" after it")
    assert REDACTED in cleaned


@pytest.mark.parametrize("between", ["\n", "\r\n", "\n    ", "\r\n\t"])
@pytest.mark.parametrize("wide", [16, 60, 76])
def test_blobs_over_indented_lines_are_read_as_one(between: str, wide: int) -> None:
    plain = f"{'line ' * 30}{_KNOWN}{' tail' * 30}".encode()
    for digits in (plain.hex(), base64.b64encode(plain).decode()):
        text = f"key: |{between}" + between.join(digits[at : at + wide] for at in range(0, len(digits), wide))
        clean = Redaction([_KNOWN]).text(text)
        assert REDACTED in clean
        joined = re.sub(r"\s", "", clean.partition("|")[2])
        assert not finds(joined.replace(REDACTED, ""), frozenset([_KNOWN]))


def test_compressed_bytes_in_hexadecimal_digits_are_read() -> None:
    packed = zlib.compress(json.dumps({"note": _KNOWN}).encode()).hex()
    assert Redaction([_KNOWN]).text(f"before {packed} behind") == f"before {REDACTED} behind"


@pytest.mark.parametrize("value", ["pw-1", "s3cr3tpw"])
@pytest.mark.parametrize("shift", range(4))
def test_short_known_values_are_found_in_base64_at_every_alignment(value: str, shift: int) -> None:
    text = base64.b64encode(f"{'u' * shift}{value}:".encode()).decode()
    assert REDACTED in Redaction([value]).text(f'"{text}"')


_PARTS = st.one_of(
    st.sampled_from([_KNOWN, _PLAIN, REDACTED, *KEYS.values(), *(e(_PLAIN) for e in ENCODINGS.values())]),
    st.sampled_from(
        ["<", ">", "\\", "%", "&", "=", " ", "\n", "\0", "n", "key=", "?key=", "://a:", "@", "Bearer ", "zz"]
    ),
    st.text(max_size=6),
)


@given(st.lists(_PARTS, max_size=8).map("".join))
def test_what_was_redacted_is_settled(text: str) -> None:
    once = _WITH.text(text)
    assert _WITH.text(once) == once
    assert _PLAIN not in once
    assert _KNOWN not in once


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | _PARTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_PARTS, inner, max_size=3),
    max_leaves=8,
)


@given(_VALUES)
def test_what_was_redacted_of_a_body_is_settled_after_it_was_written_and_read(value: object) -> None:
    body = _WITH.body(json.dumps(value).encode())
    assert body is not None
    assert _WITH.body(body) == body
    assert _WITH.content(body_value(body)) == body_value(body)
    assert _PLAIN not in json.loads(body_bytes(body_value(body)).decode() or "null").__repr__()


@given(st.lists(st.integers(1, 7), min_size=1, max_size=12), _PARTS, _PARTS)
def test_a_secret_is_found_wherever_the_pieces_of_a_stream_end(sizes: list[int], before: str, after: str) -> None:
    text, pieces = f"{before} {_PLAIN} {after}", []
    while text:
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[:size])
        text = text[size:]
    stream = "".join(f"data: {json.dumps({'delta': {'content': piece}})}\n\n" for piece in pieces).encode()
    cleaned = (_WITH.body(stream) or b"").decode()
    deltas = [json.loads(line[5:])["delta"]["content"] for line in cleaned.splitlines() if line.startswith("data:")]
    assert len(deltas) == len(pieces)
    assert _PLAIN not in "".join(deltas)
    assert (_WITH.body(cleaned.encode()) or b"").decode() == cleaned


def test_events_without_a_secret_stay_character_by_character() -> None:
    stream = f'data: {{"a":  "x"}}\n\ndata: {{"a": "{_PLAIN}"}}\n\n: note\n\ndata: [DONE]\n\n'
    assert _WITH.body(stream.encode()) == stream.replace(_PLAIN, REDACTED).encode()


def test_a_body_without_a_secret_stays_byte_by_byte() -> None:
    for body in (b'{ "a" :1.0, "b": "\\u0041" }', b"\xff\xfe\x00binary", b"", b"text", b"[1, 2", b'"text"'):
        assert _WITH.body(body) == body


def test_names_of_fields_and_whole_numbers_hold_no_secret_either() -> None:
    redaction = Redaction(["4711471147", _PLAIN])
    value = {_PLAIN: 4711471147, f"{_PLAIN}!": [True, 4711471148, 1.5], "n": f"x{_PLAIN}"}
    assert redaction.value(value) == {REDACTED: REDACTED, f"{REDACTED}!": [True, 4711471148, 1.5], "n": f"x{REDACTED}"}


def test_two_names_that_hold_secrets_stay_two() -> None:
    redaction = Redaction([_PLAIN, _KNOWN])
    assert len(redaction.value({_PLAIN: 1, _KNOWN: 2})) == 2


def test_a_field_that_is_named_like_a_secret_is_replaced_whatever_it_holds() -> None:
    value = {
        "api_key": "x",
        "Password": "pw",
        "n": [{"client-secret": "s"}],
        "max_tokens": 5,
        "token": "hello",
        "key": "k",
    }
    assert Redaction().value(value) == {
        "api_key": REDACTED,
        "Password": REDACTED,
        "n": [{"client-secret": REDACTED}],
        "max_tokens": 5,
        "token": "hello",
        "key": "k",
    }


@pytest.mark.parametrize(
    "recorded",
    [
        "https://u:secret@h/p?api_key=abcd&x=1",
        "https://u@h/p?x=1&api_key=",
        "https://h/p?x=1",
        "https://h/p?token=a&x=1",
    ],
)
def test_an_address_matches_with_any_key_and_with_none(recorded: str) -> None:
    assert canonical_address(Redaction().uri(recorded)) == "https://h/p?x=1"


def test_what_headers_and_addresses_tell_is_known_from_then_on() -> None:
    redaction = Redaction()
    shared = redaction.counting(None)
    basic = base64.b64encode(b"app:pass-word-77").decode()
    redaction.learn(
        "https://h/x?sig=abc%2Fdefgh&n=1",
        {
            "Authorization": "Bearer opaque-credential",
            "Cookie": "a=1; sid=cookie-value-1",
            "x-ratelimit-tokens": "12345678",
        },
        [("Set-Cookie", "s=other-cookie-22; Path=/"), ("x-api-key", "not-needed"), ("authorization", f"Basic {basic}")],
    )
    told = "opaque-credential cookie-value-1 other-cookie-22 pass-word-77 abc/defgh"
    assert shared.text(told) == " ".join([REDACTED] * 5)
    assert shared.text("not-needed 12345678 a=1") == "not-needed 12345678 a=1"


def test_a_redaction_that_knows_more_leaves_the_other_as_it_is() -> None:
    redaction = Redaction()
    assert redaction.knowing([_PLAIN]).text(_PLAIN) == REDACTED
    assert redaction.text(_PLAIN) == _PLAIN


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("BILLING_API_KEY", "hunter2-hunter2", "hunter2-hunter2"),
        ("DB_PASS", "correct horse battery", "correct horse battery"),
        ("DATABASE_URL", "postgres://app:s3cr3t-pw@db/app", "s3cr3t-pw"),
        ("SERVICE_CREDENTIALS", '{"private_key": "0123456789", "type": "x"}', "0123456789"),
        ("AWS_SECRET_ACCESS_KEY", "/Q8c" + "a/B1" * 9, "/Q8c" + "a/B1" * 9),
        ("HOME", "/home/of/nobody", None),
        ("SSH_AUTH_SOCK", "/run/agent.1", None),
        ("AUTHOR_NAME", "somebody known", None),
        ("OPENAI_API_KEY", "not-needed", None),
        ("API_TOKEN", "short", None),
        ("TOKEN_URL", "https://example.org/token", None),
        ("COMPASS", "north-north-west", None),
    ],
)
def test_secrets_of_the_environment_are_told_by_their_names(name: str, value: str, secret: str | None) -> None:
    redaction = Redaction.from_environment({name: value})
    text = f"it is {secret or value}."
    assert redaction.text(text) == (f"it is {REDACTED}." if secret else text)


def test_what_is_replaced_is_counted_by_kind_and_never_by_value() -> None:
    tally: Counter[str] = Counter()
    counting = _WITH.counting(tally)
    counting.value([_PLAIN, f"{_PLAIN} {_PLAIN}", "TICKET:AB1", {"password": "x"}, KEYS["github token"]])
    counting.uri("https://h/?key=1")
    _WITH.text(_PLAIN)
    assert tally == {"known value": 3, "ticket": 1, "secret field": 1, "github token": 1, "address parameter": 1}
    assert _PLAIN not in repr(_WITH)


@pytest.mark.parametrize("line", ["no name", ": x", "name:", "name: (", "name: a*", "na/me: x"])
def test_a_rule_that_is_none_is_refused_with_the_line(line: str) -> None:
    with pytest.raises(MemuseError, match="memuse_redact") as raised:
        parse_rules(["", line])
    assert repr(line) in str(raised.value)


def test_a_blob_that_holds_more_than_is_read_is_not_kept() -> None:
    bomb = base64.b64encode(gzip.compress(b"\0" * 5_000_000)).decode()
    assert Redaction().text(f"see {bomb} here") == f"see {REDACTED} here"


@pytest.mark.parametrize("head", [b"\x28\xb5\x2f\xfd", b"\x1f\x9d", b"BZh9", b"\xfd7zXZ\0"])
def test_a_body_whose_compression_is_not_read_is_not_kept(head: bytes) -> None:
    assert Redaction().body(head + b"\x90\xff\x00 and so on") == REDACTED.encode()


_HOSTILE: dict[str, Callable[[int], str]] = {
    "heads of tokens": lambda n: "eyJ" * n,
    "half tokens": lambda n: "eyJaaaaaaaaaaaaa." * (n // 6),
    "beginnings of keys": lambda n: "-----BEGIN PRIVATE KEY-----" * (n // 8),
    "prefixes": lambda n: "sk-" * n,
    "backslashes": lambda n: "\\" * n,
    "percent of percent": lambda n: "%" + "25" * n,
    "addresses": lambda n: "://a:b@" * n,
    "parameters": lambda n: "?key=" * n,
    "one letter": lambda n: "A" * 4 * n,
    "zeros": lambda n: "\0a" * n,
    "replacements": lambda n: REDACTED * n,
    "the value": lambda n: _PLAIN * (n // 4),
    "the value in base64": lambda n: base64.b64encode(f"{_PLAIN} ".encode() * (n // 8)).decode(),
    "the value in lines of base64": lambda n: base64.encodebytes(f"{_PLAIN} ".encode() * (n // 8)).decode(),
    "heads of gzip": lambda n: base64.b64encode(b"\x1f\x8b\x08" * n).decode(),
    "events": lambda n: 'data: {"a": "x"}\n' * (n // 8),
}


@pytest.mark.parametrize("make", _HOSTILE.values(), ids=_HOSTILE)
def test_four_times_the_text_takes_about_four_times_the_work(make: Callable[[int], str]) -> None:
    def work(size: int) -> float:
        text, least = make(size), float("inf")
        for _ in range(2):
            begun = time.process_time()
            _WITH.content(text)
            least = min(least, time.process_time() - begun)
        return least

    # Processor time, as a ratio: quadratic work would be sixteen times as much.
    assert work(4000) <= 10 * work(1000) + 0.005
