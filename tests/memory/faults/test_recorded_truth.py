"""What a fault did stands in the recording and nowhere that the agent or a judge reads."""

from dataclasses import replace

from pytest_memuse.memory.faults import DistractorFlood, touches_of
from pytest_memuse.recording.bridge import Bridge
from pytest_memuse.recording.derivation import derive_log
from pytest_memuse.recording.lines import read_lines, write_lines
from pytest_memuse.recording.recording import MemoryOperation, Recording
from pytest_memuse.recording.redaction import Redaction
from pytest_memuse.recording.session import ArcRecorder
from tests.memory.faults.shelf import PORT, Shelf


def recorded() -> Recording:
    recorder = ArcRecorder(Redaction())
    bridge = Bridge(recorder, "shop")
    memory = DistractorFlood(Shelf(PORT), entries=2)
    with bridge.episode("Set the port."):
        given = memory.recall("Set the port.", scope="shop")
        operation = bridge.report("recall", {"query": "Set the port."}, given)
        bridge.deliver(given.text, operations=[operation], slot="system")
        request = {"model": "m", "messages": [{"role": "system", "content": given.text}]}
        response = {"model": "m", "choices": [{"message": {"role": "assistant", "content": "Done."}}]}
        recorder.exchange("POST", "http://model/v1/chat/completions", request, 200, "OK", response, {})
        memory.tool()
        bridge.report("offer", {}, replace(given, text="{}", entries=(), extra={}))
    return recorder.recording("suite", "arc", {})


def test_the_truth_is_written_and_read_with_its_operation() -> None:
    recording = recorded()
    read = read_lines((line.encode() for line in write_lines(recording)), "recording")
    recall, offer = read.operations
    assert [touch.what for touch in touches_of(recall.truth)] == ["distractor", "distractor"]
    assert offer.truth is None
    assert all('"truth"' not in line for line in write_lines(recording) if '"offer"' in line)


def test_the_event_log_is_the_same_without_it() -> None:
    recording = recorded()
    events = tuple(replace(e, truth=None) if isinstance(e, MemoryOperation) else e for e in recording.events)
    assert events != recording.events
    assert derive_log(recording) == derive_log(replace(recording, events=events))


def test_a_damaged_truth_is_nothing() -> None:
    assert touches_of(None) == touches_of({}) == touches_of({"touched": "x"}) == touches_of({"touched": [1]}) == ()
