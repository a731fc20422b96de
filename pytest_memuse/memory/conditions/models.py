"""The models that real variants ask, over HTTP or by a callable, and what of their answers is taken.

What an endpoint answers is not trusted: an answer that is no answer, too long or broken off is a `ModelRefusal`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import printable
from pytest_memuse.model.json_text import parse_json

ChatModel = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Takes a request of the Chat Completions API, returns the response."""

EmbeddingModel = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Takes a request of the embeddings API, returns the response."""

_MOST_BYTES = 8 * 1024 * 1024
_MOST_DIMENSIONS = 8192
_BATCH = 64


class ModelRefusal(MemuseError):
    """A memory-side model gave nothing that can be used."""

    def __init__(self, message: str) -> None:
        super().__init__(message, reason="model-refusal")


class RefusedByModel(UserWarning):
    """A memory-side model gave nothing that can be used, and so nothing was written, or nothing delivered."""


class HttpModel:
    """Asks one address of an OpenAI-compatible endpoint over httpx, so that every call is recorded and metered.

    ``api_key`` is sent as a bearer token and shown nowhere. ``timeout`` is in seconds, for connecting and for each
    piece of the answer. Nothing is tried again. Raises `ModelRefusal` for anything but a JSON object with a status of
    success, of at most 8 MiB.
    """

    def __init__(self, base_url: str, path: str, *, api_key: str, timeout: float) -> None:
        if urlsplit(base_url).scheme not in ("http", "https"):
            raise MemuseError(
                f"{printable(base_url)!r} is no address of an endpoint",
                reason="bad-address",
                mend="give a base_url like 'https://api.openai.com/v1'",
            )
        self._address = base_url.rstrip("/") + path
        self._headers = {
            "authorization": f"Bearer {api_key}",
            "content-type": "application/json",
            # What arrives is as long as it says, not the little that unfolds.
            "accept-encoding": "identity",
        }
        self._timeout = timeout
        self._client: Any = None

    def __call__(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the response to a request."""
        httpx = _httpx()
        if self._client is None:
            # Reading the certificates of the world takes longer than all else, and plain HTTP needs none.
            self._client = httpx.Client(timeout=self._timeout, verify=self._address.startswith("https:"))
        # As escapes, halves of characters can go out too.
        body = json.dumps(request).encode("ascii")
        try:
            with self._client.stream("POST", self._address, content=body, headers=self._headers) as response:
                content = _bounded(response.iter_bytes())
                status = response.status_code
        except httpx.HTTPError as error:
            raise ModelRefusal(
                f"the endpoint cannot be asked: {type(error).__name__}: {printable(str(error))}"
            ) from None
        if not 200 <= status < 300:
            raise ModelRefusal(
                f"the endpoint answered with status {status}: {printable(content.decode('utf-8', 'replace'))}"
            )
        try:
            value = parse_json(content)
        except ValueError as error:
            raise ModelRefusal(f"the endpoint's answer is no JSON: {error}") from None
        if not isinstance(value, Mapping):
            raise ModelRefusal("the endpoint's answer is no JSON object")
        return value

    def close(self) -> None:
        """Close the connections; another call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            client.close()


def said_by(model: ChatModel, request: Mapping[str, Any], *, longest: int) -> str:
    """Return the text that a model answers with, stripped; raise `ModelRefusal` where it gives no whole text.

    ``longest`` is the greatest length in characters. An answer that broke off at the model's own limit is refused too:
    half a summary, or half a list, is not what was asked for.
    """
    choices = _asked(model, request).get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    text = message.get("content") if isinstance(message, Mapping) else None
    if not isinstance(choice, Mapping) or not isinstance(text, str) or not text.strip():
        raise ModelRefusal("the model's answer holds no text")
    if choice.get("finish_reason") in ("length", "content_filter"):
        raise ModelRefusal(f"the model's answer broke off ({choice['finish_reason']})")
    if len(text) > longest:
        raise ModelRefusal(f"the model's answer has {len(text):,} characters, and may have {longest:,}")
    return text.strip()


def vectors_of(model: EmbeddingModel, name: str, texts: Sequence[str], *, longest: int) -> list[tuple[float, ...]]:
    """Return the vector of each text, all of one length; raise `ModelRefusal` where the answer has not these.

    Of a longer text the first ``longest`` characters are embedded.
    """
    found: list[tuple[float, ...]] = []
    for start in range(0, len(texts), _BATCH):
        batch = [text[:longest] for text in texts[start : start + _BATCH]]
        found += _vectors(_asked(model, {"model": name, "input": batch}).get("data"), len(batch))
    if len({len(vector) for vector in found}) > 1:
        raise ModelRefusal("the vectors differ in length")
    return found


def _vectors(data: Any, count: int) -> list[tuple[float, ...]]:
    rows = data if isinstance(data, list) else []
    if len(rows) != count or not all(isinstance(row, Mapping) for row in rows):
        raise ModelRefusal(f"the endpoint gave {len(rows)} vectors for {count} texts")
    # A row says which text it is for; where none does, they come in order.
    places = [row.get("index", place) for place, row in enumerate(rows)]
    if any(type(place) is not int for place in places) or sorted(places) != list(range(count)):
        raise ModelRefusal("the vectors do not say which texts they are for")
    ordered = [row for _, row in sorted(zip(places, rows, strict=True), key=lambda pair: pair[0])]
    return [_vector(row.get("embedding")) for row in ordered]


def _vector(raw: Any) -> tuple[float, ...]:
    if not isinstance(raw, list) or not 0 < len(raw) <= _MOST_DIMENSIONS:
        raise ModelRefusal("a vector is missing or has no usable length")
    # A comparison with NaN is false, so that one is refused too.
    if not all(type(value) in (int, float) and abs(value) < 1e30 for value in raw):
        raise ModelRefusal("a vector holds what is no number")
    return tuple(float(value) for value in raw)


def _asked(model: ChatModel | EmbeddingModel, request: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        response = model(request)
    except ModelRefusal:
        raise
    except Exception as error:
        # A callable of the user's, LiteLLM say, has errors of its own; none of them may end the episode.
        raise ModelRefusal(f"the model cannot be asked: {type(error).__name__}: {printable(str(error))}") from error
    if not isinstance(response, Mapping):
        raise ModelRefusal(f"the model gave {type(response).__name__}, not a response of the API")
    return response


def _bounded(pieces: Any) -> bytes:
    content = bytearray()
    for piece in pieces:
        content += piece
        if len(content) > _MOST_BYTES:
            raise ModelRefusal(f"the endpoint's answer has more than {_MOST_BYTES:,} bytes")
    return bytes(content)


def _httpx() -> Any:
    try:
        import httpx
    except ImportError as error:
        raise MemuseError(
            f"real variants ask their models by httpx, which cannot be imported: {error}",
            reason="memory-not-installed",
            mend="pip install httpx, or give a callable as `chat` and `embedder`",
        ) from error
    return httpx
