"""Which upstream a path of the pass-through leads to, and in what role: the only rewriting that is done of a path.

A path is passed on as it was sent, after its prefixes: ``/as/ROLE`` says who asks, ``/NAME`` which upstream is meant
where several are given. So a client is given the upstream's own base URL with another origin.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from pytest_memuse.model import Actor
from pytest_memuse.model.errors import MemuseError, nearest, printable

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_TAKEN = frozenset({"as", "memuse"})
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Upstream:
    """An API that requests are passed on to. ``path`` is that of its base URL; ``name`` is empty where it is the only
    one."""

    name: str
    scheme: str
    host: str
    port: int | None
    path: str

    @classmethod
    def parse(cls, name: str, url: str) -> "Upstream":
        """Read a base URL. Raises `MemuseError` for what cannot be one, naming no secret that stands in it."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise _refused(name, "it is no address") from None
        if parts.scheme not in _PORTS or not host or not host.isascii() or not url.isprintable() or " " in url:
            raise _refused(name, "it must be http://HOST/PATH or https://HOST/PATH")
        if parts.username is not None or parts.password is not None:
            raise _refused(name, "it holds a user name or a password; keys are for the client to send")
        if parts.query or parts.fragment:
            raise _refused(name, "it holds a query or a fragment")
        return cls(name, parts.scheme, host, port, parts.path.rstrip("/"))

    @property
    def authority(self) -> str:
        """Host and port as a Host header gives them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    def is_at(self, port: int) -> bool:
        """Tell whether it is this machine's loopback at a port."""
        own = self.host in LOOPBACK_NAMES or self.host.startswith("127.") or self.host == "0.0.0.0"
        return own and (self.port or _PORTS[self.scheme]) == port


@dataclass(frozen=True, slots=True)
class Route:
    """Where a request goes. ``target`` is path and query as they were sent, without our prefixes."""

    upstream: Upstream
    role: Actor | None
    target: str

    @property
    def uri(self) -> str:
        """The address that the upstream is asked at, which is the one that is recorded."""
        return self.upstream.origin + self.target


@dataclass(frozen=True, slots=True)
class Routes:
    """The upstreams of a pass-through, the first of which is the default."""

    upstreams: tuple[Upstream, ...]

    @classmethod
    def parse(cls, upstreams: str | Mapping[str, str]) -> "Routes":
        """Read one base URL, or several by name. Raises `MemuseError` for one that cannot be used."""
        if isinstance(upstreams, str):
            return cls((Upstream.parse("", upstreams),))
        found = tuple(Upstream.parse(name, url) for name, url in upstreams.items())
        if not found:
            raise MemuseError("no upstream is given", reason="upstream", mend='give one: "https://api.openai.com/v1"')
        segments = {upstream.path.split("/")[1] for upstream in found if upstream.path} | _TAKEN
        for upstream in found:
            if not _NAME.fullmatch(upstream.name) or upstream.name in segments:
                raise MemuseError(
                    f"an upstream cannot be named {printable(upstream.name)!r}",
                    reason="upstream",
                    mend="a name is lower-case letters, digits and dashes, and not how an upstream's path begins, "
                    "nor `as` or `memuse`",
                )
        return cls(found)

    @property
    def as_data(self) -> dict[str, str]:
        """The upstreams as they were given, for a recording's fingerprint."""
        return {upstream.name: upstream.origin + upstream.path for upstream in self.upstreams}

    def route(self, target: str) -> Route:
        """Return where a request's target leads. Raises `MemuseError` for a role that is none."""
        role, rest = None, target
        if rest.startswith("/as/"):
            word, slash, tail = rest[4:].partition("/")
            role, rest = role_named(word), slash + tail or "/"
        for upstream in self.upstreams:
            prefix = f"/{upstream.name}"
            if upstream.name and (rest == prefix or rest.startswith((prefix + "/", prefix + "?"))):
                found = rest[len(prefix) :]
                return Route(upstream, role, found if found.startswith("/") else "/" + found)
        return Route(self.upstreams[0], role, rest)

    def named(self, name: str) -> Upstream:
        """Return an upstream; the first one for an empty name. Raises `MemuseError` for an unknown name."""
        found = next((u for u in self.upstreams if u.name == name), None if name else self.upstreams[0])
        if found is None:
            known = [upstream.name for upstream in self.upstreams if upstream.name]
            raise MemuseError(
                f"there is no upstream {printable(name)!r}{nearest(name, known)}",
                reason="upstream",
                mend=f"there are {', '.join(known)}" if known else "there is one upstream, and it has no name",
            )
        return found

    def local_path(self, name: str = "", role: Actor | None = None) -> str:
        """Return the path of the base URL that a client of an upstream is given."""
        upstream = self.named(name)
        return (f"/as/{role}" if role else "") + (f"/{upstream.name}" if upstream.name else "") + upstream.path


def role_named(word: str) -> Actor:
    """Return the role of a name. Raises `MemuseError` listing the roles that there are."""
    try:
        return Actor(word)
    except ValueError:
        raise MemuseError(
            f"{printable(word)!r} is no role{nearest(word, [actor.value for actor in Actor])}",
            reason="role",
            mend=f"roles are {', '.join(Actor)}",
        ) from None


def _refused(name: str, problem: str) -> MemuseError:
    told = f"the address of upstream {name!r}" if name else "the upstream's address"
    return MemuseError(
        f"{told} cannot be used: {problem}",
        reason="upstream",
        mend='give the base URL that the client would be given, as "https://api.openai.com/v1"',
    )
