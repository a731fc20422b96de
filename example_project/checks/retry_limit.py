"""A limit that was lowered: decides the episodes of the arc retry-limit."""

import unittest

from workspace import setting


class Plant(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/payments.env", "PAYMENTS_RETRIES") == "7x250ms"


class Update(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/payments.env", "PAYMENTS_RETRIES") == "3x1500ms"


class Probe(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("deploy/payments.env", "PAYMENTS_RETRIES") == "3x1500ms"
