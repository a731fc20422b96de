"""Decides the episodes in other projects."""

import unittest

from workspace import setting


class Blog(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("site.ini", "site.theme") == "paper"


class Warehouse(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("scanner.ini", "scanner.model") == "hx-300"


class Mobile(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("release.ini", "app.channel") == "canary"


class Analytics(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("report.ini", "report.locale") == "pt-BR"
