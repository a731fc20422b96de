"""The local endpoint that agents of other processes are recorded through, as the fixtures describe it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_memuse.recording.passthrough import PassThrough
    from pytest_memuse.recording.session import ArcRecorder


def endpoint_of(request: pytest.FixtureRequest) -> "Callable[[ArcRecorder], PassThrough] | None":
    """Return what makes the endpoint of an arc, None where the fixture ``memuse_upstream`` names no upstream."""
    upstream = request.getfixturevalue("memuse_upstream")
    if upstream is None:
        return None
    try:
        from pytest_memuse.recording.passthrough import PassThrough
    except ModuleNotFoundError as error:
        pytest.fail(
            f"memuse_upstream names an upstream, and {error.name} is missing, which recording through a local endpoint "
            'needs: pip install "pytest-memuse[recorder]"',
            pytrace=False,
        )
    rules = tuple(request.getfixturevalue("memuse_roles"))
    return lambda recorder: PassThrough(upstream, recorder, rules=rules)
