"""A port that changed: decides the episodes of the arc changed-port."""

import unittest

from workspace import setting


class Plant(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/service.ini", "billing.port") == "8081"


class Update(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/service.ini", "billing.port") == "9091"


class Probe(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("deploy/staging.ini", "billing.port") == "9091"
