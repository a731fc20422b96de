"""One entry then and now: which are the same, what became of each, and what is never lost."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_memuse.gate.delivered_items import delivered_items, paired
from pytest_memuse.gate.entry_diff import GRAVITY, ChangeKind, EntryDiff, entry_diffs, texts_seen
from pytest_memuse.profiles.rows import EntryRow, EpisodeRow, Usage
from tests.gate.rows import entry, episode, span

USED, MISUSED, IGNORED, UNPRODUCTIVE = Usage.USED, Usage.MISUSED, Usage.IGNORED, Usage.UNPRODUCTIVE


def one(*entries: EntryRow, **facts) -> EpisodeRow:
    return episode("arc", span(*entries), **facts)


def diffs(before: EpisodeRow, now: EpisodeRow) -> tuple[EntryDiff, ...]:
    return entry_diffs([before], [now], texts_seen([before]))


def unjudged(row: EntryRow) -> EntryRow:
    return replace(row, usage=None, relevance=None, influence=None, effect=None, anchors=())


def test_an_item_of_several_spans_keeps_every_use_with_its_own_steps():
    first = replace(span(entry(usage=IGNORED), id="s1"), first=1)
    second = replace(span(entry(usage=USED, anchors=(7, 5)), id="s2"), first=4)
    [item] = delivered_items(episode("arc", first, second))
    assert [(use.usage, use.steps, use.acted) for use in item.uses] == [(IGNORED, (1,), False), (USED, (5, 7), True)]
    assert (item.step, item.spans, item.beneficial) == (5, 2, True)


def test_an_item_that_nothing_is_credited_to_has_the_step_that_read_it():
    [item] = delivered_items(episode("arc", replace(span(entry(usage=IGNORED)), first=3)))
    assert (item.step, item.acted_on) == (3, False)


def test_relevance_is_open_where_no_judge_determined_it():
    [open_item] = delivered_items(one(replace(entry(), relevance=None)))
    [relevant] = delivered_items(episode("arc", span(entry(relevance=False), id="a"), span(entry(), id="b")))
    assert (open_item.relevant, relevant.relevant) == (None, True)


@pytest.mark.parametrize(
    ("then", "now", "kind"),
    [
        (entry(usage=IGNORED), entry(usage=MISUSED), ChangeKind.NEWLY_HARMFUL),
        (None, entry(usage=MISUSED), ChangeKind.NEWLY_HARMFUL),
        (entry(), None, ChangeKind.NO_LONGER_BENEFICIAL),
        (entry(), entry(usage=IGNORED), ChangeKind.NO_LONGER_BENEFICIAL),
        (entry(usage=IGNORED), None, ChangeKind.RELEVANT_NO_LONGER_DELIVERED),
        (entry(usage=IGNORED, relevance=False), None, ChangeKind.NO_LONGER_DELIVERED),
        (unjudged(entry()), None, ChangeKind.NO_LONGER_DELIVERED),
        (None, entry(usage=IGNORED, relevance=False), ChangeKind.NEWLY_IRRELEVANT),
        (None, unjudged(entry()), ChangeKind.NEWLY_DELIVERED),
        (entry(usage=IGNORED), entry(usage=IGNORED, relevance=False), ChangeKind.NO_LONGER_RELEVANT),
        (entry(usage=IGNORED), unjudged(entry()), ChangeKind.JUDGED_ON_ONE_SIDE),
        (entry(usage=USED), unjudged(entry()), ChangeKind.JUDGED_ON_ONE_SIDE),
        (unjudged(entry()), unjudged(entry()), None),
        (unjudged(entry(text="a")), unjudged(entry(text="b")), ChangeKind.TEXT_CHANGED),
        (entry(usage=IGNORED), entry(usage=UNPRODUCTIVE), ChangeKind.USED_DIFFERENTLY),
        (entry(usage=MISUSED), None, ChangeKind.NO_LONGER_HARMFUL),
        (entry(usage=MISUSED), entry(usage=IGNORED), ChangeKind.NO_LONGER_HARMFUL),
        (entry(usage=MISUSED), entry(usage=USED), ChangeKind.NO_LONGER_HARMFUL),
        (None, entry(), ChangeKind.NEWLY_BENEFICIAL),
        (entry(), entry(), None),
        (entry(usage=MISUSED), entry(usage=MISUSED), None),
    ],
)
def test_what_became_of_an_entry_has_the_gravest_name_that_holds(then, now, kind):
    [found] = diffs(one(*([then] if then else [])), one(*([now] if now else [])))
    assert found.kind is kind


def test_new_harm_stands_above_everything_that_was_lost_or_won():
    before = one(entry("a", "lost"), entry("b", "harms", IGNORED), entry("c", "won", IGNORED))
    now = one(entry("a", "lost", IGNORED), entry("b", "harms", MISUSED), entry("c", "won"))
    assert [(diff.shown.item, diff.kind) for diff in diffs(before, now)] == [
        ("b", ChangeKind.NEWLY_HARMFUL),
        ("a", ChangeKind.NO_LONGER_BENEFICIAL),
        ("c", ChangeKind.NEWLY_BENEFICIAL),
    ]


def test_an_item_that_reads_as_it_did_earlier_in_the_arc_fell_back():
    old, new = entry("a", "port is 8081", ordinal=0), entry("a", "port is 9091", ordinal=0)
    earlier = one(old, task="update")
    then = replace(one(new), position=2)
    now = replace(one(replace(old, item="b", usage=MISUSED)), position=2)
    [found] = entry_diffs([then], [now], texts_seen([then, earlier]))
    assert (found.kind, found.older) == (ChangeKind.NEWLY_HARMFUL, "update")


@pytest.mark.parametrize(("earlier_position", "name"), [(2, "a"), (3, "a"), (1, "z")])
def test_a_text_that_was_delivered_later_or_of_another_item_is_not_an_older_one(earlier_position, name):
    other = replace(one(entry(name, "port is 8081"), task="update"), position=earlier_position)
    then = replace(one(entry("a", "port is 9091")), position=2)
    now = replace(one(entry("a", "port is 8081")), position=2)
    [found] = entry_diffs([then], [now], texts_seen([then, other]))
    assert found.older == ""


def test_an_entry_of_a_namespace_that_the_task_had_nothing_of_is_foreign():
    own, other = replace(entry("a"), namespace="shop"), replace(entry("b", "blog text"), namespace="blog")
    found = diffs(one(own), one(own, other, replace(entry("c", "new"), namespace="shop")))
    assert {diff.shown.item: diff.foreign for diff in found} == {"a": False, "b": True, "c": False}


def test_where_nothing_was_delivered_then_no_namespace_is_foreign():
    [found] = diffs(one(), one(replace(entry("b"), namespace="blog")))
    assert not found.foreign


def test_a_harmful_entry_of_a_repeat_that_only_this_run_has_is_newly_harmful():
    found = entry_diffs([one(entry())], [one(entry()), one(entry(usage=MISUSED))], {})
    assert [(diff.kind, diff.run, diff.alone) for diff in found] == [
        (ChangeKind.NEWLY_HARMFUL, 1, True),
        (None, 0, False),
    ]


def test_an_entry_of_a_repeat_that_only_the_baseline_has_was_not_taken_away():
    found = entry_diffs([one(entry()), one(entry())], [one(entry())], {})
    assert [(diff.kind, diff.alone) for diff in found] == [(None, False), (None, True)]


ENTRIES = st.lists(
    st.builds(
        lambda item, text, usage, ordinal, namespace: replace(
            entry(item, text, usage, ordinal=ordinal), namespace=namespace
        ),
        st.sampled_from("ab"),
        st.sampled_from(["", "x", "y"]),
        st.sampled_from([USED, MISUSED, IGNORED, UNPRODUCTIVE]),
        st.sampled_from([None, 0, 1]),
        st.sampled_from(["", "n"]),
    ),
    max_size=6,
)


@given(ENTRIES, ENTRIES)
def test_every_delivered_item_is_in_the_diff_exactly_once(before, now):
    then_items, now_items = delivered_items(one(*before)), delivered_items(one(*now))
    pairs = list(paired(then_items, now_items))
    assert Counter(id(then) for then, _ in pairs if then is not None) == Counter(map(id, then_items))
    assert Counter(id(now_item) for _, now_item in pairs if now_item is not None) == Counter(map(id, now_items))


@given(ENTRIES, ENTRIES)
def test_harm_now_without_harm_then_is_always_named_first(before, now):
    found = diffs(one(*before), one(*now))
    for diff in found:
        harmful_then = diff.then is not None and diff.then.harmful
        newly = diff.now is not None and diff.now.harmful and not harmful_then
        assert (diff.kind is ChangeKind.NEWLY_HARMFUL) == newly
    ranks = [GRAVITY[diff.kind] for diff in found]
    assert ranks == sorted(ranks)


@given(ENTRIES)
def test_a_run_does_not_differ_from_itself(entries):
    assert {diff.kind for diff in diffs(one(*entries), one(*entries))} <= {None}
