"""What LiteLLM knows of a model before it is asked: whether it can be, and what its tokens cost.

Both import LiteLLM, which takes seconds: they are for runs that will ask. Nothing is fetched; the prices are those that
came with the installed version.
"""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pytest_memuse.execution.quiet_imports import quiet_import
from pytest_memuse.model import MemuseError
from pytest_memuse.model.errors import inert, nearest

_KEY = "_API_KEY"


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars of one token; ``cached`` is that of an input token which the provider's cache serves, if known."""

    input: float
    output: float
    cached: float | None = None


def price_of(model: str) -> Price | None:
    """Return the price of a model's tokens as LiteLLM's own table has it; None where it is not in there."""
    litellm = quiet_import(extra="llm")
    try:
        with _quiet():
            known: Any = litellm.get_model_info(model)
        prices = [known.get(f"{name}_cost_per_token") for name in ("input", "output")]
        cached = _amount(known.get("cache_read_input_token_cost"))
    except Exception:  # Of whatever class: what a model costs is not known then.
        return None
    read, written = map(_amount, prices)
    if read is None or written is None or not read + written > 0:
        # Models without a price are listed with zeros.
        return None
    return Price(read, written, cached)


def check_access(model: str, api_base: str | None) -> None:
    """Raise `MemuseError` where a model cannot be asked: its provider is unknown, or the environment has no key of it.

    A missing key is told only where keys are the one way in: an endpoint of one's own may want none, and some
    providers take other credentials.
    """
    litellm = quiet_import(extra="llm")
    if _is_users_own(litellm, model):
        return
    try:
        with _quiet():
            provider = str(litellm.get_llm_provider(model, api_base=api_base)[1])
    except Exception as error:
        providers = [str(getattr(each, "value", each)) for each in litellm.provider_list]
        first, slash, _ = model.partition("/")
        meant = nearest(first, providers) if slash else ""
        raise MemuseError(
            f"LiteLLM knows no provider of the model {inert(model, 120)!r}{meant}",
            reason="model",
            mend="put the provider before it: openai/gpt-5-mini, anthropic/…; for an endpoint of your own "
            "openai/NAME, with its address",
        ) from error
    if api_base is not None:
        return
    with _without_empty_keys(), _quiet():
        found = litellm.validate_environment(model)
    missing = [str(name) for name in found.get("missing_keys", ())]
    if found.get("keys_in_environment") or not missing or not all(name.endswith(_KEY) for name in missing):
        return
    raise MemuseError(
        f"there is no key for {inert(provider, 60)}, the provider of {inert(model, 120)}: the environment variable "
        f"{' or '.join(missing)} is not set; nothing was asked",
        reason="no-key",
        mend=f"export {missing[0]}=…, or name an endpoint that wants no key (`--api-base`)",
    )


def _is_users_own(litellm: Any, model: str) -> bool:
    """Whether a name is an alias or a provider that the user has given LiteLLM, which it looks up when it is asked."""
    own = [str(each["provider"]) for each in litellm.custom_provider_map]
    return model in litellm.model_alias_map or model.partition("/")[0] in own


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep back what LiteLLM's modules for a provider, imported with the first use, say of others' packages."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _without_empty_keys() -> Iterator[None]:
    """Take variables without a value for variables that are not set, which LiteLLM does not."""
    empty = [name for name, value in os.environ.items() if name.endswith(_KEY) and not value.strip()]
    saved = {name: os.environ.pop(name) for name in empty}
    try:
        yield
    finally:
        os.environ.update(saved)


def _amount(value: Any) -> float | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value < float("inf"):
        return None
    return float(value)
