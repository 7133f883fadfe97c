"""Scores of agents against their costs, or their range where some trials errored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from howsure.figures.marked_rows import Mark, draw_rows
from howsure.figures.style import INK, QUIET, dress, literal, look, new_figure, shortened_name, styled
from howsure.figures.width import is_narrow
from howsure.result import Estimate

if TYPE_CHECKING:
    from howsure.scores.agent_results import AgentRow, AgentTable

WIDTH, HEIGHT = 5.4, 3.6  # inches
NAME_LENGTH, NARROW_LENGTH = 24, 16
MOST_AGENTS = 40


def draw_agents(table: AgentTable, *, ax: Axes | None = None) -> Axes:
    """Draw each agent's score against its cost (on a log scale) with both intervals; without costs, a row per agent.

    A vertical bar of an agent with errored trials reaches from the mean with these failed to that with them passed.
    Dominated agents are grey. Of more than 40 agents, the best are drawn.
    """
    rows = [row for row in table.rows if row.cost is not None][:MOST_AGENTS]
    if not rows:
        return _draw_ranges(table, ax)
    with styled():
        axes = new_figure(WIDTH, HEIGHT).subplots() if ax is None else ax
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(_plain_number))
        axes.xaxis.set_minor_locator(NullLocator())
        costs = [row.cost.value for row in rows if row.cost is not None]
        middle = (min(costs) * max(costs)) ** 0.5
        for row in rows:
            _draw_agent(axes, row, middle)
        cost = table.recipe.get("cost", "cost")
        left_out = len(table.rows) - len(rows)
        literal(
            axes.set_xlabel(""), f"{cost} of a task, geometric mean" + f" ({left_out} agents left out)" * bool(left_out)
        )
        literal(axes.set_ylabel(""), f"mean {table.score}")
        axes.plot([], [], "o", color=look(0).colour, markersize=4, label="not dominated")
        if any(row.dominated_by for row in rows):
            axes.plot([], [], "s", color=QUIET, markersize=4, label="dominated")
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
        dress(axes, grid="y")
    return axes


def _plain_number(value: float, _: int | None) -> str:
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"


def _draw_agent(axes: Axes, row: AgentRow, middle: float) -> None:
    assert row.cost is not None
    colour, marker = (QUIET, "s") if row.dominated_by else (look(0).colour, "o")
    x, y = row.cost.value, (row.lowest + row.highest) / 2
    axes.plot([x, x], [row.low, row.high], color=colour, linewidth=1.0, solid_capstyle="butt")
    axes.plot([x, x], [row.lowest, row.highest], color=colour, linewidth=3.5, solid_capstyle="butt")
    if row.cost.low is not None and row.cost.high is not None:
        axes.plot([row.cost.low, row.cost.high], [y, y], color=colour, linewidth=1.0, solid_capstyle="butt")
    axes.plot([x], [y], marker, color=colour, markersize=4.5)
    name = shortened_name(row.model or "all", NARROW_LENGTH if is_narrow() else NAME_LENGTH)
    text = axes.annotate(
        "",
        (x, y),
        xytext=(5 if x <= middle else -5, 5),
        textcoords="offset points",
        ha="left" if x <= middle else "right",
        color=QUIET if row.dominated_by else INK,
    )
    literal(text, name)


def _draw_ranges(table: AgentTable, ax: Axes | None) -> Axes:
    failed = Mark("errored trials failed", _as_failed, "o", look(0).colour, 0.0)
    passed = Mark("errored trials passed", _as_passed, "x", INK, 0.0, bare=True)
    marks = [failed, passed] if any(row.errored for row in table.rows) else [failed]
    return draw_rows(
        table.rows, marks, name=lambda row: row.model or "all trials", of="agents", label=f"mean {table.score}", ax=ax
    )


def _as_failed(row: AgentRow) -> Estimate:
    return Estimate(row.lowest, row.low, row.high, level=0.95, method="", n=row.n)


def _as_passed(row: AgentRow) -> Estimate:
    return Estimate(row.highest, None, None, level=0.95, method="", n=row.n)
