"""Serve the scripted model: ``python -m pytest_memuse.agents.scripted --port 8000``."""

import argparse
import contextlib

from pytest_memuse.agents.scripted.server import ScriptedModel


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m pytest_memuse.agents.scripted", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0 takes a free one")
    with ScriptedModel(port=parser.parse_args().port) as model:
        print(f"serving the scripted model at {model.base_url}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            model.wait()


if __name__ == "__main__":
    main()
