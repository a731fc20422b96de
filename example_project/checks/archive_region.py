"""A region that only one document names: decides the episodes of the arc archive-region."""

import unittest

from workspace import setting


class Plant(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/archive.yaml", "archive.region") == "eu-north-2"


class Use(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/refunds.yaml", "archive.region") == "eu-north-2"


class Probe(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/audit.yaml", "archive.region") == "eu-north-2"
