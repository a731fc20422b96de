"""What is kept of a response: decoded whatever its borders, bounded whatever it inflates to, its last event noticed."""

import gzip
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.recording.passthrough.captured import Captured

_MANY = 64 * 1024


def _squeezed(coding: str, body: bytes) -> bytes:
    raw = zlib.compressobj(wbits=-15)
    return {
        "": lambda: body,
        "gzip": lambda: gzip.compress(body),
        "deflate": lambda: zlib.compress(body),
        "br": lambda: brotli.compress(body),
        "raw deflate": lambda: raw.compress(body) + raw.flush(),
        "gzip, br": lambda: brotli.compress(gzip.compress(body)),
    }[coding]()


_CODINGS = ["", "gzip", "deflate", "br", "raw deflate", "gzip, br"]


@pytest.mark.parametrize("coding", _CODINGS)
@given(body=st.binary(max_size=300), cuts=st.lists(st.integers(2, 40), max_size=9))
def test_a_body_is_kept_decoded_wherever_it_was_cut(coding: str, body: bytes, cuts: list[int]) -> None:
    wire = sent = _squeezed(coding, body)
    captured = Captured(coding.removeprefix("raw "), _MANY, streamed=False)
    for cut in cuts:
        captured.add(sent[:cut])
        sent = sent[cut:]
    captured.add(sent)
    assert captured.body == body
    assert captured.wire_bytes == len(wire)


@pytest.mark.parametrize("coding", ["", "gzip", "deflate", "br", "gzip, br"])
def test_a_body_that_inflates_too_much_is_let_go_of(coding: str) -> None:
    captured = Captured(coding, _MANY, streamed=False)
    captured.add(_squeezed(coding, b"a" * 3_000_000))
    assert captured.body is None
    assert "larger than what is kept" in captured.problem


@pytest.mark.parametrize(
    ("coding", "problem"), [("snappy", "'snappy' cannot be read here"), ("gzip, gzip, gzip", "more than two")]
)
def test_a_coding_that_cannot_be_read_is_a_problem_and_no_error(coding: str, problem: str) -> None:
    captured = Captured(coding, _MANY, streamed=False)
    captured.add(b"anything")
    assert captured.body is None
    assert problem in captured.problem


@pytest.mark.parametrize("coding", ["gzip", "br"])
def test_a_body_that_is_not_what_its_coding_says_is_a_problem_and_no_error(coding: str) -> None:
    captured = Captured(coding, _MANY, streamed=False)
    captured.add(b"plain text, and not what was said")
    assert "not what its content coding says" in captured.problem


@given(before=st.text(alphabet='data: {"[DONE]}\n', max_size=60), cut=st.integers(0, 200))
def test_a_streams_last_event_is_noticed_wherever_it_was_cut(before: str, cut: int) -> None:
    stream = f"data: {before}\n\ndata: [DONE]\n\n".encode()
    captured = Captured("", _MANY, streamed=True)
    captured.add(stream[:cut])
    captured.add(stream[cut:])
    assert captured.at_end


@pytest.mark.parametrize(
    "stream",
    [
        b'data: {"text": "data: [DONE]"}\n\n',
        b'data: {"text": "event: message_stop"}\n\n',
        b"event: message_start\ndata: {}\n\n",
        b"event: response.output_text.delta\ndata: {}\n\n",
    ],
)
def test_words_inside_an_event_are_not_the_last_ones(stream: bytes) -> None:
    captured = Captured("", _MANY, streamed=True)
    for byte in stream:
        captured.add(bytes([byte]))
    assert not captured.at_end
