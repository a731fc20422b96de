"""Files of annotations for the tests: a case's form, and labels in it."""

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from pytest_memuse.judging.annotation_file import FORMAT, KIND
from pytest_memuse.judging.annotation_form import HEAD, FormSpan, form_lines
from pytest_memuse.judging.annotations import Annotations
from pytest_memuse.judging.evidence import EpisodeCase
from pytest_memuse.judging.labels import LabelledCase
from pytest_memuse.model import Episode
from pytest_memuse.spans import Span, build_spans

Rows = Sequence[Mapping[str, Any]]


def form_of(*episodes: Episode) -> str:
    """Return the empty form of episodes."""
    found = []
    for episode in episodes:
        spans = build_spans(episode)
        case = EpisodeCase(episode, spans)
        found += [FormSpan(episode.id, span.id, case.package(span)) for span in spans]
    return HEAD + "".join(f"{line}\n" for line in form_lines(found))


def digest_of(episode: Episode, spans: Sequence[Span], span: Span) -> str:
    return EpisodeCase(episode, spans).package(span).digest


def labels_text(case: LabelledCase, *rows: Mapping[str, Any], **changes: Any) -> str:
    """Return a file with labels of the only span of a case; a row is an entry, without its name."""
    (span,) = case.spans
    document = {
        "episode": case.episode.id,
        "span": span.id,
        "evidence": digest_of(case.episode, case.spans, span),
        "entries": [{"entry": f"e{number}", **row} for number, row in enumerate(rows, start=1)],
    } | changes
    return yaml.safe_dump_all([{KIND: FORMAT}, document], sort_keys=False)


def annotations(case: LabelledCase, *rows: Mapping[str, Any], **changes: Any) -> Annotations:
    return Annotations.from_text(labels_text(case, *rows, **changes), "labels.yaml")
