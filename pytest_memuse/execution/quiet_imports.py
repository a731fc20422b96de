"""Importing LiteLLM and what is built on it, without what they do to the user's machine when they are imported."""

import contextlib
import importlib
import os
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any

from pytest_memuse.model import MemuseError


def quiet_import(*names: str, extra: str) -> Any:
    """Import modules that use LiteLLM, and return LiteLLM.

    There is no banner, no folder made in the user's home, no settings read from there, no price list fetched. Raises
    `MemuseError`, naming the ``extra`` of the product to install, where one cannot be imported.
    """
    try:
        with _quiet():
            litellm: Any = importlib.import_module("litellm")
            for name in names:
                importlib.import_module(name)
    except ImportError as error:
        raise MemuseError(
            f"{names[0] if names else 'litellm'} cannot be imported: {error}",
            reason="not-installed",
            mend=f"pip install 'pytest-memuse[{extra}]'",
        ) from error
    litellm.suppress_debug_info = True
    return litellm


def settle(litellm: Any) -> None:
    """Have LiteLLM build what it only builds with its first completion, without the warnings of doing so.

    The completion is one that it makes up itself: nothing is sent, and none of its callbacks is told.
    """
    with warnings.catch_warnings(), contextlib.suppress(Exception):
        warnings.simplefilter("ignore")
        made_up: dict[str, Any] = {"mock_response": "made up", "no-log": True}
        litellm.completion(model="openai/made-up", messages=[{"role": "user", "content": "made up"}], **made_up)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="memuse-import-") as folder:
        names = {
            "MSWEA_SILENT_STARTUP": "1",
            "MSWEA_GLOBAL_CONFIG_DIR": folder,
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }
        saved = {name: os.environ.get(name) for name in names}
        os.environ.update(names)
        try:
            with warnings.catch_warnings():
                # Of what LiteLLM asks of pydantic; none of it is the user's to mend.
                warnings.simplefilter("ignore")
                yield
        finally:
            for name, value in saved.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value
