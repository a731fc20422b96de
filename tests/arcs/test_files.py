"""Files of the user's own arcs."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_memuse.arcs.files import load_arcs, schema
from pytest_memuse.arcs.leaks import LeakError
from pytest_memuse.arcs.running import run_arc
from pytest_memuse.arcs.scripted import ScriptedModel
from pytest_memuse.arcs.types import Kind
from pytest_memuse.model.errors import FormatError, MemuseError
from tests.arcs.sessions import FixedMemory, told_everything

FILE = """\
domain: lockers
world:
  lockers:
    - {locker: L-12, city: Bergen, opening_code: "0000"}
    - {locker: L-40, city: Molde, opening_code: "5512"}
tools:
  - {name: get_locker, about: Look up a locker., read: lockers, by: locker}
  - {name: find_lockers, about: Search lockers by city., read: lockers, search: city}
  - {name: set_code, about: Set a locker's opening code., change: lockers, by: locker, set: opening_code}
  - {name: add_note, about: Keep a note., add: notes, set: {text: {about: What to note.}}}
arcs:
  - id: revised-code
    tier: hard
    episodes:
      - id: plant
        kind: plant
        user: The agreed code of locker L-12 is 7731. Please do not act on it yet.
        gold: [{subject: agreed code of locker L-12, value: "7731"}]
      - id: update
        kind: update
        user: A correction. The agreed code of locker L-12 is now 8264. Leave everything as it is until I ask.
        gold: [{subject: agreed code of locker L-12, value: "8264", superseded: "7731"}]
      - id: other
        kind: independent
        user: Use set_code with locker = L-40 and opening_code = 9090.
        check: {table: lockers, where: {locker: L-40}, expects: {opening_code: "9090"}}
      - id: probe
        kind: probe
        user: [Use set_code with locker = L-12 and opening_code = the agreed code of locker L-12., Thank you.]
        gold: [{subject: agreed code of locker L-12, value: "8264", superseded: ["7731"]}]
        check: {table: lockers, where: {locker: L-12}, expects: {opening_code: "8264"}}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "lockers.yaml"


def test_an_arc_from_a_file_runs_as_a_generated_one_does(path: Path) -> None:
    path.write_text(FILE)
    (arc,) = load_arcs(path)
    assert [tool.name for tool in arc.tools] == ["get_locker", "find_lockers", "set_code", "add_note"]
    told = run_arc(arc, lambda _: told_everything(arc), ScriptedModel(), condition="told")
    assert [scored.success for scored in told.scored] == [True] * 4
    without = run_arc(arc, lambda _: FixedMemory(), ScriptedModel(), condition="none")
    assert [scored.success for scored in without.scored if scored.kind is Kind.PROBE] == [False]


@pytest.mark.parametrize(
    ("old", "new", "field", "said"),
    [
        ('value: "7731"}]', "value: 7731}]", "arcs.0.episodes.0.gold.0.value", "put quotes around numbers"),
        ("city: Molde", "city: 2027-05-14", "world.lockers.1.city", "put quotes around numbers"),
        ("read: lockers, by: locker", "raed: lockers, by: locker", "tools.0", "did you mean 'read'"),
        ("read: lockers, by: locker", "read: lockers, put: lockers, by: locker", "tools.0", "has one of `read`"),
        ("change: lockers, by: locker", "change: lockers", "tools.2", "`by`, the columns that choose"),
        ("name: get_locker", "name: Get-Locker", "tools.0.name", "is no name"),
        ("name: find_lockers", "name: get_locker", "", "tool 'get_locker' is there twice"),
        ("id: update", "id: plant", "arcs.0", "episode 'plant' is there twice"),
        ("kind: independent", "kind: probe", "arcs.0.episodes.2", "has `gold` facts"),
        ("kind: independent", "kind: plants", "arcs.0.episodes.2.kind", "'plant', 'update', 'probe'"),
        ("L-12 is 7731", "L-12 is secret", "arcs.0.episodes.0.gold.0.value", "never says the value '7731'"),
        ('superseded: ["7731"]', "superseded: []", "arcs.0.episodes.3.gold.0.superseded", "'7731'"),
        ('value: "8264", superseded: [', 'value: "7731", superseded: [', "arcs.0.episodes.3.gold.0.value", "latest"),
        ("kind: plant", "kind: update", "arcs.0.episodes.0.gold.0.subject", "no episode before it plants"),
        ("expects: {opening_code: \"8264\"}", "expects: {code: \"1\"}", "arcs.0.episodes.3.check", "opening_code"),
        ("expects: {opening_code: \"9090\"}", "expects: {city: Molde}", "arcs.0.episodes.2.check", "before anything"),
        ("expects: {opening_code: \"9090\"}", "", "arcs.0.episodes.2.check.0", "`expects` or `contains`"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_with_its_field_and_how_to_mend_it(
    path: Path, old: str, new: str, field: str, said: str
) -> None:
    assert old in FILE
    path.write_text(FILE.replace(old, new, 1))
    with pytest.raises(FormatError) as raised:
        load_arcs(path)
    assert (raised.value.field or "").startswith(field)
    assert said in str(raised.value)
    assert str(path) in str(raised.value)
    assert "to mend: " in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "channel"),
    [
        ("Thank you.", "It was 8264.", "prompt"),
        ("about: Look up a locker.", "about: Look up a locker such as 8264.", "prompt"),
        ("city: Molde", "city: '8,264'", "world"),
        ("city: Molde", "city: Molde 8264", "tool"),
        ("opening_code = 9090", "opening_code = 9090. Not 7731", "other episode"),
    ],
)
def test_a_file_whose_probes_could_be_solved_without_memory_is_refused(
    path: Path, old: str, new: str, channel: str
) -> None:
    assert old in FILE
    path.write_text(FILE.replace(old, new, 1))
    with pytest.raises(LeakError, match="revised-code") as raised:
        load_arcs(path)
    assert channel in {leak.channel for leak in raised.value.leaks}
    assert str(path) in str(raised.value)


def test_a_missing_file_and_one_that_is_no_yaml_are_told(path: Path) -> None:
    with pytest.raises(FormatError, match="no such file of arcs"):
        load_arcs(path)
    path.write_text("a: [")
    with pytest.raises(FormatError, match="not valid YAML"):
        load_arcs(path)
    path.write_bytes(b"domain: \xff")
    with pytest.raises(FormatError, match="UTF-8"):
        load_arcs(path)


@settings(max_examples=30)
@given(st.integers(0, len(FILE) - 1), st.sampled_from(["", "\n", "{", "[", "'", "- ", ": ", "&a ", "*a ", "0", "é"]))
def test_a_damaged_file_is_refused_or_read_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, place: int, instead: str
) -> None:
    path = tmp_path_factory.mktemp("damaged") / "arcs.yaml"
    path.write_text(FILE[:place] + instead + FILE[place + 1 :])
    told = str(path)
    try:
        load_arcs(path)
    except MemuseError as error:
        told = str(error)
    assert str(path) in told


def test_the_schema_names_every_field_of_an_episode() -> None:
    assert set(schema()["$defs"]["EpisodeField"]["properties"]) == {"id", "kind", "user", "gold", "check"}


def test_a_tool_that_can_be_called_in_too_many_ways_to_try_is_refused(path: Path) -> None:
    rows = "".join(f"    - {{locker: L-{n}, city: c{n}, opening_code: o{n}}}\n" for n in range(300))
    both = FILE.replace("read: lockers, by: locker", "read: lockers, by: [locker, city]")
    path.write_text(both.replace('    - {locker: L-40, city: Molde, opening_code: "5512"}\n', rows))
    with pytest.raises(FormatError, match="cannot all be tried") as raised:
        load_arcs(path)
    assert raised.value.field == "tools"
