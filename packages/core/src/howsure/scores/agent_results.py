"""The result of `score_agents`: a row per agent, with bounds for errored trials, its cost and its dominating agents."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from howsure.inputs.numbers_and_names import MAX_NAMED, count_equal_first, counted, equal_values_text, shortened
from howsure.inputs.parameter_types import Axes, Figure
from howsure.notes import DETAIL, FINDING, Note
from howsure.result import Estimate, Rows, as_json, estimate_text
from howsure.scores.results import Ranked, ranked_best_text
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, ESTIMATE, FLAG, FRAME, LOWER, TABLE, TEXT, WORDS, Column, digits


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRow(Ranked):
    """The trials of an agent on n tasks.

    errors_left_out: the mean score over trials without errors; None if all trials errored. lowest, highest: the mean
    score if all errored trials failed, and if all passed. low, high: the interval of the mean score. It is valid for
    any scores that the errored trials might have had. cost: the geometric mean of the cost of a task; mean_cost: the
    arithmetic one. dominated_by: agents that are significantly better and significantly cheaper; None if agents are not
    compared. rank_low, rank_high: possible ranks. tier, maybe_best, not_compared: as in `ScoreRow`.
    """

    model: str | None
    n: int
    trials: int
    errored: int
    errors_left_out: Estimate | None
    lowest: float
    highest: float
    low: float
    high: float
    cost: Estimate | None
    mean_cost: float | None
    dominated_by: tuple[str, ...] | None
    rank_low: int | None
    rank_high: int | None
    tier: int | None
    maybe_best: bool | None
    not_compared: tuple[str, ...] = as_json(None, default=())

    @property
    def range_text(self) -> str:
        """The lowest and highest mean, and the interval."""
        means = f"{self.lowest:.4f}" if not self.errored else f"{self.lowest:.4f}–{self.highest:.4f}"
        return f"{means} [{self.low:.4f}, {self.high:.4f}]"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AgentTable(Rows[AgentRow]):
    """The result of `score_agents`: a row per agent, in descending order of the mean score with errored trials failed.

    score: the name of the score. recipe: everything needed to repeat it.
    """

    rows: tuple[AgentRow, ...] = as_json("agents")
    score: str
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, Any]

    named = "model"
    title = "Agents"
    suggested: ClassVar = {"report": "agents.html"}

    def columns(self) -> Sequence[Column]:
        """Tasks, trials, errored trials, means, costs, ranks, and the agents that dominate each agent."""
        rows = self.rows
        level = f"{100 * self.recipe['level']:g}%"
        errored, costs, ranked = (
            any(row.errored for row in rows),
            any(row.cost is not None for row in rows),
            any(row.ranks for row in rows),
        )
        shown = [
            Column("model", WORDS) if any(row.model is not None for row in rows) else None,
            Column("n", COUNT, "tasks"),
            Column("trials", COUNT, only="" if any(row.trials > row.n for row in rows) else FRAME, detail=True),
            Column(
                "errored", COUNT, only="" if errored else FRAME, legend="trials that ended in an error", detail=True
            ),
            Column("errors_left_out", ESTIMATE, "errors left out", only="" if errored else FRAME, detail=True),
            Column(
                "range",
                TEXT,
                "errors failed–passed" if errored else "mean",
                get=lambda row: row.range_text,
                only=TABLE,
                legend=f"in brackets the {level} interval" + ", whatever errored trials would have scored" * errored,
            ),
            *(Column(name, digits(4), only=FRAME) for name in ("lowest", "highest", "low", "high")),
            Column(
                "cost", TEXT, "geometric mean cost", get=_cost_text, only=TABLE, better=LOWER, legend="cost of a task"
            )
            if costs
            else None,
            Column("cost", ESTIMATE, only=FRAME) if costs else None,
            Column("mean_cost", digits(4), only=FRAME) if costs else None,
            Column("rank", TEXT, get=lambda row: row.ranks, only=TABLE) if ranked else None,
            Column("tier", COUNT, only=FRAME) if ranked else None,
            Column("maybe_best", FLAG, "may be best", only=FRAME) if ranked else None,
            Column("dominated_by", WORDS, "dominated by", get=_dominators_text, detail=True)
            if costs and ranked
            else None,
        ]
        return [column for column in shown if column is not None]

    @property
    def answer(self) -> str:
        """The best agent, the bounds of its mean, and the agents that do not differ significantly from it."""
        first = self.rows[0]
        name = first.model or "The agent"
        depends = f", depending on {counted(first.errored, 'errored trial')}" if first.errored else ""
        value = first.range_text.replace("–", " to ")
        if len(self.rows) == 1:
            return f"{name} scores {value}{depends}."
        if (equal := self._equally_good()) > 1:
            names = [str(row.model) for row in self.rows[:equal]]
            statement = equal_values_text(names, value + depends, extreme="highest", of_all=len(self.rows))
            rest = "not ranked" if first.ranks is None else ranked_best_text(self.rows, equal=equal)
            return f"{statement}{f'; {rest}' if equal < len(self.rows) or first.ranks is None else ''}."
        if first.ranks is None:
            return f"{name} has the highest mean, {value}{depends}; {len(self.rows):,} agents, not ranked."
        rest = ranked_best_text(self.rows)
        if first.rank_high == 1 and any(row.errored for row in self.rows):
            rest += ", whatever errored trials would have scored"
        if first.lowest < max(row.lowest for row in self.rows):
            return f"{name} scores best on the tasks that agents share, {value} on all its own tasks{depends}; {rest}."
        return f"{name} scores best, {value}{depends}; {rest}."

    def _equally_good(self) -> int:
        """How many of the first agents have the same mean on the same number of tasks, without errored trials."""
        if any(row.errored or row.n != self.rows[0].n for row in self.rows):
            return 1
        return count_equal_first([row.lowest for row in self.rows])

    def footnotes(self) -> Sequence[str]:
        """The dominated agents, the notes, and an explanation of the means and of domination."""
        dominated = [row for row in self.rows if row.dominated_by]
        findings = [
            Note(
                f"{shortened(row.dominated_by or (), limit=MAX_NAMED)} "
                f"{'is' if len(row.dominated_by or ()) == 1 else 'are'} significantly better and cheaper than "
                f"{row.model}.",
                FINDING,
            )
            for row in dominated[:MAX_NAMED]
        ]
        if len(dominated) > MAX_NAMED:
            findings.append(Note(f"{len(dominated) - MAX_NAMED:,} more agents are dominated.", FINDING))
        details = [
            Note(
                "Ranks are valid even if all errored trials of one agent had failed and those of another had passed.",
                DETAIL,
            )
        ] * any(row.errored and row.ranks for row in self.rows)
        return [*findings, *self.notes, *details]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw scores against costs, or without costs the range and interval of each agent."""
        from howsure.figures.scores import draw_agents

        return draw_agents(self, ax=ax)

    def figure(self) -> Figure:
        """The same as a figure."""
        from howsure.figures.style import parent_figure

        return parent_figure(self.plot())


def _cost_text(row: AgentRow) -> str | None:
    """The cost with its interval, to three digits or to the unit."""
    if row.cost is None:
        return None
    return estimate_text(row.cost, max(2 - math.floor(math.log10(row.cost.value)), 0))


def _dominators_text(row: AgentRow) -> str:
    return ", ".join(row.dominated_by or ())
