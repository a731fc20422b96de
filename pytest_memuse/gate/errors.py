"""What can be wrong with a baseline. Every message of the baseline store is written here."""

import shlex
from collections.abc import Sequence

from pytest_memuse.model.errors import FormatError, MemuseError, inert, nearest, printable

_DIFFERENCES = 5


class BaselineError(MemuseError):
    """A baseline cannot be used or written."""


class DamagedBaselineError(FormatError, BaselineError):
    """A baseline's file does not hold what its format asks for."""


def bad_name(name: str, why: str) -> BaselineError:
    """Return the error of a name that names no file of the baseline folder."""
    return BaselineError(
        f"{printable(name)!r} cannot name a baseline: {why}.",
        reason="bad-name",
        mend="give a plain name such as main, or the path of a .json file",
    )


def no_baseline(name: str, place: str, known: Sequence[str]) -> BaselineError:
    """Return the error of a name under which no baseline is stored."""
    listed = f"known: {', '.join(printable(k) for k in known[:20])}" if known else "none is stored there"
    return BaselineError(
        f"There is no baseline {printable(name)!r} ({inert(place)} does not exist; {listed}){nearest(name, known)}",
        reason="no-baseline",
        mend=f"make it from this suite with `pytest --memuse-update={printable(name)}`",
    )


def not_at_commit(name: str, place: str, commit: str, known: Sequence[str]) -> BaselineError:
    """Return the error of a commit at which a baseline is not there."""
    listed = f"known there: {', '.join(printable(k) for k in known[:20])}" if known else "none is stored there"
    return BaselineError(
        f"There is no baseline {printable(name)!r} at {printable(commit)} "
        f"({inert(place)} is not in that commit; {listed}){nearest(name, known)}",
        reason="no-baseline",
        mend="name another commit, or the baseline with `git:REF:NAME`",
    )


def as_committed(error: BaselineError) -> BaselineError:
    """Return the error of a copy in the repository's history, which nobody mends where it stands."""
    told = str(error).removesuffix(f"\n  to mend: {error.mend}")
    return BaselineError(told, reason=error.reason, mend="name a commit at which it is whole, or another baseline")


def kept_elsewhere(source: str) -> BaselineError:
    """Return the error of a file whose content git does not hold itself."""
    return BaselineError(
        f"{source} is a pointer into Git LFS; the repository does not hold the baseline itself.",
        reason="kept-elsewhere",
        mend="keep baselines out of Git LFS (`git lfs migrate export --include='baselines/*.json'`)",
    )


def no_run(wanted: str, known: Sequence[str]) -> BaselineError:
    """Return the error of a number or name under which no run is saved."""
    listed = f"saved: {', '.join(printable(k) for k in known[-20:])}" if known else "none is saved"
    what = f"no saved run {printable(wanted)!r}" if wanted else "no saved run"
    close = nearest(wanted, [*known, *(k.partition("_")[2] for k in known)])
    return BaselineError(
        f"There is {what} in .memuse/runs ({listed}){close}",
        reason="no-run",
        mend="save one with `pytest --memuse-save=NAME`",
    )


def no_suite(name: str, suite: str, known: Sequence[str]) -> BaselineError:
    """Return the error of a baseline that holds nothing of a suite."""
    listed = ", ".join(printable(k) for k in known[:20]) or "no suite at all"
    return BaselineError(
        f"Baseline {printable(name)!r} holds no suite {printable(suite)!r}, but {listed}{nearest(suite, known)}",
        reason="no-suite",
        mend=f"add the suite with `pytest --memuse-update={printable(name)}`",
    )


def newer_format(source: str, version: int, newest: int) -> BaselineError:
    """Return the error of a baseline that a later release wrote."""
    return BaselineError(
        f"{source} is in baseline format {version}; this pytest-memuse reads formats up to {newest}.",
        reason="format-newer",
        mend="install the release of pytest-memuse that wrote it, or a later one",
    )


def unknown_format(source: str, found: str) -> BaselineError:
    """Return the error of a JSON file that is no baseline of any format."""
    return BaselineError(
        f"{source} is no baseline of a known format: its 'format' is {found}.",
        reason="format-unknown",
        mend=f"name another file, or make a baseline with {_update(source)}",
    )


def edited(source: str) -> BaselineError:
    """Return the error of a baseline whose seal does not match its content."""
    return BaselineError(
        f"{source} was changed after it was written: its seal does not match its content. "
        "A baseline is never edited or merged by hand.",
        reason="edited",
        mend=f"take back the committed file (`git checkout -- {source}`), or {_again(source)}",
    )


def conflicted(source: str, line: int) -> BaselineError:
    """Return the error of a baseline with the markers of a merge conflict in it."""
    return DamagedBaselineError(
        "a merge conflict stands in it; a baseline is never merged by hand.",
        source=source,
        line=line,
        reason="conflict",
        mend=f"take one side whole (`git checkout --ours -- {source}`), or {_again(source)}",
    )


def damaged(source: str, problem: str, *, line: int | None = None, field: str | None = None) -> BaselineError:
    """Return the error of a file that is not the JSON, or not of the shape, that a baseline is."""
    return DamagedBaselineError(
        f"the baseline is damaged, {problem}.",
        source=source,
        line=line,
        field=field,
        reason="damaged",
        mend=f"take back the committed file (`git checkout -- {source}`), or {_again(source)}",
    )


def refused(error: FormatError, source: str) -> BaselineError:
    """Return, as an error of the store, why a file is not read: it is no plain file, too large, or not given."""
    return DamagedBaselineError(error.problem, source=source, reason=error.reason, mend=error.mend)


def not_written(source: str, why: str) -> BaselineError:
    """Return the error of a write that failed; what was stored before is still there."""
    return BaselineError(
        f"{source} was not written: {why}. What was there before is untouched.",
        reason="not-written",
        mend="see to the folder's permissions and free space, and run the same command again",
    )


def another_judge(name: str, suite: str, then: str, now: str, differences: Sequence[str]) -> BaselineError:
    """Return the error of figures that come from two judges, or from two versions of one rubric."""
    told = "; ".join(differences[:_DIFFERENCES])
    more = f"; and {len(differences) - _DIFFERENCES} more" if len(differences) > _DIFFERENCES else ""
    return BaselineError(
        f"Baseline {printable(name)!r} of suite {printable(suite)!r} was judged by {printable(then)}, this run by "
        f"{printable(now)} ({told}{more}); figures of different judges are not compared.",
        reason="another-judge",
        mend="judge the recordings that it was made from with the judge of now and store the result in it: "
        f"{_rejudge(name)} (not in CI)",
    )


def _rejudge(name: str) -> str:
    """Return the command that judges a baseline again."""
    # A flag without a name does something else, and so does this word.
    path = "baselines/again.json" if name == "again" else name
    told = f"`pytest --memuse-rejudge={shlex.quote(printable(path))}`"
    if not name.startswith("git:"):
        return told
    stored = name.removeprefix("git:").partition(":")[2] or "main"
    return f"`pytest --memuse-rejudge={shlex.quote(printable(stored))}`, and compare with a commit that holds it"


def _again(source: str) -> str:
    return f"delete it and make it again with {_update(source)}"


def _update(source: str) -> str:
    name = source.replace("\\", "/").rpartition("/")[2].removesuffix(".json")
    return f"`pytest --memuse-update={printable(name)}`"
