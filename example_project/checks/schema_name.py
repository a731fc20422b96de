"""A database schema that was renamed: decides the episodes of the arc schema-name."""

import unittest

from workspace import setting


class Plant(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/reports.toml", "reporting.schema") == "sales_mart"


class Update(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/reports.toml", "reporting.schema") == "sales_core"


class Probe(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("config/export.toml", "reporting.schema") == "sales_core"
