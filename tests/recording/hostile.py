"""Hostile files, and a process that hands each of them to each reader under a limit of memory and says what came of it.

`python -m tests.recording.hostile FOLDER` reads the files that `make_files` made in FOLDER, and prints one JSON object:
what each reader said of each file, and the most memory that the process ever had.
"""

import base64
import contextlib
import gzip
import io
import json
import os
import resource
import stat
import sys
from collections.abc import Callable
from pathlib import Path

from pytest_memuse.model.digests import json_digest

MEGABYTE = 1024 * 1024
MARKER = "marker"
ESCAPES = "\x1b[2J\x9b31m\u202e::error::owned"

Content = bytes | Callable[[Path], None]

_HEADER = '{"type":"memuse-recording","version":1,"suite":"s","arc":"a","made_with":{}}\n'
_LOG_HEADER = '{"type":"memuse-log","version":1,"suite":"s"}\n'
_EPISODE = '{"type":"episode","id":"e","position":0,"task":{"id":"t","text":"x"}}\n'


def _exchange(request: str) -> str:
    return (
        '{"type":"exchange","number":1,"actor":"agent","method":"POST","uri":"http://x/v1/chat/completions",'
        f'"status":200,"request":{request}}}\n'
    )


def _repeated(head: str, piece: str, times: int, tail: str) -> Callable[[Path], None]:
    """Return what writes a file with one piece many times; nobody is to hold its content."""

    def make(path: Path) -> None:
        at_once = 10_000
        with path.open("w", encoding="utf-8") as file:
            file.write(head)
            for _ in range(times // at_once):
                file.write(piece * at_once)
            file.write(piece * (times % at_once) + tail)

    return make


def _sparse(size: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with path.open("wb") as file:
            file.truncate(size)

    return make


def _reference_bomb(path: Path) -> None:
    message = {"role": "user", "content": "x" * MEGABYTE}
    digest = json_digest(message)
    shared = json.dumps({"type": "shared", "digest": digest, "value": message}) + "\n"
    references = ",".join([f'{{"$ref":"{digest}"}}'] * 150_000)
    path.write_text(_HEADER + _EPISODE + shared + _exchange(f'{{"messages":[{references}]}}'))


def _alias_bomb(first: str, last: str) -> str:
    levels = [f"a0: &a0 [{first}]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join([*levels, last]) + "\n"


EVERYWHERE: dict[str, Content] = {
    "an empty file": b"",
    "a folder": Path.mkdir,
    "a link to a file of the system": lambda path: path.symlink_to("/etc/passwd"),
    "a loop of links": lambda path: path.symlink_to(path.name),
    "a link to an endless device": lambda path: path.symlink_to("/dev/zero"),
    "a pipe that nobody writes to": os.mkfifo,
    "a gigabyte without a line break": _sparse(1024 * MEGABYTE),
    "a million lines of empty objects": _repeated("", "{}\n", 1_000_000, ""),
    "a hundred thousand brackets": b"[" * 100_000,
    "a hundred thousand objects in each other": b'{"a":' * 100_000,
    "three million empty lists": _repeated("[", "[],", 3_000_000, "[]]"),
    "a number of a million digits": b'{"type":' + b"9" * 1_000_000 + b"}\n",
    "a number that is none": b'{"type":NaN}\n',
    "a NUL": b'{"type":"\x00"}\n',
    "another encoding": '{"type":"memuse-log","version":1}\n'.encode("utf-16"),
    "bytes of no encoding": b'{"type":"\xff\xfe"}\n',
    "half a character": b'{"type":"\\ud800"}\n',
    "a byte order mark": b'\xef\xbb\xbf{"type":3}\n',
    "escapes for the terminal": f'{{"type":"{json.dumps(ESCAPES)[1:-1]}"}}\n'.encode(),
    "escapes as they are": f'{{"type":"{ESCAPES}"}}\n'.encode(),
    "a field named like a command": b'{"type":"memuse-log","version":1,"\\n::error::owned\\u001b[2J":1}\n',
    "an object of Python": f'a: !!python/object/apply:os.system ["touch {MARKER}"]\n'.encode(),
    "an object of Python as the whole": f'!!python/object/new:os.system ["touch {MARKER}"]\n'.encode(),
    "aliases of aliases": _alias_bomb("x", "arcs: *a9").encode(),
}

RECORDINGS: dict[str, Content] = {
    "references to more than a request can hold": _reference_bomb,
    "nesting inside a line": (_HEADER + _EPISODE + _exchange("[" * 500 + "]" * 500)).encode(),
    "a key that stands twice": (_HEADER + '{"type":"outcome","success":true,"success":false}\n').encode(),
    "streams of nothing but their number": (_HEADER + _EPISODE + _exchange('{"$stream":' + "9" * 15 + "}")).encode(),
    "a request like one that is not there": (_HEADER + _EPISODE + '{"type":"exchange","number":2,"like":1}\n').encode(),
    "references to nothing": (_HEADER + _EPISODE + _exchange('{"messages":[{"$ref":"0"}]}')).encode(),
    "a reference that is no text": (_HEADER + _EPISODE + _exchange('{"messages":[{"$ref":[]}]}')).encode(),
    "a vector that is none": (_HEADER + _EPISODE + _exchange('{"a":{"$f32":"AAA"}}')).encode(),
    "a vector of numbers": (_HEADER + _EPISODE + _exchange('{"a":{"$f32":5}}')).encode(),
    "an escape that is none": (_HEADER + _EPISODE + _exchange('{"$is":3}')).encode(),
    "a name of escapes": (_HEADER + f'{{"type":{json.dumps(ESCAPES)}}}\n').encode(),
    "a line that goes on and on": _repeated(_HEADER + '{"type":"', "x", 65 * MEGABYTE, ""),
}

LOGS: dict[str, Content] = {
    "a list of a million wrong things": _repeated(
        _LOG_HEADER + '{"type":"call","id":"c","actor":"agent","input":[', "1,", 1_000_000, "1]}\n"
    ),
    "a hundred thousand unknown fields": (
        _LOG_HEADER + '{"type":"episode","id":"e",' + ",".join(f'"f{n}":1' for n in range(99_000)) + "}\n"
    ).encode(),
    "a type of escapes": (_LOG_HEADER + f'{{"type":{json.dumps(ESCAPES)}}}\n').encode(),
    "an episode named by escapes, twice": (
        _LOG_HEADER + f'{{"type":"episode","id":{json.dumps(ESCAPES)}}}\n' * 2
    ).encode(),
}


def _arcs(episode: str, arc: str = "a") -> bytes:
    return f'arcs: [{{id: "{arc}", episodes: [{{id: e, task: t, {episode}}}]}}]\n'.encode()


ARCS: dict[str, Content] = {
    "a file above the workspace": _arcs('write: {"../x": y}'),
    "a file at the root": _arcs('write: {"/etc/x": y}'),
    "a file on another drive": _arcs('write: {"C:x": y}'),
    "a file with backslashes": _arcs(r'write: {"..\\x": y}'),
    "a file with a NUL": _arcs(r'write: {"a\0b": y}'),
    "the files of the system": _arcs("files: /etc"),
    "files with a NUL": _arcs(r'files: "a\0b"'),
    "files of another drive": _arcs('files: "C:/x"'),
    "an arc named by escapes": _arcs("scope: s", r"\e[2J\u202e::error::"),
    "an arc named by a NUL": _arcs("scope: s", r"a\0b"),
    "an alias within itself": b"arcs: &a [*a]\n",
    "two hundred thousand values": b"arcs:\n" + b"- 1\n" * 250_000,
    "ten thousand wrong arcs": b"arcs:\n" + b"- 1\n" * 10_000,
    "aliases of a long text": b"x: &x " + b"y" * MEGABYTE + b"\narcs: [" + b"*x," * 1_000 + b"]\n",
    "merge keys that multiply": _alias_bomb("x", "").replace("[", "{<<: [").replace("]", "]}").encode(),
    "a date that is none": b"arcs: 2001-99-99\n",
    "a truth value that is none": b"arcs: !!bool perhaps\n",
    "a key that stands twice in an arc": b"arcs: []\narcs: []\n",
}


def _inflated(path: Path) -> None:
    """Write a cassette of vcrpy whose short bodies decode to a gigabyte and a half in all."""
    body = base64.b64encode(gzip.compress(bytes(30 * MEGABYTE))).decode()
    interaction = (
        '{"request":{"method":"GET","uri":"http://x/","headers":{},"body":null},"response":{"status":{"code":200,'
        f'"message":"OK"}},"headers":{{"Content-Encoding":["gzip"]}},"body":{{"base64_string":"{body}"}}}}}}'
    )
    path.write_text('{"version":1,"interactions":[' + ",".join([interaction] * 50) + "]}")


CASSETTES: dict[str, Content] = {
    "bodies that inflate to more than there is": _inflated,
    "an interaction that is an object of Python": (
        f'version: 1\ninteractions:\n- !!python/object/apply:os.system ["touch {MARKER}"]\n'
    ).encode(),
    "interactions of interactions": _alias_bomb("x", "interactions: *a9").encode(),
}

BASELINES: dict[str, Content] = {
    "a number too large for any machine": b'{"format": 1e999}',
    "a format of a million digits": b'{"format": ' + b"9" * 1_000_000 + b"}",
    "a key twice": b'{"format":1,"format":1}',
    "a million lists": _repeated('{"format":1,"a":[', "[],", 1_100_000, "[]]}"),
    "a file of 65 megabytes": _sparse(65 * MEGABYTE),
}


def _read_recording(path: Path) -> object:
    from pytest_memuse.recording.derivation import derive_log
    from pytest_memuse.recording.files import load_recording

    return derive_log(load_recording(path))


def _read_log(path: Path) -> object:
    from pytest_memuse.model.log import MAX_LINE_BYTES, iter_episodes
    from pytest_memuse.storage import plain_lines

    return list(iter_episodes(plain_lines(path, MAX_LINE_BYTES), str(path)))


def _read_arcs(path: Path) -> object:
    from pytest_memuse.episodes.specs import load_suite

    return load_suite(path)


def _read_vcr(path: Path) -> object:
    from pytest_memuse.recording.vcr_files import recording_from_vcr

    return recording_from_vcr(path)


def _read_baseline(path: Path) -> object:
    from pytest_memuse.gate import read_baseline

    return read_baseline(path.parent, path.name.removesuffix(".json"))


def _command(name: str) -> Callable[[Path], object]:
    """Return a reader that runs the `memuse` command; its refusal is raised as what it printed."""

    def run(path: Path) -> object:
        from pytest_memuse.cli import main
        from pytest_memuse.model import MemuseError

        printed = io.StringIO()
        with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(io.StringIO()):
            code = main([name, str(path)])
        if code == 2:
            raise MemuseError(printed.getvalue().removesuffix("\n"), reason="printed")
        return code

    return run


READERS: dict[str, tuple[Callable[[Path], object], str, dict[str, Content]]] = {
    "recording": (_read_recording, "x.jsonl", EVERYWHERE | RECORDINGS),
    "log": (_read_log, "x.jsonl", EVERYWHERE | LOGS),
    "arcs": (_read_arcs, "x.yaml", EVERYWHERE | ARCS),
    "baseline": (_read_baseline, "x.json", EVERYWHERE | BASELINES),
    "cassette of vcrpy": (_read_vcr, "x.yaml", EVERYWHERE | CASSETTES),
    "memuse show": (_command("show"), "x.jsonl", EVERYWHERE | RECORDINGS),
    # The three commands read files by one function.
    "memuse profile": (_command("profile"), "x.jsonl", LOGS),
    "memuse log": (_command("log"), "x.jsonl", RECORDINGS),
}
CASES = [(reader, attack) for reader, (_, _, attacks) in READERS.items() for attack in attacks]


def make_files(folder: Path) -> None:
    """Make every file that `read_files` reads, each in a folder of its own."""
    made: dict[str, Path] = {}
    for reader, (_, name, attacks) in READERS.items():
        for attack, content in attacks.items():
            place = folder / reader / attack
            place.mkdir(parents=True)
            if isinstance(content, bytes):
                (place / name).write_bytes(content)
            elif attack in made:
                os.link(made[attack], place / name)
            else:
                content(place / name)
                if stat.S_ISREG(os.lstat(place / name).st_mode):
                    made[attack] = place / name


def read_files(folder: Path) -> dict[str, dict[str, dict[str, str]]]:
    """Hand every file to its reader; return what came of it: ``refused``, ``taken`` or ``broke``, and what was said."""
    return {
        reader: {attack: _outcome(read, folder / reader / attack / name) for attack in attacks}
        for reader, (read, name, attacks) in READERS.items()
    }


def _outcome(read: Callable[[Path], object], path: Path) -> dict[str, str]:
    from pytest_memuse.model import MemuseError

    try:
        read(path)
    except MemuseError as error:
        return {"refused": str(error)}
    except BaseException as error:
        return {"broke": repr(error)[:500]}
    return {"taken": ""}


def _main(folder: Path) -> None:
    limit = 1024 * MEGABYTE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    os.chdir(folder)
    said = read_files(folder)
    print(json.dumps({"said": said, "peak": _peak()}))


def _peak() -> int:
    """Return the most memory that this program has held, in bytes; resource usage counts its parent's too."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
