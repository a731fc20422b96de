"""When two JSON values are the same, with the order of their keys and without."""

import json
from typing import Any

from pytest_memuse.model.digests import text_digest


def ordered_digest(value: Any, digest: str) -> str:
    """Return the digest of a value whose keys are taken in their order; ``digest`` is that which minds no order."""
    if not isinstance(value, dict):
        return digest
    return text_digest(json.dumps(value, separators=(",", ":"), ensure_ascii=False))


def common_prefix(base: list[Any], value: list[Any], *, ordered: bool) -> int:
    """Return how many elements two lists begin with that are the `same`."""
    pairs = zip(base, value, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if not same(a, b, ordered=ordered)), min(len(base), len(value)))


def same(one: Any, other: Any, *, ordered: bool) -> bool:
    """Tell whether two values are the same as JSON; some that Python holds equal (1, 1.0 and true) are not.

    Where they are ``ordered``, objects whose keys come in different orders are not either.
    """
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        if len(one) != len(other) or (ordered and list(one) != list(other)):
            return False
        return all(key in other and same(item, other[key], ordered=ordered) for key, item in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(same(a, b, ordered=ordered) for a, b in zip(one, other, strict=True))
    return repr(one) == repr(other) if isinstance(one, float) else bool(one == other)
