"""The page about conditions shows code that runs and what it really prints."""

import ast
import re
from dataclasses import fields
from pathlib import Path

import pytest

from pytest_memuse.memory.conditions import CONDITIONS, Settings

_PAGE = (Path(__file__).parents[3] / "docs" / "conditions.md").read_text(encoding="utf-8")
_EXAMPLES = re.findall(r"```python\n(.*?)```", _PAGE, re.DOTALL)


def test_the_example_of_all_six_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(_EXAMPLES[0], "conditions.md", "exec"), {})
    (shown,) = re.findall(r"```text\n(.*?)```", _PAGE, re.DOTALL)
    assert capsys.readouterr().out == shown


def test_every_example_is_python_whose_imports_from_here_are_there() -> None:
    assert len(_EXAMPLES) == 6
    for example in _EXAMPLES:
        imports = [
            node
            for node in ast.parse(example).body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pytest_memuse")
        ]
        exec(compile(ast.Module(list(imports), []), "conditions.md", "exec"), {})


def test_the_page_names_every_condition_and_every_setting() -> None:
    assert [name for name in CONDITIONS if f"| `{name}` (C" not in _PAGE] == []
    assert [setting.name for setting in fields(Settings) if f"`{setting.name}`" not in _PAGE] == []
