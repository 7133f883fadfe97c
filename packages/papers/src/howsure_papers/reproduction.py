"""Reproductions: a paper's findings compared with ours, tables and drawings, and how these are printed.

An experiment is a function with the decorator `experiment` that returns an `ExperimentResult`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, ParamSpec

from howsure import __version__
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.parameter_types import Figure
from howsure.result import Rows
from howsure.show.table import Cell, Column, Kind, Table

Parameters = ParamSpec("Parameters")
Advance = Callable[[int], None]
CORRECTIONS = "Corrections to the paper"
MAX_PAGE_ROWS = 16  # rows of a table on a page; for longer tables, the page shows the first rows and names a file
FIRST_ROWS = 10
VERDICT = re.compile(r"\| (holds|does NOT hold|undecided) \|$", re.MULTILINE)


def ignore_progress(steps: int) -> None:
    """The default progress callback, which does nothing."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim of a figure or section of the paper, our result, and whether the claim is true.

    figure: its number, "section 4.1.2", or empty if no paper makes the claim. holds: None if our data cannot decide,
    because the decisive interval includes both answers. setting: the data and models, if a finding is evaluated on
    several.
    """

    figure: str
    paper: str
    ours: str
    holds: bool | None
    setting: str = ""

    @property
    def verdict(self) -> str:
        return "undecided" if self.holds is None else "holds" if self.holds else "does NOT hold"

    @property
    def place(self) -> str:
        """Return the table, figure or section of the paper, in words."""
        if not self.figure:
            return "beyond the papers"
        if not self.figure[0].isdigit():
            return self.figure
        several = any(part[0].isdigit() for part in self.figure.split(", ")[1:])
        return f"{'Figures' if several else 'Figure'} {self.figure}"

    def __str__(self) -> str:
        heading = ", ".join(filter(None, (self.place, self.setting)))
        heading_ours = "paper" if self.figure else "asked"
        return f"{heading}: {self.verdict}\n  {heading_ours}: {self.paper}\n  ours:  {self.ours}"


class Blank(Kind):
    """A kind of figure with an empty cell for missing values."""

    __slots__ = ()

    def cell(self, value: Any) -> Cell:
        """The cell that shows the value; an empty cell for None."""
        return Cell("" if value is None else self.text(value))


NAME = Blank(str, left=True, missing="")  # left-aligned text, such as row labels
TEXT = Blank(str, missing="")  # right-aligned text, such as a paper's numbers


@dataclass(frozen=True, slots=True, repr=False)
class Numbers(Rows[Any]):
    """A table of an experiment: rows of any kind, and the columns to show."""

    caption: str
    rows: tuple[Any, ...]
    shown: tuple[Column, ...]
    recipe: Mapping[str, Any] = field(default_factory=dict)
    named = ""

    def columns(self) -> Sequence[Column]:
        return self.shown

    def table(self) -> Table:
        return replace(Rows.table(self), caption=self.caption, title=self.caption)


def numbers(caption: str, rows: Iterable[Any], *columns: Column) -> Numbers:
    return Numbers(caption, tuple(rows), columns)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure that is drawn when asked for: the name of its file, and what it shows."""

    name: str
    caption: str
    draw: Callable[[], Figure] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentResult:
    """The results of an experiment, or of a part of it.

    notes: differences between our data and methods and the paper's. corrections: improvements of the paper's methods.
    quoted: excerpts from the data, which are printed only for users who have the data, and never on a page. recipe:
    data and settings.
    """

    findings: Sequence[Finding] = ()
    tables: Sequence[Numbers] = ()
    drawings: Sequence[Drawing] = ()
    notes: Sequence[str] = ()
    corrections: Sequence[str] = ()
    quoted: Sequence[str] = ()
    recipe: Mapping[str, Any] = field(default_factory=dict)

    def __add__(self, other: ExperimentResult) -> ExperimentResult:
        """Return both results together. Notes that are in both appear once."""
        return ExperimentResult(
            findings=(*self.findings, *other.findings),
            tables=(*self.tables, *other.tables),
            drawings=(*self.drawings, *other.drawings),
            notes=tuple(dict.fromkeys((*self.notes, *other.notes))),
            corrections=(*self.corrections, *other.corrections),
            quoted=(*self.quoted, *other.quoted),
            recipe={**self.recipe, **other.recipe},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction(ExperimentResult):
    """An experiment of a paper, run again."""

    name: str
    title: str

    def draw(self) -> dict[str, Figure]:
        """The figures by the names of their files."""
        return {drawing.name: drawing.draw() for drawing in self.drawings}

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, without the figures."""
        findings = [
            {"figure": f.figure, "setting": f.setting, "paper": f.paper, "ours": f.ours, "holds": f.holds}
            for f in self.findings
        ]
        tables = [
            {"title": table.caption, "headers": list(table.headings), "rows": [list(row) for row in table.rows]}
            for table in (numbers.table() for numbers in self.tables)
        ]
        return {
            "name": self.name,
            "title": self.title,
            "notes": list(self.notes),
            "corrections": list(self.corrections),
            "recipe": dict(self.recipe),
            "findings": findings,
            "tables": tables,
        }

    def text(self, limit: int | None = None) -> str:
        """Every table, then the findings: the paper's claim, our result, and whether the claim holds."""
        parts = [self.title, *self.notes, *(str(table.table()) for table in self.tables), *self.quoted]
        parts += [self.summary(limit), *map(str, self.findings)]
        if self.corrections:
            parts.append("\n".join([CORRECTIONS, *(f"- {correction}" for correction in self.corrections)]))
        return "\n\n".join([*parts, self._recipe_text()]) + "\n"

    def page(self, command: str, folder: str, limit: int | None = None) -> str:
        """A page of Markdown: findings first, then figures, which are in a folder next to it, tables and the recipe.

        Only the first rows of long tables are shown; `long_tables` are files with all rows, in the same folder. The
        page names no version, because a test compares the pages of this repository with the current output of their
        commands.
        """
        parts = [f"# {self.title}", f"This page was generated by `{command}`.", self.summary(limit)]
        parts += [*_overview(self.findings), *_by_setting(self.findings)]
        if self.corrections:
            parts += [f"## {CORRECTIONS}", _listed(self.corrections)]
        parts += ["## Figures"] if self.drawings else []
        for drawing in self.drawings:
            parts.append(f"![{drawing.name.replace('-', ' ')}]({folder}/{drawing.name}.svg)\n\n*{drawing.caption}*")
        for numbers in self.tables:
            table, name = replace(numbers.table(), caption=""), f"{folder}/{_file_name(numbers.caption)}"
            parts.append(f"## {numbers.caption}")
            if len(table.rows) > MAX_PAGE_ROWS:
                parts.append(replace(table, rows=table.rows[:FIRST_ROWS]).markdown())
                parts.append(f"The first {FIRST_ROWS} of [{len(table.rows)} rows]({name}).")
            else:
                parts.append(table.markdown())
        parts += ["## Methods", _listed([*self.notes, f"Recipe: {self._recipe_text(without='howsure')}."])]
        return "\n\n".join(parts) + "\n"

    def long_tables(self) -> dict[str, str]:
        """The tables that a page does not show completely, as CSV, by the names of their files."""
        tables = {_file_name(numbers.caption): numbers.table() for numbers in self.tables}
        return {name: f"{table.csv()}\n" for name, table in tables.items() if len(table.rows) > MAX_PAGE_ROWS}

    def summary(self, limit: int | None = None) -> str:
        """The number of findings that hold; with a limit, a note that they are from a reduced run."""
        holds = [finding.holds for finding in self.findings]
        hold, fail, undecided = (holds.count(verdict) for verdict in (True, False, None))
        summary_text = f"Of {counted(len(holds), 'finding')} {counted(hold, 'holds', 'hold')}, "
        summary_text += counted(fail, "does not", "do not")
        if undecided:
            summary_text += f", {counted(undecided, 'is', 'are')} undecided at the 95 % level"
        if limit is None:
            return f"{summary_text}."
        quick_look = f"Only the first {limit:,} texts or sentences of each part were read (--limit)"
        return f"{summary_text}. {quick_look}: a quick look, not a result."

    def _recipe_text(self, *, without: str = "") -> str:
        return ", ".join(f"{key} {value}" for key, value in self.recipe.items() if key != without)


@dataclass(frozen=True, slots=True)
class Experiment(Generic[Parameters]):
    """A function that runs an experiment, `find`, under its title; it calls `advance` for each of its `steps`."""

    title: str
    steps: Callable[..., int]
    find: Callable[Parameters, ExperimentResult]

    def __call__(self, *args: Parameters.args, **options: Parameters.kwargs) -> Reproduction:
        result = self.find(*args, **options)
        recipe = {"howsure": __version__, **result.recipe}
        return Reproduction(
            name=self.find.__name__.removeprefix("reproduce_").replace("_", "-"),
            title=self.title,
            findings=tuple(result.findings),
            tables=tuple(replace(table, recipe=recipe) for table in result.tables),
            drawings=tuple(result.drawings),
            notes=tuple(result.notes),
            corrections=tuple(result.corrections),
            quoted=tuple(result.quoted),
            recipe=recipe,
        )


def experiment(
    title: str, *, steps: Callable[..., int]
) -> Callable[[Callable[Parameters, ExperimentResult]], Experiment[Parameters]]:
    """Make an experiment from `reproduce_NAME`. steps: a function that computes their number from its options."""
    return lambda find: Experiment(title, steps, find)


def _listed(sentences: Iterable[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _file_name(caption: str) -> str:
    """The name of the file of a table.

    >>> _file_name("Figure 4 (b): errors by tag pair, EWT")
    'figure-4-b-errors-by-tag-pair-ewt.csv'
    """
    return "-".join(re.findall(r"[a-z0-9]+", caption.lower())[:12]) + ".csv"


def _overview(findings: Sequence[Finding]) -> list[str]:
    """The verdicts on claims that are judged in several settings: one row per claim, one column per setting."""
    verdicts: dict[tuple[str, str], dict[str, str]] = {}
    for finding in findings:
        verdicts.setdefault((finding.place, finding.paper), {})[finding.setting] = finding.verdict
    tables: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for claim, verdicts_of_claim in verdicts.items():
        if len(verdicts_of_claim) > 1:
            tables.setdefault(("where", "claim", *verdicts_of_claim), []).append((*claim, *verdicts_of_claim.values()))
    return [Table(names, rows, words=names).markdown() for names, rows in tables.items()]


def _by_setting(findings: Sequence[Finding]) -> list[str]:
    """A table of findings for each setting, under its name."""
    headers, parts = ("where", "claim", "here", "verdict"), []
    for setting in dict.fromkeys(finding.setting for finding in findings):
        rows = [(f.place, f.paper, f.ours, f.verdict) for f in findings if f.setting == setting]
        parts += [f"## {setting}"] if setting else []
        parts.append(VERDICT.sub(r"| **\1** |", Table(headers, rows, words=headers).markdown()))
    return parts
