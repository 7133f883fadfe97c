"""The wrong inputs of docs/bad-input.md: what was typed beside what is wrong, and what is told."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import mkdtemp

from tests.cli.bad_input import Wrong
from tests.cli.bad_input_page import TOPICS
from tests.cli.running import howsure as run
from tests.goldens.running import Room


def refusal(wrong: Wrong) -> Callable[[], object]:
    """A call that tells what is told, in a folder with nothing but the wrong files."""

    def told() -> object:
        folder = Path(mkdtemp(dir=Path.cwd()))
        kept = Path.cwd()
        for name, content in wrong.files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
        os.chdir(folder)
        try:
            done = run(*shlex.split(wrong.typed))
        finally:
            os.chdir(kept)
        left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
        shutil.rmtree(folder)
        assert left == sorted(wrong.files), f"files are left behind: {left}"
        ended = "" if (done.code, done.out) == (2, "") else f"code {done.code}, printed {done.out}\n"
        return f"{wrong.typed}\n{ended}{done.err}"

    return told


def calls() -> Mapping[str, Callable[[], object]]:
    """All of the table, each by what is wrong."""
    return {f"{topic}: {wrong.what}": refusal(wrong) for topic, wrongs in TOPICS.items() for wrong in wrongs}


ROOM = Room(calls=calls, long=True)
