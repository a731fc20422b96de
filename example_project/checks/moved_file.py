"""A module that was moved: decides the episodes of the arc moved-file."""

import unittest

from workspace import content


class Plant(unittest.TestCase):
    def test_outcome(self) -> None:
        assert "MEMBER_DISCOUNT = 8" in content("shop/pricing.py")


class Update(unittest.TestCase):
    def test_outcome(self) -> None:
        assert "FREE_SHIPPING = 6000" in content("shop/rules/pricing.py")


class Probe(unittest.TestCase):
    def test_outcome(self) -> None:
        assert "MOST_ITEMS = 50" in content("shop/rules/pricing.py")
