"""Who may use the pass-through: programs of this machine that mean it, and no web page (DNS rebinding)."""

from urllib.parse import urlsplit

from pytest_memuse.recording.passthrough.addresses import LOOPBACK_NAMES


def refusal(host: str | None, origin: str | None, target: str, port: int) -> str | None:
    """Say why a request is refused, None where it is not.

    ``host`` and ``origin`` are the values of these headers. A page whose name was made to lead to this machine sends
    its own name as host; a page that addresses this machine openly sends its origin.
    """
    if not host or _place(f"//{host}") not in {(name, port) for name in LOOPBACK_NAMES}:
        return "the Host header does not name this endpoint; use its address as it is, 127.0.0.1 with its port"
    if origin is not None and _place(origin)[0] not in LOOPBACK_NAMES:
        return "requests of web pages are not passed on"
    if not target.startswith("/"):
        return "this is an endpoint for `base_url`, no proxy: the request must name a path, not an address"
    return None


def _place(address: str) -> tuple[str, int | None]:
    try:
        parts = urlsplit(address)
        return parts.hostname or "", parts.port
    except ValueError:
        return "", None
