"""Who made a call: by what it is, by what is said of it, and by what goes on around it."""

import pytest

from pytest_memuse.model import Actor
from pytest_memuse.recording.roles import Asked, RoleRule, actor_of, role_by_rule

_BASE = "https://api.example/v1"


@pytest.mark.parametrize(
    ("path", "said", "in_memory", "actor"),
    [
        ("/chat/completions", None, False, Actor.AGENT),
        ("/responses", None, False, Actor.AGENT),
        ("/messages", None, False, Actor.AGENT),
        ("/chat/completions?api-version=1", None, False, Actor.AGENT),
        ("/chat/completions", None, True, Actor.MEMORY),
        ("/chat/completions", Actor.AGENT, True, Actor.AGENT),
        ("/chat/completions", Actor.MEMORY, False, Actor.MEMORY),
        ("/embeddings", None, False, Actor.EMBEDDING),
        ("/embeddings", Actor.AGENT, True, Actor.EMBEDDING),
        ("/embeddings", Actor.MEMORY, False, Actor.EMBEDDING),
        ("/messages/count_tokens", None, False, None),
        ("/files", Actor.AGENT, False, None),
        ("/rerank", Actor.MEMORY, False, Actor.MEMORY),
        ("/rerank", None, True, Actor.MEMORY),
    ],
)
def test_who_made_a_request(path: str, said: Actor | None, in_memory: bool, actor: Actor | None) -> None:
    assert actor_of("POST", _BASE + path, role=said, in_memory=in_memory) is actor


def test_what_the_memory_system_only_looks_up_through_the_endpoint_is_no_call() -> None:
    assert actor_of("GET", f"{_BASE}/models", role=Actor.MEMORY) is None


def test_the_first_rule_that_fits_decides() -> None:
    rules = (
        RoleRule(Actor.AGENT, model="small-agent"),
        RoleRule(Actor.MEMORY, model="small-*", path="*/chat/*"),
        RoleRule(Actor.EMBEDDING, header="X-Use", value="vectors"),
    )

    def role(model: str = "", path: str = "/v1/chat/completions", **headers: str) -> Actor | None:
        return role_by_rule(Asked("POST", f"https://api.example{path}", model, headers), rules)

    assert role("small-agent") is Actor.AGENT
    assert role("small-1") is Actor.MEMORY
    assert role("small-1", "/v1/responses") is None
    assert role("large", **{"x-use": "vectors"}) is Actor.EMBEDDING
    assert role("large", **{"x-use": "other"}) is None
