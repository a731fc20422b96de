"""A queue that was renamed: decides the episodes of the arc renamed-queue."""

import unittest

from workspace import setting


class Plant(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/worker.yaml", "orders.queue") == "orders-inbox"


class Update(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/worker.yaml", "orders.queue") == "orders-eu-inbox"


class Probe(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/replay.yaml", "orders.queue") == "orders-eu-inbox"
