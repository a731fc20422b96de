"""What users' judgment records depend on changes on purpose only."""

from tests.judging.pinned import digests, pinned

_REWRITE = "then `python -m tests.judging.pinned` pins the new digests"


def test_the_evidence_of_what_was_judged_before_has_the_digest_that_records_are_found_by() -> None:
    assert digests()["evidence"] == pinned()["evidence"], (
        "The same recordings now give other evidence. All judgment records that users have are stale by that: every "
        "span is asked about again, which costs them money. Change it only for a reason that is worth it, and say so "
        f"in a changelog fragment; {_REWRITE}."
    )


def test_what_a_judge_is_asked_with_is_what_recorded_conversations_began_with() -> None:
    assert digests()["conversation"] == pinned()["conversation"], (
        "Judges are now asked in another way: records are still found, but `--memuse-rejudge` finds that recorded "
        "conversations do not come to their records any more. Say so in a changelog fragment, and ask yourself "
        f"whether the rubric's version must change; {_REWRITE}."
    )


def test_each_pinned_case_is_another_one() -> None:
    evidence = digests()["evidence"]
    assert len(evidence) >= 8
    assert len(set(evidence.values())) == len(evidence)
