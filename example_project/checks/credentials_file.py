"""A credentials file with a new name: decides the episodes of the arc credentials-file."""

import unittest

from workspace import setting


class Plant(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("deploy/release.ini", "deploy.credentials_file") == "secrets/deployer.json"


class Update(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("deploy/release.ini", "deploy.credentials_file") == "secrets/robot-deploy.json"


class Probe(unittest.TestCase):
    def test_outcome(self) -> None:
        assert setting("deploy/hotfix.ini", "deploy.credentials_file") == "secrets/robot-deploy.json"
