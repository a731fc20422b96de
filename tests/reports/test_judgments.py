"""What a judge took and how its checks went, in words and as data."""

from pytest_memuse.judging import JudgeIdentity, Judgment, Signal
from pytest_memuse.judging.llm.outcome import Attempt, ErrorReason, SpanJudgment, Usage
from pytest_memuse.judging.llm.repairs import repairs_of
from pytest_memuse.judging.llm.spending import Spent
from pytest_memuse.judging.violations import Violation, ViolationCode
from pytest_memuse.reports.judgments import KeptArc, judgments_data, judgments_lines, repair_lines, usage_lines

JUDGE = JudgeIdentity("llm", "1", "openai/tiny", {"reference": "True"})
KNOWN = Usage(2, 1_000, 745, 50, 0.02)


def span(*calls: Usage, error: ErrorReason | None = None, attempts: tuple[Attempt, ...] = ()) -> SpanJudgment:
    return SpanJudgment("S1", "", calls=calls, error=error, attempts=attempts)


def test_what_a_run_took_is_one_line() -> None:
    assert usage_lines("openai/tiny", Spent(3, 40, Usage(15, 10_000, 7_450, 500, 0.125))) == [
        "judge openai/tiny: 3 spans asked about, 40 from records, 5.00 calls a span, 74.5% of input cached, 0.1250 USD"
    ]


def test_a_run_that_asks_nobody_has_no_averages_and_one_without_spans_says_nothing() -> None:
    assert usage_lines("m", Spent(0, 40)) == ["judge m: 0 spans asked about, 40 from records"]
    assert usage_lines("m", Spent()) == []


def test_what_was_not_reported_is_unknown() -> None:
    (line,) = usage_lines("m", Spent(1, 0, Usage(5, None, None, None, None)))
    assert line.endswith("5.00 calls a span, cached share unknown, cost unknown")


def test_what_was_used_since_is_a_difference_and_the_unknown_stays_unknown() -> None:
    before, now = Spent(1, 2, KNOWN), Spent(3, 5, Usage(6, 4_000, None, 150, 0.06))
    since = now.since(before)
    assert (since.asked, since.reused) == (2, 3)
    assert since.usage == Usage(4, 3_000, None, 100, 0.06 - 0.02)


def test_a_sum_that_only_some_calls_report_is_a_lower_bound_and_has_no_average() -> None:
    arc = KeptArc("kept/one", JUDGE, "a", (span(KNOWN), span(Usage(1, None, None, None, None))))
    text = "\n".join(judgments_lines([arc]))
    assert "at least 1,000" in text
    assert "1 call of 3 report no cached tokens" in text
    assert "US$ a span: unknown" in text
    found = judgments_data([arc])["judges"]["kept/one"]["all"]
    assert found["tokens"]["input"] == {"total": None, "reported": 1_000, "calls_reporting": 2, "a_span": None}
    assert found["cached_share"] == 0.745


def test_errors_are_told_by_reason() -> None:
    lines = repair_lines(repairs_of([span(error=ErrorReason.REQUEST), span(error=ErrorReason.REQUEST)]))
    assert "without an accepted answer: request 2" in lines


def test_a_first_answer_that_cannot_be_read_is_not_counted_as_unchanged() -> None:
    rejected = Attempt(1, (Violation(ViolationCode.INVALID_JSON, "no"),))
    repaired = SpanJudgment("S1", "", Judgment("S1", ()), attempts=(rejected, Attempt(2)))
    lines = repair_lines(repairs_of([repaired]))
    assert "repaired: 1; no first answer can be read, so that none can be told to have changed a signal" in lines


def test_every_signal_has_a_count_in_the_data() -> None:
    found = judgments_data([KeptArc("kept/one", JUDGE, "a", (span(KNOWN),))])["judges"]["kept/one"]
    assert set(found["all"]["repairs"]["changed"]["by_signal"]) == {signal.value for signal in Signal}
    assert found["judge"]["settings"] == {"reference": "True"}
    assert judgments_lines([]) == ["no record"]


def test_of_many_arcs_the_last_share_a_row_and_all_are_in_the_data() -> None:
    arcs = [KeptArc("kept/one", JUDGE, f"arc-{number:02}", (span(KNOWN),)) for number in range(53)]
    rows = [line.split()[:2] for line in judgments_lines(arcs) if line.startswith(("  arc-", "  3 more", "  all"))]
    assert len(rows) == 52
    assert next(line for line in judgments_lines(arcs) if line.startswith("  3 more")).split()[:3] == ["3", "more", "3"]
    assert rows[-1] == ["all", "53"]
    assert len(judgments_data(arcs)["judges"]["kept/one"]["arcs"]) == 53
