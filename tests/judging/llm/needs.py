"""What the tests of asking a model need."""

from importlib.util import find_spec

import pytest


def need_litellm() -> None:
    """Skip the calling module or test where LiteLLM is missing. It is not imported here: that may use the network."""
    if find_spec("litellm") is None:
        pytest.skip("the judge asks its model through the extra `llm`", allow_module_level=True)
