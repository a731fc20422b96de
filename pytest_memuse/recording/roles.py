"""Who made a model call: agent, memory system or embedding, by what is said of it, what goes on around it, and rules.

Only the agent's calls are steps (MemUse A.1.1, role bindings), so the memory system's own calls must not pass for them.
"""

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pytest_memuse.model import Actor

MODEL_PATHS = ("/chat/completions", "/responses", "/messages")
"""How the paths of model calls end: Chat Completions, Responses, Anthropic Messages."""

EMBEDDING_PATH = "/embeddings"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a role rule may look at. ``headers`` have lower-case names; ``model`` is empty where none is named."""

    method: str
    uri: str
    model: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RoleRule:
    """Gives a role to the model calls that it fits. Every pattern that is given must fit, as a shell pattern does.

    ``path`` is compared with the address's path, ``model`` with the model that the request names, ``value`` with the
    value of the header ``header``. Letters' case matters in all but the header's name.
    """

    actor: Actor
    path: str = "*"
    model: str = "*"
    header: str = ""
    value: str = "*"

    def fits(self, asked: Asked) -> bool:
        """Tell whether the rule gives its role to a call."""
        if self.header:
            sent = asked.headers.get(self.header.lower())
            if sent is None or not fnmatch.fnmatchcase(sent, self.value):
                return False
        path = urlsplit(asked.uri).path
        return fnmatch.fnmatchcase(path, self.path) and fnmatch.fnmatchcase(asked.model, self.model)


def role_by_rule(asked: Asked, rules: Sequence[RoleRule]) -> Actor | None:
    """Return the role that the first fitting rule gives, None where none fits."""
    return next((rule.actor for rule in rules if rule.fits(asked)), None)


def actor_of(method: str, uri: str, *, role: Actor | None = None, in_memory: bool = False) -> Actor | None:
    """Return who made a request, None where it is no model call.

    An embedding is one whoever asked for it. ``role`` is what a header, a path prefix or a rule says; ``in_memory``
    says that the memory system is at work, and decides where ``role`` says nothing. Whatever the memory system asks is
    its own, a reranker's path too; the agent's requests are model calls at the paths of models only.
    """
    path = urlsplit(uri).path
    if path.endswith(EMBEDDING_PATH):
        return Actor.EMBEDDING
    if role is None and in_memory:
        return Actor.MEMORY
    if path.endswith(MODEL_PATHS):
        return role or Actor.AGENT
    return role if role is Actor.MEMORY and method.upper() == "POST" else None
