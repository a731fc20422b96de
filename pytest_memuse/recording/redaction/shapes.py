"""What a key looks like: the shapes of common ones, found in linear time and seldom in anything else.

Every shape has a mark, a literal that it begins with or holds; a text without the mark is not looked at further.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pytest_memuse.recording.redaction.spans import Span

_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


@dataclass(frozen=True, slots=True)
class Shape:
    """A key that begins with ``mark``, where no word goes on, and is matched by ``pattern`` from there.

    ``pattern`` must be linear; its group 1, where it has one, is the secret. ``accepts`` decides on what was found.
    ``in_run`` says that in every such key the mark begins a run of at least 16 letters, digits, hyphens, underscores.
    """

    kind: str
    mark: str
    pattern: re.Pattern[str]
    accepts: Callable[[str], bool] = lambda found: True
    in_run: bool = True


def _looks_random(found: str) -> bool:
    return any(c.isdigit() for c in found)


def _is_secret_key(found: str) -> bool:
    """Tell a key from words that are joined by hyphens: `sk-learn-…`."""
    if not _looks_random(found):
        return False
    return bool(_VENDOR.match(found)) or any(len(part) >= 16 for part in re.split("[-_]", found))


def _is_basic(found: str) -> bool:
    try:
        plain = base64.b64decode(found + "=" * (-len(found) % 4), validate=True)
    except binascii.Error:
        return False
    return b":" in plain and plain.isascii() and plain.decode("ascii").isprintable()


_VENDOR = re.compile(r"sk-(?:proj|ant|svcacct|admin|or|lf|None)-")
_END = r"(?![A-Za-z0-9_-])"

SHAPES: tuple[Shape, ...] = (
    Shape("anthropic key", "sk-ant-", re.compile(r"sk-ant-[A-Za-z0-9_-]{16,}"), _is_secret_key),
    Shape("openai key", "sk-", re.compile(r"sk-[A-Za-z0-9_-]{20,}"), _is_secret_key),
    *(
        Shape("github token", f"gh{kind}_", re.compile(rf"gh{kind}_[A-Za-z0-9]{{30,}}"), _looks_random)
        for kind in "pousr"
    ),
    Shape("github token", "github_pat_", re.compile(r"github_pat_[A-Za-z0-9_]{22,}"), _looks_random),
    Shape("gitlab token", "glpat-", re.compile(r"glpat-[A-Za-z0-9_-]{20,}"), _looks_random),
    *(
        Shape("aws access key id", mark, re.compile(rf"{mark}[A-Z0-9]{{16}}{_END}"), _looks_random)
        for mark in ("AKIA", "ASIA")
    ),
    Shape("google key", "AIza", re.compile(rf"AIza[A-Za-z0-9_-]{{35}}{_END}")),
    Shape("google token", "ya29.", re.compile(r"ya29\.[A-Za-z0-9_-]{20,}"), _looks_random, in_run=False),
    Shape("google client secret", "GOCSPX-", re.compile(r"GOCSPX-[A-Za-z0-9_-]{20,}"), _looks_random),
    *(
        Shape("slack token", f"xox{kind}-", re.compile(rf"xox{kind}-[A-Za-z0-9-]{{11,}}"), _looks_random)
        for kind in "abceoprs"
    ),
    Shape("slack token", "xapp-", re.compile(r"xapp-[A-Za-z0-9-]{20,}"), _looks_random),
    Shape(
        "slack webhook",
        "hooks.slack.com/services/",
        re.compile(r"hooks\.slack\.com/services/([A-Za-z0-9_]{6,}/[A-Za-z0-9_]{6,}/[A-Za-z0-9_]{16,})"),
        in_run=False,
    ),
    Shape("hugging face token", "hf_", re.compile(rf"hf_[A-Za-z0-9]{{30,}}{_END}")),
    *(
        Shape("stripe key", f"{kind}_{world}_", re.compile(rf"{kind}_{world}_[A-Za-z0-9]{{16,}}"), _looks_random)
        for kind in ("sk", "rk")
        for world in ("live", "test")
    ),
    Shape("stripe key", "whsec_", re.compile(r"whsec_[A-Za-z0-9+/=]{24,}"), _looks_random),
    Shape("groq key", "gsk_", re.compile(r"gsk_[A-Za-z0-9]{40,}"), _looks_random),
    Shape("xai key", "xai-", re.compile(r"xai-[A-Za-z0-9]{40,}"), _looks_random),
    Shape("perplexity key", "pplx-", re.compile(r"pplx-[A-Za-z0-9]{40,}"), _looks_random),
    Shape("replicate token", "r8_", re.compile(rf"r8_[A-Za-z0-9]{{37}}{_END}")),
    Shape("npm token", "npm_", re.compile(rf"npm_[A-Za-z0-9]{{36}}{_END}")),
    Shape("pypi token", "pypi-", re.compile(r"pypi-[A-Za-z0-9_-]{50,}"), _looks_random),
    Shape("digitalocean token", "dop_v1_", re.compile(rf"dop_v1_[a-f0-9]{{64}}{_END}")),
    Shape("sendgrid key", "SG.", re.compile(r"SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}"), in_run=False),
    Shape("telegram token", "bot", re.compile(rf"bot([0-9]{{8,10}}:[A-Za-z0-9_-]{{35}}{_END})"), in_run=False),
    Shape(
        "json web token",
        "eyJ",
        re.compile(
            r"eyJ[A-Za-z0-9_-]{13,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]*+\.[A-Za-z0-9_-]*+)?"
        ),
    ),
    *(
        Shape(
            "bearer token", mark, re.compile(rf"{mark}([A-Za-z0-9._~+/-]{{16,}}={{0,2}})"), _looks_random, in_run=False
        )
        for mark in ("Bearer ", "bearer ", "BEARER ")
    ),
    *(
        Shape("basic credentials", mark, re.compile(rf"{mark}([A-Za-z0-9+/]{{8,}}={{0,2}})"), _is_basic, in_run=False)
        for mark in ("Basic ", "basic ", "BASIC ")
    ),
    *(
        Shape(
            "aws secret access key",
            mark,
            re.compile(mark + r"""\\?["']? ?[:=] ?\\?["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"""),
            _looks_random,
            in_run=False,
        )
        for mark in ("AWS_SECRET_ACCESS_KEY", "aws_secret_access_key", "SecretAccessKey", "secretAccessKey")
    ),
    *(
        Shape(
            "authorization header",
            mark,
            re.compile(mark + r"""(?:[A-Za-z]{1,16} )?([^\s$({`"'\\,;<>][^\s"'\\,;<>]{15,})"""),
            _looks_random,
            in_run=False,
        )
        for mark in ("Authorization: ", "authorization: ")
    ),
    *(
        Shape(
            "key header",
            mark,
            re.compile(mark + r""""?'? ?[:=] ?"?'?([^\s"'\\,;<>]{8,})"""),
            _looks_random,
            in_run=False,
        )
        for mark in ("x-api-key", "X-Api-Key", "X-API-Key", "api-key", "x-goog-api-key", "x-auth-token", "X-Auth-Token")
    ),
)

_QUERY_NAMES = (
    r"(?:x-amz-)?(?:credential|signature|security-token)|x-goog-(?:credential|signature)|api[-_]?key|apikey|key|"
    r"(?:access|auth|refresh|id|session|bearer)[-_]?token|token|client[-_]?secret|secret|sig|password|passwd|pwd|auth|"
    r"jwt|subscription-key"
)
SECRET_PARAMETER = re.compile(rf"[?&;](?i:{_QUERY_NAMES})=([^&;#\s\"'<>\\]*)")
"""A parameter of an address, or of a form, that is named like a secret; group 1 is its value."""

FORM = re.compile(r"[\w.~*%+\[\]-]++=[^\s&=]*+(?:&[\w.~*%+\[\]-]++=[^\s&=]*+)*+")
"""A whole text that is a form, or the query of an address."""

USER_INFORMATION = re.compile(r"://([^\s/?#@\"'<>\\]+)@")
"""What stands before the host of an address; group 1 is it."""

_LONG_ENOUGH = 8


def keys(text: str, runs: Sequence[re.Match[str]]) -> Iterator[Span]:
    """Yield what is shaped like a key. ``runs`` are the text's `views.blobs`; most keys are, or hold, such a run."""
    held = " ".join(run.group() for run in runs)
    for shape in SHAPES:
        if shape.mark in (held if shape.in_run else text):
            yield from _of_shape(text, shape)
    if "-----BEGIN" in text:
        yield from _private_keys(text)


def address_secrets(text: str) -> Iterator[Span]:
    """Yield the secrets of addresses in a text: parameters that are named like secrets, and passwords."""
    if "=" in text:
        for found in SECRET_PARAMETER.finditer(text):
            if found.end(1) - found.start(1) >= _LONG_ENOUGH:
                yield Span(*found.span(1), "address parameter")
    if "://" in text:
        for found in USER_INFORMATION.finditer(text):
            user, colon, password = found.group(1).partition(":")
            if colon and password:
                yield Span(found.start(1) + len(user) + 1, found.end(1), "address password")
            elif len(user) >= 16 and _looks_random(user):
                yield Span(*found.span(1), "address password")


def _of_shape(text: str, shape: Shape) -> Iterator[Span]:
    at = text.find(shape.mark)
    while at >= 0:
        after = at + len(shape.mark)
        # No key begins inside a word; a run of characters is so looked at once, however often it holds the mark.
        if at == 0 or text[at - 1] not in _WORD:
            found = shape.pattern.match(text, at)
            if found and shape.accepts(found.group(found.lastindex or 0)):
                yield Span(*found.span(found.lastindex or 0), shape.kind)
                after = found.end()
        at = text.find(shape.mark, after)


_BEGIN_KEY = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END_KEY = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"(?:\s*[A-Za-z0-9+/=]{16,}+)*")


def _private_keys(text: str) -> Iterator[Span]:
    at, ends = 0, True
    while found := _BEGIN_KEY.search(text, at):
        end = _END_KEY.search(text, found.end()) if ends else None
        ends = end is not None
        if end is None:
            # A key that was cut off: its lines, as far as they go.
            body = _KEY_BODY.match(text, found.end())
            at = body.end() if body else found.end()
        else:
            at = end.end()
        yield Span(found.start(), at, "private key")
