"""Evaluate an agent's memory at its point of use, and gate the build on it."""

from typing import Final

__version__: Final = "0.1.0"
