"""What a recorded model call says, by API: messages of the request, the response, usage; streams are put together.

Chat Completions, Responses, Anthropic's Messages and embeddings are read, each at any address. A call of another API
has an input that cannot be read and is marked as a gap.
"""

from pytest_memuse.recording.dialects.calls import (
    CallReader,
    answering_models,
    api_of,
    completes,
    conversation,
    read_call,
    read_request,
)
from pytest_memuse.recording.dialects.fields import text_of
from pytest_memuse.recording.dialects.types import Api, ReadCall, ReadRequest

__all__ = [
    "Api",
    "CallReader",
    "ReadCall",
    "ReadRequest",
    "answering_models",
    "api_of",
    "completes",
    "conversation",
    "read_call",
    "read_request",
    "text_of",
]
