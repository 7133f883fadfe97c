"""One trial of a reader: read bytes as a file, and report any undocumented error."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from pathlib import Path

from howsure.errors import HowsureError
from tests.fuzz.readers import READERS, Reader, run
from tests.source import PACKAGES

CRASHES = Path(__file__).parent / "crashes"  # of the past, a folder a reader


@dataclass(frozen=True)
class Crash:
    """An undocumented exception: its type, the last line of howsure's code that it went through, and its traceback."""

    where: str
    traceback_text: str


def crash_of(reader: Reader, content: bytes, folder: Path) -> Crash | None:
    """Return what went wrong when the reader read the content; None if it was read, or rejected as documented."""
    path = folder / f"input{reader.suffix}"
    path.write_bytes(content)
    try:
        run(reader, path)
    except HowsureError:
        return None
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if set(PACKAGES.values()) & {*Path(frame.filename).parents}] or frames
        traceback_text = "".join(traceback.format_exception(error, limit=-12))
        return Crash(f"{type(error).__name__} at {Path(ours[-1].filename).name}:{ours[-1].lineno}", traceback_text)
    return None


def past_crashes() -> list[tuple[Reader, Path]]:
    """Return the inputs that once crashed a reader."""
    return [(READERS[path.parent.name], path) for path in sorted(CRASHES.rglob("*")) if path.is_file()]
