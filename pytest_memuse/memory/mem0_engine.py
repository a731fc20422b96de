"""Mem0 2.2.1 in its open-source local mode, opened quietly: no telemetry, no downloads, nothing outside its folder."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_memuse.model import MemuseError

COLLECTION = "memories"


class WatchedEmbedder:
    """Passes embedding calls on, and keeps the first failure, which Mem0 would only log.

    Where a batch cannot be embedded, Mem0 drops the memories and reports success. A memory that is silently lost would
    be taken for a weakness of the system under test.
    """

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self.config = embedder.config
        self._failure: Exception | None = None

    def embed(self, text: str, memory_action: str | None = None) -> Any:
        """Return the vector of a text."""
        try:
            return self._embedder.embed(text, memory_action)
        except Exception as error:
            self._failure = self._failure or error
            raise

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> Any:
        """Return the vectors of several texts; a batch that failed is not tried again text by text."""
        try:
            return self._embedder.embed_batch(list(texts), memory_action)
        except Exception as error:
            self._failure = self._failure or error
            raise

    def raise_failure(self) -> None:
        """Raise the failure that was kept, if there was one, and forget it."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure


def open_engine(
    folder: Path,
    *,
    llm_base_url: str,
    llm_model: str,
    embedder_base_url: str,
    embedder_model: str,
    embedding_dims: int,
    api_key: str,
    timeout: float,
    max_retries: int,
) -> Any:
    """Return a ``mem0.Memory`` whose store, history and settings are in ``folder``.

    Its two OpenAI clients are made here: Mem0's own would follow ``OPENROUTER_API_KEY`` to another host, and retry for
    longer than a refused request deserves. Raises `MemuseError` where Mem0 is not installed.
    """
    memory_class = _quiet_import(folder)
    memory = memory_class.from_config(
        {
            "vector_store": {
                "provider": "qdrant",
                "config": {
                    "path": str(folder / "qdrant"),
                    "collection_name": COLLECTION,
                    "embedding_model_dims": embedding_dims,
                    "on_disk": True,
                },
            },
            "llm": {
                "provider": "openai",
                "config": {"model": llm_model, "api_key": api_key, "openai_base_url": llm_base_url},
            },
            "embedder": {
                "provider": "openai",
                "config": {
                    "model": embedder_model,
                    "api_key": api_key,
                    "openai_base_url": embedder_base_url,
                    "embedding_dims": embedding_dims,
                },
            },
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.vector_store._bm25_encoder = False  # The same mark for fastembed; see `_quiet_import`.
    import openai

    memory.llm.client.close()
    memory.embedding_model.client.close()
    memory.llm.client = openai.OpenAI(api_key=api_key, base_url=llm_base_url, timeout=timeout, max_retries=max_retries)
    memory.embedding_model.client = openai.OpenAI(
        api_key=api_key, base_url=embedder_base_url, timeout=timeout, max_retries=max_retries
    )
    memory.embedding_model = WatchedEmbedder(memory.embedding_model)
    return memory


def close_engine(memory: Any) -> None:
    """Release every resource of a ``mem0.Memory``; its own ``close`` leaves the vector store's lock behind."""
    llm, embedder = memory.llm.client, memory.embedding_model._embedder.client
    with contextlib.ExitStack() as stack:
        stack.callback(llm.close)
        stack.callback(embedder.close)
        stack.callback(memory.vector_store.client.close)
        stack.callback(memory.close)


def _quiet_import(folder: Path) -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    saved = {name: os.environ.get(name) for name in ("MEM0_DIR", "MEM0_TELEMETRY")}
    os.environ.update({"MEM0_DIR": str(folder), "MEM0_TELEMETRY": "False"})
    try:
        import mem0
        from mem0.memory import main, setup, telemetry
        from mem0.utils import spacy_models
    except ImportError as error:
        raise MemuseError(
            f"Mem0 cannot be imported: {error}",
            reason="memory-not-installed",
            mend="pip install 'pytest-memuse[mem0]'",
        ) from error
    finally:
        for name, value in saved.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
    # Where something imported Mem0 before, with its telemetry on: its calls would be recorded as the memory's own.
    telemetry.MEM0_TELEMETRY = main.MEM0_TELEMETRY = False
    # Mem0 reads its folder once at import and writes a settings file there whenever a store is opened. By then the
    # folder of the arc that came first may be gone.
    setup.mem0_dir = str(folder)
    # With spaCy or fastembed installed Mem0 downloads models and ranks differently. It has no switch for that; these
    # are its own marks for "tried, not available".
    spacy_models._load_failed_full = True
    spacy_models._load_failed_lemma = True
    return mem0.Memory
