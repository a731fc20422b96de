"""Whether a session ran whole suites: a gate over a part of one would say what nobody asked."""

import pytest

from pytest_memuse.plugin.last_failed import failed_before, is_check
from pytest_memuse.plugin.state import state_of


def only_looked(config: pytest.Config) -> bool:
    """Whether the session calls no test at all, as it was asked to; what it leaves undone is no failure then."""
    return bool(getattr(config.option, "collectonly", False) or getattr(config.option, "setuponly", False))


def why_not_evaluated(session: pytest.Session, finished: bool) -> str:
    """Return why no suite of the session can be evaluated, empty where they can."""
    option = session.config.option
    if getattr(option, "collectonly", False):
        return "tests were collected only"
    if getattr(option, "setuponly", False):
        return "tests were set up only"
    if getattr(option, "keyword", ""):
        return "-k selected some of the tests"
    if getattr(option, "lf", False):
        return _last_failed(session.config)
    if any("::" in str(argument) for argument in session.config.args):
        return "single tests were named"
    if state_of(session.config).crashed:
        return "a worker crashed"
    if not finished or session.shouldstop or session.shouldfail:
        return "the run was stopped before its end"
    return ""


def _last_failed(config: pytest.Config) -> str:
    """Return why ``--lf`` leaves gates unevaluated, empty where gates are what had failed.

    pytest finds no test of a gate's name and runs all of them then, which is how a mended gate is seen to be mended.
    Of a run that ``--lf`` leaves whole because nothing had failed, the next one may be a part.
    """
    failed = failed_before(config)
    if failed is not None and not failed:
        return "--lf was given and nothing had failed; run without it"
    if failed and all(map(is_check, failed)):
        return ""
    return "--lf runs what failed last"
