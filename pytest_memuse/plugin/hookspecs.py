"""The hooks that other plugins and a project's conftest.py can implement; docs/hooks.md has an example of each.

They are called where pytest runs the session itself: under pytest-xdist in the controller, which loads the installed
plugins and the conftest.py files of the root folder and of the folders that the command line or ``testpaths`` names.
`pytest_memuse_redaction` alone is called where suites are recorded and replayed, in the workers. Every implementation
is asked; a hook that raises fails the gate.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_memuse.gate.baseline import Identity
    from pytest_memuse.gate.comparison import Comparison
    from pytest_memuse.gate.rulings import Decided, Outcome
    from pytest_memuse.gate.verdicts import FigureResult, Verdict
    from pytest_memuse.plugin.ruling import Ruling


@pytest.hookspec
def pytest_memuse_identity(config: pytest.Config, suite: str, identity: "Identity") -> "Mapping[str, str] | None":
    """Return what else shapes this suite's figures, names and values; None for nothing.

    It is stored in the baseline, and a difference is told as ``changed since``. ``identity`` is what is known already.
    Called once for each evaluated suite of a session. Two plugins may not give one name different values.

    .. code-block:: python

        def pytest_memuse_identity(config, suite, identity):
            return {"embedding index": (config.rootpath / "index.version").read_text().strip()}
    """


@pytest.hookspec
def pytest_memuse_comparison(
    config: pytest.Config, suite: str, comparison: "Comparison", decided: "Sequence[Decided]"
) -> None:
    """Observe a suite's comparison with its baseline, to publish it for example.

    ``decided`` gives each gated figure with what it does to the build, the rulings of `pytest_memuse_verdict` included.
    Not called where a comparison was refused or a gate was not evaluated.

    .. code-block:: python

        def pytest_memuse_comparison(config, suite, comparison, decided):
            for one in decided:
                print(f"{suite}.{one.figure.name}: {one.figure.verdict}, {one.outcome}")
    """


@pytest.hookspec
def pytest_memuse_redaction(config: pytest.Config) -> "Sequence[str] | None":
    """Return further rules of what is never written to a recording, as lines of ``memuse_redact``; None for none.

    Called once in every process that records or replays. Rules count in replay too, so that a new one which finds
    something makes recordings stale.

    .. code-block:: python

        def pytest_memuse_redaction(config):
            return ["ticket: TICKET-([0-9]{8})"]
    """


@pytest.hookspec
def pytest_memuse_verdict(
    config: pytest.Config, suite: str, figure: "FigureResult", verdict: "Verdict", outcome: "Outcome"
) -> "Ruling | None":
    """Return what a figure's verdict does to the build, with the reason, where that is another than usual; else None.

    ``verdict`` is what the statistics say, ``outcome`` what the settings make of it: *pass*, *warn* or *fail*. The
    verdict stays as it is; a ruling is shown beside it with its reason and with who made it. Of several rulings the
    strictest counts.

    .. code-block:: python

        from pytest_memuse.plugin.ruling import Ruling


        def pytest_memuse_verdict(config, suite, figure, verdict):
            if figure.name == "harm_yield" and verdict == "inconclusive":
                return Ruling("fail", "harm must be shown to hold before a release")
    """
