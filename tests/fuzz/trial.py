"""One trial of a reader: read some bytes as a file, and say whether anything but a documented error came of it."""

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
    """An exception that nobody documents: its type and the last line of ours that it went through, and all of it."""

    where: str
    traceback_text: str


def crash_of(reader: Reader, content: bytes, folder: Path) -> Crash | None:
    """What went wrong when the reader read the content; None if it was read, or refused as documented."""
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
    """The inputs that once crashed a reader."""
    return [(READERS[path.parent.name], path) for path in sorted(CRASHES.rglob("*")) if path.is_file()]
