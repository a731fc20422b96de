"""What an extraction finds in a conversation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Statement:
    """A value stated of a subject; ``instead`` is the value that it is said to replace, empty where none is named.

    The subject is empty where only the replaced value tells it.
    """

    subject: str
    value: str
    instead: str = ""
