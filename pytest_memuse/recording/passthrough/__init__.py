"""The pass-through recorder: an endpoint that agents in any language are pointed at (the extra `recorder`)."""

from pytest_memuse.recording.passthrough.server import PassThrough

__all__ = ["PassThrough"]
