"""The language of the project: counts that may fall and must not rise, and the subjects of commits."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.language import PATHS, ROOT, all_hits, name_hits, phrase_hits

# The counts of the last change: a change that lowers one writes the new count here. The phrases that remain are right:
# "tell … apart" and "cannot tell" of verdicts, the words of a pattern or a lexicon, and the old names in the changelog.
# Most names that remain are fields of results, or JSON keys, which stay.
MOST_PHRASES = 12
MOST_VAGUE_NAMES = 40
MOST_VAGUE_NAMES_ELSEWHERE = 1  # in tests, benchmarks, scripts and the website
LONGEST_SUBJECT = 72
RULE_SINCE = "2026-11-30T00:00:00Z"  # older subjects stay as they are


@pytest.mark.long
def test_the_language_gets_no_worse() -> None:
    phrases, names = all_hits([ROOT / path for path in PATHS])
    assert len(phrases) <= MOST_PHRASES, "python scripts/language.py --list shows the phrases"
    assert len(names) <= MOST_VAGUE_NAMES, "python scripts/language.py --list shows the names"


@pytest.mark.long
def test_names_elsewhere_get_no_worse() -> None:
    elsewhere = [
        *ROOT.glob("packages/*/tests"),
        *(ROOT / name for name in ("tests", "benchmarks", "scripts", "website")),
    ]
    sources = [path for folder in elsewhere for path in sorted(folder.rglob("*.py"))]
    names = [hit for source in sources for hit in name_hits(source)]
    assert len(names) <= MOST_VAGUE_NAMES_ELSEWHERE, "python scripts/language.py --list FOLDER shows the names"


def test_phrases_and_names_are_counted(tmp_path: Path) -> None:
    source = tmp_path / "source.py"
    source.write_text(
        '"""It is told beside the table."""\n\nfor one in range(3):  # so many\n    total = one\n\n\n'
        "def mean(held: list[float]) -> float:\n    return sum(held)\n",
        encoding="utf-8",
    )
    assert [(hit.line, hit.advice) for hit in phrase_hits(source)] == [
        (1, "reported, shown"),
        (1, "next to, along with"),
        (3, "this many"),
    ]
    assert sorted((hit.line, hit.text) for hit in name_hits(source)) == [(3, "one"), (7, "held")]


def subjects(folder: Path) -> list[str]:
    """The subjects of the commits since the rule began; none without git or outside a checkout."""
    git = shutil.which("git")
    if git is None or not (folder / ".git").exists():
        return []
    command = [git, "-C", str(folder), "log", f"--since={RULE_SINCE}", "--no-merges", "--format=%s"]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False).stdout.splitlines()


def test_subjects_of_commits_are_short() -> None:
    assert [subject for subject in subjects(ROOT) if len(subject) > LONGEST_SUBJECT] == []
