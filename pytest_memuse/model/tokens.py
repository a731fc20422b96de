"""The one estimate of tokens, for text whose tokens nobody counted (MemUse A.4.4)."""


def estimated_tokens(characters: int) -> int:
    """Return a quarter of the characters, rounded down."""
    return characters // 4
