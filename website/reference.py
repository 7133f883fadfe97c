"""The pages of the API reference: every public name once, with the path from which a user imports it."""

from __future__ import annotations

import importlib
import inspect
import re
from dataclasses import dataclass
from pathlib import Path

from website.tasks import page as task_page

PACKAGE = "howsure"


@dataclass(frozen=True)
class Chapter:
    """A page of the reference: its title, and the modules whose public names it lists."""

    title: str
    modules: tuple[str, ...]
    about: str


CHAPTERS = {
    "calibration": Chapter(
        "Calibration", ("howsure.calibration",), "[The chapter](../calibration.md) shows how to use them."
    ),
    "look": Chapter(
        "What is in a file",
        ("howsure_cli.look", "howsure.data.column_roles"),
        "[The chapter](../look.md) shows how to use them.",
    ),
    "signature": Chapter(
        "Signatures", ("howsure.data.signature",), "[The page](../signature.md) shows how to use them."
    ),
    "scores": Chapter("Scores", ("howsure.scores",), "[The chapter](../scores.md) shows how to use them."),
    "sequential": Chapter("Stopping", ("howsure.sequential",), "[The chapter](../stopping.md) shows how to use them."),
    "judges": Chapter("Judges", ("howsure.judges",), "[The chapter](../judges.md) shows how to use them."),
    "sklearn": Chapter(
        "scikit-learn", ("howsure.sklearn",), "[The chapter](../calibration.md#in-scikit-learn) shows how to use them."
    ),
    "significance": Chapter(
        "Significance",
        ("howsure.significance", "howsure.significance.boostsa"),
        "[The chapter](../significance.md) shows how to use them.",
    ),
    "selective": Chapter(
        "Selective answers", ("howsure.selective",), "[The chapter](../selective.md) shows how to use them."
    ),
    "fields": Chapter("Extracted fields", ("howsure.fields",), "[The chapter](../fields.md) shows how to use them."),
    "check": Chapter("Checks", ("howsure.check",), "[The chapter](../check.md) shows how to use them."),
    "recalibration": Chapter(
        "Recalibration", ("howsure.recalibration",), "[The chapter](../recalibration.md) shows how to use them."
    ),
    "monitoring": Chapter(
        "Monitoring", ("howsure.monitoring",), "[The chapter](../monitoring.md) shows how to use them."
    ),
    "counts": Chapter("Counts", ("howsure.counts",), "[The chapter](../counts.md) shows how to use them."),
    "regression": Chapter(
        "Regression", ("howsure.regression",), "[The chapter](../predicted-labels.md) shows how to use them."
    ),
    "sequences": Chapter(
        "Sequences", ("howsure_text.sequences",), "[The chapter](../sequences.md) shows how to use them."
    ),
    "coreference": Chapter(
        "Coreference", ("howsure_text.coreference",), "[The chapter](../coreference.md) shows how to use them."
    ),
    "events": Chapter("Events", ("howsure_events",), "[The chapter](../events.md) shows how to use them."),
    "propagation": Chapter(
        "Propagation of uncertainty",
        ("howsure.propagation",),
        "[The chapter on coreference](../coreference.md#samples-through-a-pipeline) shows how to use them.",
    ),
    "data": Chapter(
        "Data", ("howsure.data", "howsure_cli.datasets"), "[The chapter](../data.md) shows how to use them."
    ),
    "shared": Chapter("Pairs, estimates and errors", ("howsure",), "What all chapters share."),
    "reports": Chapter(
        "Reports and the explorer",
        ("howsure_cli.report", "howsure_events.explorer"),
        "Pages in HTML for other readers.",
    ),
}


def names_of(chapter: Chapter) -> list[str]:
    """Return the public paths of a chapter: `howsure.NAME` if that exists, else `howsure.chapter.NAME`."""
    package = importlib.import_module(PACKAGE)
    names = []
    for part in chapter.modules:
        module = importlib.import_module(part)
        for name in module.__all__:
            if part != PACKAGE and name in package.__all__ and getattr(package, name) is getattr(module, name):
                names.append(f"{PACKAGE}.{name}")
            elif part != PACKAGE or name not in in_a_chapter():
                names.append(f"{module.__name__}.{name}")
    return sorted(names, key=lambda path: (not inspect.isfunction(found(path)), path.count("."), path))


def in_a_chapter() -> set[str]:
    """Return the public names of howsure that belong to a chapter."""
    parts = [part for chapter in CHAPTERS.values() for part in chapter.modules if part != PACKAGE]
    return {name for part in parts for name in importlib.import_module(part).__all__}


def public_names() -> list[str]:
    """Return every path of the reference."""
    return [path for chapter in CHAPTERS.values() for path in names_of(chapter)]


def found(path: str) -> object:
    """Return the object of a dotted path."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def first_sentence(path: str) -> str:
    """Return the first paragraph of a docstring, formatted for a table cell."""
    text = inspect.getdoc(found(path)) or ""
    return re.sub(r"\s+", " ", text.split("\n\n")[0]).replace("|", "\\|")


def page_of(chapter: Chapter) -> str:
    """Return a page: a table of its contents, then the functions and the classes in order."""
    names = names_of(chapter)
    rows = [f"| [`{path.removeprefix(PACKAGE + '.')}`][{path}] | {first_sentence(path)} |" for path in names]
    entries = [f"::: {path}" for path in names]
    table = ["| name | what it is |", "|---|---|", *rows]
    return "\n".join([f"# {chapter.title}", "", chapter.about, "", *table, "", *"\n\n".join(entries).split("\n"), ""])


def write_reference(folder: Path) -> None:
    """Write the pages, an index of all chapters, and the functions by task with links to the pages."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, chapter in CHAPTERS.items():
        (folder / f"{name}.md").write_text(page_of(chapter), encoding="utf-8")
    (folder.parent / "api.md").write_text(task_page("[`{name}`][howsure.{name}]", with_results=True), encoding="utf-8")
    lines = ["# API reference", "", "Every public function and result, by the name from which it is imported.", ""]
    for name, chapter in CHAPTERS.items():
        links = ", ".join(f"[`{path.removeprefix(PACKAGE + '.')}`][{path}]" for path in names_of(chapter))
        lines += [f"## [{chapter.title}]({name}.md)", "", links, ""]
    (folder / "index.md").write_text("\n".join(lines), encoding="utf-8")
