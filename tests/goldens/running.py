"""Run the entries of a room in its own folder, and return what a user would see of each."""

from __future__ import annotations

import contextlib
import datetime
import gzip
import hashlib
import html
import importlib
import json
import os
import re
import shlex
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
from matplotlib.figure import Figure

import howsure
from tests.cli.running import howsure as run_command
from tests.goldens.figures import figure_lines
from tests.goldens.inputs import write_inputs

ROOMS = (
    "reading",
    "logs",
    "look",
    "score",
    "judge",
    "calibration",
    "check",
    "selective",
    "fields",
    "monitor",
    "recalibrate",
    "significance",
    "counts",
    "regress",
    "sequences",
    "coreference",
    "events",
    "others",
    "results",
    "real_data",
)
STORED = Path(__file__).parent / "stored"
ENVIRONMENT = {"COLUMNS": "100", "LINES": "40", "TERM": "dumb"}
LONGEST = 30_000
WIDTH = 110
NUMBER = re.compile(r"(?<![\w.])[-+−]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w])")

Seen = dict[str, Any]


@dataclass(frozen=True)
class Room:
    """The entries of one room: commands, one per line, in this order; Python calls; and steps that prepare files
    between commands.

    A line of `commands` that starts with `!` names a step. A line that starts with `~1e-6` shows the result of an
    optimiser, on which other machines agree only to six digits; `declared` says the same of calls. A `long` room is run
    only with `-m long`. If a room `wants` a requirement of tests/lacking.py, only digests are stored.
    """

    commands: str = ""
    steps: Mapping[str, Callable[[], object]] = field(default_factory=dict)
    declared: Mapping[str, float] = field(default_factory=dict)
    calls: Callable[[], Mapping[str, Callable[[], object]]] = dict
    long: bool = False
    wants: str | None = None


def room(name: str) -> Room:
    """Return a room by its name."""
    loaded: Room = importlib.import_module(f"tests.goldens.{name}").ROOM
    return loaded


def lines_of(commands: str) -> list[str]:
    """Return the commands and steps of a text, without comments. A line that ends in a backslash is continued."""
    lines = re.sub(r"\\\n\s*", "", commands).splitlines()
    return [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]


def tolerances(name: str) -> dict[str, float]:
    """Return the declared tolerances of optimisers' results, by the command as it is typed."""
    lines = [line[1:].split(maxsplit=1) for line in lines_of(room(name).commands) if line.startswith("~")]
    return {typed: float(tolerance) for tolerance, typed in lines} | dict(room(name).declared)


def masked(text: str, folder: Path) -> str:
    """Return a text in which everything is masked that depends on the day, the machine or the version."""
    today = datetime.date.today()
    days = {str(today + datetime.timedelta(days=n)) for n in (-1, 0, 1)}
    for path in {str(folder.resolve()), str(folder)}:
        text = text.replace(path, "FOLDER")
    if real := os.environ.get("HOWSURE_DATA"):
        text = text.replace(real, "DATA")
    text = re.sub(rf"(?<![\d.]){re.escape(howsure.__version__)}(?![\d.])", "VERSION", text)
    text = re.sub(
        r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?)?",
        lambda match: "TODAY" if match[0][:10] in days else match[0],
        text,
    )
    text = re.sub(r"[\d,.]+ per second", "SPEED per second", text)
    text = re.sub(r"\b\d+(?:\.\d+)? s for\b", "TIME for", text)
    text = re.sub(r"\btook \d+(?:\.\d+)? s\b", "took TIME", text)
    text = re.sub(r"\bin \d+(?:\.\d+)? (?:s|min|h|seconds?|minutes?)\b", "in TIME", text)
    text = re.sub(r"\b\d+% of the work was", "SHARE of the work was", text)
    text = re.sub(r"^[0-9a-f]{8} (?={)", "SUM ", text, flags=re.MULTILINE)  # of each line of a journal
    return re.sub(r"\b[0-9a-f]{64}\b", "SUM", text)


def folded(value: Any, indent: int = 0) -> str:
    """JSON with one line for whatever fits on one.

    >>> print(folded({"a": [1, 2], "b": {}}))
    {"a": [1, 2], "b": {}}
    """
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= WIDTH or not isinstance(value, dict | list) or not value:
        return flat
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        inside = [
            f"{pad}{json.dumps(key, ensure_ascii=False)}: {folded(element, indent + 1)}"
            for key, element in value.items()
        ]
        return "{\n" + ",\n".join(inside) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(f"{pad}{folded(element, indent + 1)}" for element in value) + "\n" + " " * indent + "]"


def text_lines(text: str, folder: Path) -> list[str]:
    """Return a text as lines: JSON compactly, and pages without pictures, styles and programs."""
    if text.lstrip().startswith(("{", "[")):
        with contextlib.suppress(ValueError):
            text = folded(json.loads(text))
    elif re.match(r"\s*<[!a-z](?!--)", text, re.IGNORECASE):
        text = page_text(text)
    text = masked(text, folder)
    if len(text) > LONGEST:
        lines = text.splitlines()
        return [*lines[:100], f"… in all {len(lines)} lines, of which the digest is {digest(text)}"]
    return text.splitlines()


def page_text(text: str) -> str:
    """Return what a reader of a page reads: its text, and cells of tables with bars between them, without pictures."""
    text = re.sub(r"<(style|script|svg)\b.*?</\1>", lambda match: f"[{match[1]}]", text, flags=re.DOTALL)
    text = re.sub(r"data:[\w/+.;-]+,[\w+/=%-]+", "[picture]", text)
    text = re.sub(r"</t[dh]>\s*", " | ", text)
    text = re.sub(r"<(?:/?(?:p|h\d|tr|table|li|ul|ol|div|section|figure|pre|details|summary)|br)\b[^>]*>", "\n", text)
    text = html.unescape(re.sub(r"<[^>]*>", "", text))
    return "\n".join(line for line in (" ".join(line.split()) for line in text.splitlines()) if line)


def digest(text: str) -> str:
    """Return a digest of the words of a text and of its numbers, rounded to six digits."""
    rounded = NUMBER.sub(lambda match: f"{float(match[0].replace(',', '').replace('−', '-')):.6g}", text)
    return hashlib.sha256(" ".join(rounded.split()).encode()).hexdigest()[:24]


def file_lines(path: Path, folder: Path) -> list[str]:
    """Return the contents of a file: text, the arrays of an .npz, the columns of a Parquet file; for other files, only
    their kind."""
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    if path.suffix == ".svg":
        return ["a figure"]
    if path.suffix == ".parquet":
        return text_lines(folded(shown(pyarrow.parquet.read_table(path).to_pydict())), folder)
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as arrays:
            names = [name for name in arrays.files if not name.endswith(".sha256")]
            return text_lines(folded({name: shown(arrays[name]) for name in names}), folder)
    if b"\0" in content[:4000] or path.suffix in (".png", ".pdf"):
        return [f"binary, {path.suffix}"]
    return text_lines(content.decode("utf-8", "backslashreplace"), folder)


def shown(value: object) -> Any:
    """Return a Python value as JSON; arrays with their type, and 24 values of long arrays."""
    if isinstance(value, np.ndarray):
        flat = value.ravel()
        few = flat[:: max(1, flat.size // 24)][:24]
        return {"array": f"{value.dtype.kind} {value.shape}", "values": [shown(element) for element in few.tolist()]}
    if isinstance(value, Mapping):
        return {str(key): shown(element) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [shown(element) for element in value]
    if isinstance(value, bool | int | float | str | None.__class__):
        return value
    if isinstance(value, bytes):  # JSON inside an .npz
        return json.loads(value) if value[:1] == b"{" else value.decode("utf-8", "backslashreplace")
    if isinstance(value, np.generic):
        return {"numpy": type(value).__name__, "value": shown(value.item())}
    return repr(value)


@contextlib.contextmanager
def place(*, with_data: bool = False) -> Iterator[Path]:
    """Context with a new folder that contains all inputs. Commands run on a terminal of fixed width, and find real data
    only on request."""
    kept, before = Path.cwd(), dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="goldens-") as name:
        for variable in ("NO_COLOR", "FORCE_COLOR", "HOWSURE_TRACEBACK"):
            os.environ.pop(variable, None)
        os.environ.update(ENVIRONMENT)
        os.environ["XDG_CACHE_HOME"] = name
        if not with_data:
            os.environ.pop("HOWSURE_DATA", None)
        try:
            os.chdir(name)
            write_inputs(Path(name))
            yield Path(name)
        finally:
            os.chdir(kept)
            os.environ.clear()
            os.environ.update(before)


@contextlib.contextmanager
def figures_seen() -> Iterator[list[str]]:
    """Context that collects the data of all figures that are saved."""
    lines: list[str] = []
    save = Figure.savefig

    def seen(figure: Figure, *positional: Any, **named: Any) -> None:
        lines.extend(figure_lines(figure))
        save(figure, *positional, **named)

    Figure.savefig = seen  # type: ignore[method-assign]
    try:
        yield lines
    finally:
        Figure.savefig = save  # type: ignore[method-assign]


def marks(folder: Path) -> dict[str, str]:
    """Return a checksum of each file of a folder."""
    paths = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    sums = {}
    for path in sorted(paths, key=lambda path: path.split(os.sep)):
        with open(path, "rb") as file:
            sums[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return sums


def seen_of_command(typed: str, folder: Path, before: Mapping[str, str]) -> tuple[Seen, dict[str, str]]:
    """Return what a command prints, writes and draws, and its exit code, with the checksums of all files after it.
    before: the checksums before it."""
    with figures_seen() as drawn, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            done = run_command(*shlex.split(typed))
            record: Seen = {"code": done.code, "out": text_lines(done.out, folder), "err": text_lines(done.err, folder)}
        except Exception as error:  # what no command should let out is part of what people see
            record = {"code": "raised", "err": text_lines(f"{type(error).__name__}: {error}", folder)}
    after = marks(folder)
    changed = [name for name, mark in after.items() if before.get(name) != mark]
    record["files"] = {masked(name, folder): file_lines(folder / name, folder) for name in changed}
    record["figures"] = drawn
    return {name: value for name, value in record.items() if value not in ([], {})}, after


def seen_of_call(call: Callable[[], object], folder: Path) -> Seen:
    """Return the result of a Python call: a text, a value, or the error and its sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = call()
        except Exception as error:
            return {"raises": text_lines(f"{type(error).__name__}: {error}", folder)}
    return {"gives": text_lines(value if isinstance(value, str) else folded(shown(value)), folder)}


def run_room(name: str) -> dict[str, Seen]:
    """Return what a user sees of each entry of a room, by the typed command or by its name."""
    opened_room = room(name)
    records: dict[str, Seen] = {}
    with place(with_data=opened_room.wants == "data") as folder:
        files = marks(folder)
        for line in lines_of(opened_room.commands):
            if line.startswith("!"):
                opened_room.steps[line[1:].strip()]()
                files = marks(folder)
                continue
            line = line.split(maxsplit=1)[1] if line.startswith("~") else line
            entry = f"{line}  # again" if line in records else line
            assert entry not in records, f"{name}: thrice {line}"
            records[entry], files = seen_of_command(line, folder, files)
        for name_of_call, call in opened_room.calls().items():
            assert name_of_call not in records, f"{name}: twice {name_of_call}"
            records[name_of_call] = seen_of_call(call, folder)
    if opened_room.wants is not None:
        return {
            key: {"code": record.get("code"), "digest": digest(json.dumps(record))} for key, record in records.items()
        }
    return records
