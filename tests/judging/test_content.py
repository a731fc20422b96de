import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.judging.content import MOST_CONTENTS, Kind, contents_of
from pytest_memuse.judging.occurrences import Grade, occurrences
from pytest_memuse.judging.reading import Reading

SAME = [
    ("port 8 080", "PORT=8080"),
    ("port 8,080", "port: 8_080"),
    ("a limit of 12,500 rows", "limit = 12500"),
    ("wait 250 ms", "time.sleep(0.25)"),
    ("wait 1.5 s", "timeout_ms: 1500"),
    ("a cache of 512 MiB", "cache_bytes=536870912"),
    ("ends on 1 March 2027", "eol = '2027-03-01'"),
    ("ends on 2027-03-01", "eol: March 1st, 2027"),
    ("costs $1,250.00", "amount: 1250"),
    ("a discount of 17.5 %", "discount = 0.175"),
    ("set max_carry_days", "maxCarryDays: 3"),
    ("set maxCarryDays", "max-carry-days"),
    ("host ATLAS-DB07", "ssh atlas-db07.intern"),
    ("see ./apps/spool.py", "cat apps/spool.py"),
    ("see tools/pricing/regen.py", "python -m tools.pricing.regen"),
    ("at https://mirror.holm.example/simple/", "curl mirror.holm.example/simple"),
    ("pass --with-unpublished", "sitemap --with-unpublished=yes"),
    ("says “Brass Lantern”", "grep 'brass lantern' x"),
    ("column gro\u0308\u00dfe_max", "select gr\u00f6\u00dfe_max"),
    ("run make hydrate first", "make hydrate"),
    ("repeat with GET", "retry_with_get(url)"),
]


@pytest.mark.parametrize(("entry", "action"), SAME)
def test_content_is_found_in_another_spelling(entry: str, action: str) -> None:
    reading = Reading(action)
    assert any(o.grade is Grade.FULL for c in contents_of(entry) for o in occurrences(c, reading))


@pytest.mark.parametrize(
    ("entry", "action"),
    [
        ("port 8080", "port: 8081"),
        ("a timeout of 250 ms", "timeout: 250 MB"),
        ("version 3.10.1", "version 3.1.1"),
        ("set max_carry_days", "max_days"),
        ("pass --full", "full"),
        ("repeat with GET", "get(url)"),
        ("release 1.10", "release 11.0"),
    ],
)
def test_content_is_not_found_in_what_is_another_thing(entry: str, action: str) -> None:
    reading = Reading(action)
    assert not any(o.grade is Grade.FULL for c in contents_of(entry) for o in occurrences(c, reading))


@pytest.mark.parametrize(
    "advice",
    [
        "always run the test suite before submitting",
        "read the code before you change a file",
        "use `git status` and `pytest -q` often",
        "look into README.md and setup.py first",
        "this is an up-to-date, read-only and/or off-by-one matter, i.e. nothing",
        "IMPORTANT: the API returns JSON over HTTP",
    ],
)
def test_general_advice_has_no_content(advice: str) -> None:
    assert contents_of(advice) == ()


@pytest.mark.parametrize("number", range(10))
def test_a_small_number_alone_is_no_evidence(number: int) -> None:
    (content,) = contents_of(f"deploys need {number} approvals")
    assert occurrences(content, Reading(f"ls -t releases | head -{number}")) == []


def test_a_number_of_everyday_size_needs_a_shared_purpose() -> None:
    (content,) = contents_of("the pilot is limited to 100 customers")
    assert [o.grade for o in occurrences(content, Reading("customers = 100"))] == [Grade.FULL]
    assert [o.grade for o in occurrences(content, Reading("tail -n 100 audit.log"))] == [Grade.PARTIAL]


def test_what_an_entry_advises_against_is_marked() -> None:
    marked = {c.written: c.advised_against for c in contents_of("never run tools/old.sh, use tools/new_one.sh")}
    assert marked == {"tools/old.sh": True, "tools/new_one.sh": False}


PLAIN = st.lists(st.sampled_from(["the", "file", "is", "in", "a", "test", "and", "then", "run"]), max_size=8).map(
    " ".join
)


@given(before=PLAIN, after=PLAIN, case=st.sampled_from(SAME))
def test_extraction_is_invariant_under_the_text_around(before: str, after: str, case: tuple[str, str]) -> None:
    core = [(c.kind, c.name) for c in contents_of(case[0])]
    assert [(c.kind, c.name) for c in contents_of(f"{before}\n{case[0]}\n{after}")] == core


@given(st.text(max_size=300))
def test_any_text_is_found_in_itself(text: str) -> None:
    reading = Reading(text)
    for content in contents_of(text):
        if content.kind is not Kind.QUANTITY:
            assert occurrences(content, reading), content


HOSTILE = [
    "a",
    "_",
    "a-",
    "1 ",
    "1,",
    "1.",
    "`",
    '"',
    "“",
    "a/",
    "A",
    "aB",
    "(",
    "--a",
    "1 000",
    "$",
    "ﷺ",
    "s/a/",
    "make ",
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_what_is_kept_of_a_hostile_text_grows_no_faster_than_the_text(unit: str) -> None:
    short, long = unit * (5_000 // len(unit)), unit * (10_000 // len(unit))
    sizes = [len(Reading(text).words) + len(Reading(text).quantities) for text in (short, long)]
    assert sizes[1] <= 2 * sizes[0] + 4
    assert len(contents_of(long)) <= MOST_CONTENTS


def test_a_document_of_many_details_is_followed_by_its_first_ones() -> None:
    contents = contents_of(" ".join(f"name_of_{n}_thing" for n in range(2_000)))
    assert len(contents) == MOST_CONTENTS
    assert contents[0].written == "name_of_0_thing"
