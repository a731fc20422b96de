"""An endpoint that got a new version: decides the episodes of the arc api-path."""

import unittest

from workspace import setting


class Plant(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/clients.json", "inventory.endpoint") == "/v2/stock"


class Update(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/clients.json", "inventory.endpoint") == "/v3/levels"


class Probe(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/mobile.json", "inventory.endpoint") == "/v3/levels"
