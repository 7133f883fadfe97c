"""What a reproduction is: findings of a paper beside ours, tables, and figures drawn when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from howsure.show.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Advance = Callable[[int], None]


def nobody(steps: int) -> None:
    """The progress callback of those who do not ask."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a figure or section of the paper says, what ours says, and whether the paper's finding holds.

    figure: its number, "section 4.1.2", or nothing for what no paper asked. holds: None where our data cannot tell: the
    interval that decides it includes both answers. setting: the data and models, where a finding is judged on several.
    """

    figure: str
    paper: str
    ours: str
    holds: bool | None
    setting: str = ""

    @property
    def verdict(self) -> str:
        """The answer in words."""
        return "undecided" if self.holds is None else "holds" if self.holds else "does NOT hold"

    @property
    def place(self) -> str:
        """Where the paper says it, in words."""
        if not self.figure:
            return "beyond the papers"
        if not self.figure[0].isdigit():
            return self.figure
        several = any(part[0].isdigit() for part in self.figure.split(", ")[1:])
        return f"{'Figures' if several else 'Figure'} {self.figure}"


@dataclass(frozen=True, slots=True)
class Reproduction:
    """An experiment of a paper, run again.

    `draw` makes its figures, by name of file; `captions` says what each shows, by the same names. `notes` say how our
    data and methods differ from the paper's, `corrections` where the paper's way can be bettered.
    """

    name: str
    title: str
    findings: tuple[Finding, ...]
    tables: tuple[Table, ...]
    recipe: Mapping[str, Any]
    draw: Callable[[], dict[str, Figure]] = field(repr=False)
    notes: tuple[str, ...] = ()
    captions: Mapping[str, str] = field(default_factory=dict)
    corrections: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, without the figures."""
        findings = [
            {"figure": f.figure, "setting": f.setting, "paper": f.paper, "ours": f.ours, "holds": f.holds}
            for f in self.findings
        ]
        tables = [
            {"title": t.caption, "headers": list(t.headings), "rows": [list(r) for r in t.rows]} for t in self.tables
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
