"""A build that needs odd options: decides the episodes of the arc build-quirk."""

import unittest

from workspace import content


class Plant(unittest.TestCase):
    def test_outcome(self) -> None:
        assert content("build/manifest.txt") == "app.js 0\ncart.js 0\nstyle.css 0\n"


class Use(unittest.TestCase):
    def test_outcome(self) -> None:
        assert content("build/manifest.txt") == "app.js 0\ncart.js 0\nstyle.css 0\n"


class Probe(unittest.TestCase):
    def test_outcome(self) -> None:
        assert content("build/manifest.txt") == "app.js 0\ncart.js 0\nstyle.css 0\n"
