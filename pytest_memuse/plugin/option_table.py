"""What can be set: every option with its name, valid values, default and help, in one table."""

from dataclasses import dataclass

RECORD_MODES = ("none", "once", "new_episodes", "all", "rewrite")
"""What each does with an arc, and with the requests that are made meanwhile.

============== ======================== ============================== ===================================
mode           arc without a recording  arc that delivers the same     stale arc
============== ======================== ============================== ===================================
none           an error                 replayed                       fails (or as ``memuse_drift`` says)
once           recorded                 replayed                       fails (or as ``memuse_drift`` says)
new_episodes   recorded                 replayed                       recorded anew from where it differs
all, rewrite   recorded                 recorded anew                  recorded anew
============== ======================== ============================== ===================================

A replay answers every request from the recording, and one that it does not hold is refused and makes the arc stale. A
recording lets every request through and keeps it, but for embeddings that the recording which it takes the place of
holds: *new_episodes* answers these from there. A recording takes the place of the old one when it is whole; *all* and
*rewrite* do the same, since no arc is ever added to.
"""
DRIFT_MODES = ("fail", "acted", "warn")
INCONCLUSIVE_MODES = ("pass", "warn", "fail")
JUDGE_MODES = ("new", "none", "all")
"""What each does with a span that a judge with records is to judge; an answer that is accepted is kept at once.

===== ====================== =================================
mode  span without a record  span with a record
===== ====================== =================================
new   asked about            taken from the record
none  fails the suite        taken from the record
all   asked about            asked about, the record replaced
===== ====================== =================================
"""


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its name without prefix, its default, its valid values where there are few, and its help.

    ``alone`` is its value where the flag is given without one, None where a value must follow. ``lines`` says that the
    ini key, ``memuse_`` and ``ini_name`` where that is not the option's name, holds a value a line.
    """

    name: str
    help: str
    default: str = ""
    values: tuple[str, ...] = ()
    metavar: str = "NAME"
    flag: bool = True
    ini: bool = True
    alone: str | None = None
    lines: bool = False
    ini_name: str = ""

    @property
    def ini_key(self) -> str:
        return f"memuse_{self.ini_name or self.name}"

    @property
    def switch(self) -> str:
        return "--memuse-" + self.name.replace("_", "-")

    @property
    def key(self) -> str:
        return f"memuse_{self.name}"


OPTIONS = (
    Option(
        "baseline",
        "compare with this stored baseline (a name in the baselines folder, a .json file, or git:REF for baselines/"
        "main.json and git:REF:NAME for another as it stands at a commit) and fail where a gated figure regressed",
    ),
    Option(
        "target_branch",
        "the branch that a change is to be merged into, where the CI service does not say: in CI the baseline is read "
        "as it stands at the merge base with it",
        metavar="BRANCH",
    ),
    Option("update", "store this run as the baseline NAME; refused where the run is partial or failed", ini=False),
    Option(
        "update_new_only",
        "add to the baseline NAME the suites, arcs and tasks that it does not hold, and leave those alone that it does",
        ini=False,
    ),
    Option("reason", "why the baseline is updated, which is kept in it", metavar="TEXT", ini=False),
    Option(
        "tolerance",
        "how much worse a figure may be before it counts as regressed, as FIGURE=0.02 (in the figure's unit) or "
        "FIGURE=5% (of the baseline's figure), several separated by commas",
        metavar="FIGURE=AMOUNT",
        lines=True,
        ini_name="tolerances",
    ),
    Option(
        "save",
        "store this run in .memuse/runs as NUMBER_NAME.json, for --memuse-compare",
        ini=False,
        alone="",
    ),
    Option(
        "compare",
        "show this run beside a saved one, the newest where none is named; a look, which never fails the run",
        metavar="NUMBER|NAME",
        ini=False,
        alone="",
    ),
    Option(
        "record_mode",
        "none: replay only; once: record arcs that have no recording; new_episodes: also record stale "
        "arcs again; all, rewrite: record every arc again",
        "none",
        RECORD_MODES,
        "MODE",
    ),
    Option(
        "record_both",
        "record the project as it stands at git:REF and as it stands now, arc by arc in turn against the same model, "
        "and compare these two; such a pair goes before a stored baseline",
        metavar="git:REF",
        ini=False,
    ),
    Option(
        "budget",
        "the most that recording may cost, as 500calls, 200000tokens, 10min or 2.50usd, several separated by commas; "
        "complete arcs are kept where it is used up",
        metavar="LIMIT",
    ),
    Option(
        "jobs",
        "arcs that are recorded or replayed at the same time, each in a forked process; needs a platform that can "
        "fork, and goes neither with --memuse-budget nor with --memuse-record-both",
        "1",
        metavar="NUMBER",
    ),
    Option(
        "drift",
        "what a stale recording does: fail; acted: fail only where it touches an entry that the agent had "
        "acted on; warn",
        "fail",
        DRIFT_MODES,
        "MODE",
    ),
    Option(
        "judge_mode",
        "new: a judge with records asks about spans that have none; none: it never asks, and a span without a record "
        "fails its suite, which is the default where CI is set; all: it asks about every span and replaces the records "
        "(docs/judgments.md)",
        "new",
        JUDGE_MODES,
        "MODE",
    ),
    Option(
        "rejudge",
        "without a value: replay every recorded conversation of the judge, without a model, and fail where one does "
        "not come to its record; again: ask the model again and fail where signals differ; the name or path of a "
        "baseline: judge the recordings that it was made from with the judge of now and store the result in it (a "
        "baseline named again is given by its path)",
        metavar="again|BASELINE",
        ini=False,
        alone="",
    ),
    Option("inconclusive", "what an inconclusive gate does", "pass", INCONCLUSIVE_MODES, "MODE"),
    Option(
        "unevaluated",
        "what a gate does that was asked for and not evaluated, as in a run of a part of its tests; fail is for builds "
        "that are to run every suite (docs/running.md)",
        "pass",
        ("pass", "fail"),
        "MODE",
    ),
    Option("cassettes", "folder of the recordings, from the root folder", "cassettes", metavar="DIR"),
    Option("baselines", "folder of the baselines, from the root folder", "baselines", metavar="DIR"),
    Option(
        "mutate_rate",
        "share of deliveries, or of entries, that a planted fault strikes (0 to 1)",
        "1",
        metavar="RATE",
    ),
    Option("mutate_seed", "seed of where planted faults strike", "0", metavar="NUMBER"),
    Option(
        "mutate_require",
        "fail the run where assertions and gate catch less than this share (0 to 1) of the planted faults that the "
        "judge can see; without it the report alone is given",
        metavar="SHARE",
    ),
    Option(
        "json",
        "write everything of the session to this file as JSON, for programs (docs/outputs.md)",
        metavar="FILE",
    ),
    Option(
        "junit",
        "write the gates to this file as JUnit XML, a testsuite for each suite (docs/outputs.md); needs the package "
        "junit-xml",
        metavar="FILE",
    ),
    Option(
        "junit_properties",
        "whether tests and gates get properties, which pytest writes into the file of --junitxml; off for validators "
        "that allow none in a testcase",
        "on",
        ("on", "off"),
        "WORD",
    ),
    Option(
        "executor",
        "where episodes are judged: threads:N, processes:N, a running Dask cluster dask:tcp://HOST:PORT, or "
        "nothing: in this process",
        metavar="ADDRESS",
    ),
    Option(
        "gated",
        "figures that gate the build, separated by commas or spaces; empty: the default set",
        metavar="FIGURES",
        flag=False,
    ),
)
