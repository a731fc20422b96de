"""A fix that another one superseded: decides the episodes of the arc superseded-fix."""

import unittest

from workspace import setting


class Plant(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/checkout.yaml", "checkout.rounding") == "truncate"


class Update(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/checkout.yaml", "checkout.rounding") == "half-even"


class Probe(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/kiosk.yaml", "checkout.rounding") == "half-even"
