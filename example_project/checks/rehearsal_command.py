"""A command that changed: decides the episodes of the arc rehearsal-command."""

import unittest

from workspace import content


class Plant(unittest.TestCase):
    def test_outcome(self) -> None:
        assert content("reports/rehearsal.txt") == "cart: went through with seed 1187\n"


class Update(unittest.TestCase):
    def test_outcome(self) -> None:
        assert (
            content("reports/rehearsal.txt") == "cart: went through with seed 2203\ntax: went through with seed 2203\n"
        )


class Probe(unittest.TestCase):
    def test_outcome(self) -> None:
        assert (
            content("reports/rehearsal.txt") == "cart: went through with seed 2203\ntax: went through with seed 2203\n"
        )
