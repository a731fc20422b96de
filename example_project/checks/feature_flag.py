"""A flag that was replaced: decides the episodes of the arc feature-flag."""

import unittest

from workspace import setting


class Plant(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/flags.toml", "checkout.flag") == "fast-cart"


class Update(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/flags.toml", "checkout.flag") == "one-page-cart"


class Probe(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/flags-beta.toml", "checkout.flag") == "one-page-cart"
