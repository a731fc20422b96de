"""The semantic version of the rubric, and the hashes of the texts that stood under it."""

VERSION = "1"
"""Changes with a rule: where the same evidence may get another value, or where something else must be read. A change of
wording that leaves every rule as it was keeps the version. Profiles of different versions are not compared."""

RECORDED: tuple[tuple[str, str], ...] = (("1", "e910ee75d78855c06016465142760045"),)
"""Version and hash of every text, oldest first; the last is the text as it stands.

A change of wording replaces the last hash, a change of a rule adds a pair under the next version.
"""
