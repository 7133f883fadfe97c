"""`howsure look` at documents: the commands that it proposes for them run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tests.cli.running import howsure as run
from tests.cli.test_look import table

import howsure


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_documents_lead_to_events(pipeline: Path) -> None:
    rows = (
        (f"n{i}", f"2026-03-{1 + i % 28:02}", f"Attack {i}", f"Syria attacked Iraq on day {i}. " * 4) for i in range(9)
    )
    looked = howsure.look(table("news.csv", "id published headline body", rows))
    (command,) = looked.commands
    assert command == (
        "howsure events extract news.csv --text body --date published --id id --title headline --parser en_core_web_sm "
        "--store news.duckdb"
    )
    assert any("docs/news-to-number.md" in note for note in looked.notes)
    words = shlex.split(command.replace("en_core_web_sm", str(pipeline)))
    assert "9 documents of" in run(*words[1:], "--workers", "1").out


def test_scored_documents_lead_to_a_store_of_events() -> None:
    rows = [f"d{at},{at % 28 + 1}-Jan-9{at % 9},{('Health', 'Crime')[at % 2]},0.{at:02},Text {at}" for at in range(60)]
    Path("news.csv").write_text("\n".join(["doc,published,topic,p,headline", *rows]))
    shown = run("look", "news.csv").out
    command = "howsure events import news.csv --id doc --date published --actor topic --prob p --title headline"
    assert f"  {command} --store news.duckdb\n" in shown
    imported = run(*shlex.split(f"{command} --store news.duckdb")[1:]).out
    assert "dates were read as %d-%b-%y" in imported
    (proposed,) = re.findall(r"Next: howsure (events label .*) \(read some", imported)
    assert "20 left" in run(*shlex.split(proposed), "--draw-only", "--labels", "20").out
    drawing = run("events", "figure", "news.duckdb")
    assert (drawing.code, "howsure events series STORE --figure FILE.pdf" in drawing.err) == (2, True)
