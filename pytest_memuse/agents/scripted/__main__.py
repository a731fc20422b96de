"""Serve the scripted model: ``python -m pytest_memuse.agents.scripted --port 8000``."""

import argparse
import contextlib

from pytest_memuse.agents.scripted.server import ScriptedModel
from pytest_memuse.model import MemuseError


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m pytest_memuse.agents.scripted", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--variation", type=float, default=0.0, help="0 (always the same) to 1: how much it varies")
    parser.add_argument("--misses", type=float, help="share of memory's hints that it misses; default: variation / 4")
    parser.add_argument("--seed", type=int, default=0, help="which of the varying versions it is")
    given = parser.parse_args()
    try:
        served = ScriptedModel(given.port, variation=given.variation, misses=given.misses, seed=given.seed)
    except MemuseError as error:
        parser.error(str(error))
    with served as model:
        print(f"serving the scripted model at {model.base_url}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            model.wait()


if __name__ == "__main__":
    main()
