"""Figures of scores: leaderboards, pass@k by k, agents by score and cost, and the items of a benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Annotation
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator, PercentFormatter
from matplotlib.transforms import Bbox

from howsure.errors import InputError
from howsure.figures.marked_rows import Mark, draw_rows
from howsure.figures.style import (
    FAINT,
    INK,
    QUIET,
    Look,
    dress,
    literal,
    literal_legend,
    look,
    new_figure,
    shortened_name,
    use_style,
)
from howsure.figures.width import is_narrow
from howsure.result import Estimate
from howsure.scores.results import MACRO, BattleTable, Leaderboard, ScoreRow

if TYPE_CHECKING:
    from howsure.inputs.pairs import Floats
    from howsure.scores.agent_results import AgentRow, AgentTable
    from howsure.scores.item_results import BenchmarkItems

MAX_ROWS = 60
NAME_LENGTH, NARROW_LENGTH = 28, 24
POINTS = "points of a battle (win 1, tie ½)"
ROW, EDGES, WIDTH = 0.19, 1.0, 5.4  # inches


def draw_scores(table: Leaderboard[Any], *, ax: Axes | None = None) -> Axes:
    """Draw a dot and an interval for each model, by group, the best model first, with ranks and alternately shaded
    tiers.

    If there are more than 60 rows, only the first rows of each group are drawn, and the figure says how many. A table
    with several k is drawn as curves of pass@k and pass^k instead.
    """
    rows, left_out = _limited_rows(table)
    if curves := (pass_curves(_rows_to_draw(table)) if {"pass_at", "pass_hat"} & table.recipe.keys() else []):
        return draw_curves(curves, level=rows[0].mean.level, ax=ax)
    with use_style():
        axes = _page(rows).subplots() if ax is None else ax
        place, places, names, before = 0.0, [], [], None
        for row in rows:
            head = (row.score, row.group)
            if _heads(rows) and head != before:
                literal(
                    axes.text(0.0, place, "", transform=axes.get_yaxis_transform(), va="center", ha="left"),
                    _head(rows, row),
                )
                axes.axhline(place - 0.5, color=FAINT, linewidth=0.6)
                place += 1.0
            before = head
            if row.tier is not None and row.tier % 2 == 0:
                axes.axhspan(place - 0.5, place + 0.5, color=FAINT, alpha=0.35, linewidth=0)
            _draw_row(axes, row, place)
            places.append(place)
            names.append(shortened_name(row.model or row.group or "all", NARROW_LENGTH if is_narrow() else NAME_LENGTH))
            place += 1.0
        axes.set_ylim(place - 0.4, -0.6)
        axes.set_yticks(places, names)
        for tick in axes.get_yticklabels():
            tick.set_parse_math(False)
        scores = list(dict.fromkeys(row.score for row in rows))
        macro = "mean of the groups' means: " if rows[0].group == MACRO else "mean "
        label = f"{macro}{scores[0]}" if len(scores) == 1 else "mean score"
        label = POINTS if isinstance(table, BattleTable) else label
        literal(axes.set_xlabel(""), f"{label}{left_out}")
        if any(row.ranks for row in rows):
            axes.text(1.02, -0.6, "rank", transform=axes.get_yaxis_transform(), va="bottom", ha="left", color=QUIET)
        dress(axes, grid="x")
        axes.tick_params(axis="y", length=0)
    return axes


def _page(rows: Sequence[ScoreRow]) -> Figure:
    """Return an empty figure with the height that the rows need."""
    return new_figure(WIDTH, EDGES + ROW * (len(rows) + _heads(rows)), keep="height")


def _rows_to_draw(table: Leaderboard[Any]) -> list[ScoreRow]:
    """Return the rows to draw: the means over groups if there are any, otherwise all rows; for battles, the points."""
    if isinstance(table, BattleTable):
        ranks = [(score_row.rank_low, score_row.rank_high, score_row.tier, score_row.maybe_best) for score_row in table]
        return [
            ScoreRow("", None, score_row.model, score_row.n, 1, 0, score_row.points, *of)
            for score_row, of in zip(table, ranks, strict=True)
        ]
    return [row for row in table.rows if row.group == MACRO] or list(table.rows)


def _limited_rows(table: Leaderboard[Any]) -> tuple[list[ScoreRow], str]:
    """Return the rows to draw and, if some rows are left out, a line with their number."""
    rows = _rows_to_draw(table)
    if len(rows) <= MAX_ROWS:
        return rows, ""
    groups: dict[tuple[str, str | None], list[ScoreRow]] = {}
    for row in rows:
        groups.setdefault((row.score, row.group), []).append(row)
    each = max(MAX_ROWS // len(groups), 1)
    kept = [row for group in groups.values() for row in group[:each]][:MAX_ROWS]
    how = "the first" if len(groups) > MAX_ROWS else "the best" + f" {each} of each group" * (len(groups) > 1)
    return kept, f"\n{len(kept)} of {len(rows):,} rows: {how}"


def _heads(rows: Sequence[ScoreRow]) -> int:
    """Return the number of headings, one for each group with several models, or for each score."""
    heads = {(row.score, row.group) for row in rows}
    return len(heads) if 1 < len(heads) < len(rows) or len({row.score for row in rows}) > 1 else 0


def _head(rows: Sequence[ScoreRow], row: ScoreRow) -> str:
    several = len({row.score for row in rows}) > 1
    return ", ".join(part for part in (row.score if several else None, row.group) if part is not None)


def _draw_row(axes: Axes, row: ScoreRow, place: float) -> None:
    colour = look(0).colour if row.maybe_best or row.maybe_best is None else INK
    if row.mean.low is not None and row.mean.high is not None:
        axes.plot([row.mean.low, row.mean.high], [place, place], color=colour, linewidth=1.2, solid_capstyle="butt")
    axes.plot([row.mean.value], [place], "o", color=colour, markersize=3.5)
    if row.ranks is not None:
        axes.text(1.02, place, row.ranks, transform=axes.get_yaxis_transform(), va="center", ha="left", color=QUIET)


MAX_NAMED = 8
BANDS_UP_TO = 3  # number of curves that are drawn with bands, which would overlap for more
APART = 0.012  # horizontal distance between the intervals of two curves, as a proportion of the axis


@dataclass(frozen=True, slots=True)
class Curve:
    """The curve of a model: pass@k or, if `all_right`, pass^k at each k (n,), with simultaneous intervals."""

    model: str
    all_right: bool
    k: Floats
    mean: Floats
    low: Floats
    high: Floats


def pass_curves(rows: list[ScoreRow]) -> list[Curve]:
    """Return the curves of pass@k and pass^k, best first by their first k; empty unless a curve has several k."""
    rows_by_curve: dict[tuple[str, bool], dict[int, ScoreRow]] = {}
    several = len({row.score.rpartition(" pass")[0] for row in rows}) > 1
    for row in rows:
        name, _, kind = row.score.rpartition(" pass")
        parts = (name if several else None, row.group, row.model)
        model = ", ".join(part for part in parts if part is not None) or name
        rows_by_curve.setdefault((model, kind[0] == "^"), {})[int(kind[1:])] = row
    if max(map(len, rows_by_curve.values())) < 2:
        return []
    curves = []
    for (model, all_right), of_k in rows_by_curve.items():
        values = [(k, row.mean.value, row.mean.low, row.mean.high) for k, row in sorted(of_k.items())]
        curves.append(Curve(model, all_right, *np.array(values, dtype=float).T))
    return sorted(curves, key=lambda curve: (curve.all_right, -curve.mean[0]))


def draw_curves(curves: list[Curve], *, level: float, ax: Axes | None = None) -> Axes:
    """Draw curves of pass@k, and of pass^k with open markers, with bands or, for more than 3 curves, with intervals.

    Of more than 8 models, the best are named, and the others are drawn faintly.
    """
    models = list(dict.fromkeys(curve.model for curve in curves))
    looks = {model: look(i) for i, model in enumerate(models[:MAX_NAMED])}
    ks = np.unique(np.concatenate([curve.k for curve in curves]))
    step = (ks[-1] / ks[0]) ** APART
    with use_style():
        axes = new_figure(5.4, 3.8, keep="height").subplots() if ax is None else ax
        axes.set_xscale("log")
        for curve in curves:
            style = looks.get(curve.model)
            if style is None:
                axes.plot(curve.k, curve.mean, color=FAINT, linewidth=0.8, zorder=1)
                continue
            place = models.index(curve.model) - (len(looks) - 1) / 2
            _draw_curve(axes, curve, style, band=len(curves) <= BANDS_UP_TO, shift=step**place)
        axes.xaxis.set_major_locator(FixedLocator(ks.tolist()))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_major_formatter(lambda k, _: f"{k:g}")
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
        axes.set_ylim(bottom=0.0)
        marks = {f"pass{'^' if curve.all_right else '@'}k": curve.all_right for curve in curves}
        axes.set_xlabel("k")
        axes.set_ylabel(", ".join(marks))
        _name(axes, looks, len(models), marks=marks if len(marks) > 1 else {}, level=level)
        dress(axes, grid="y")
    return axes


def _draw_curve(axes: Axes, curve: Curve, style: Look, *, band: bool, shift: float) -> None:
    inside = "white" if curve.all_right else style.colour
    if band:
        axes.fill_between(curve.k, curve.low, curve.high, color=style.colour, alpha=0.18, linewidth=0)
        shift = 1.0
    else:
        axes.vlines(shift * curve.k, curve.low, curve.high, color=style.colour, linewidth=1.0, alpha=0.6)
    axes.plot(
        shift * curve.k,
        curve.mean,
        color=style.colour,
        linewidth=1.3,
        linestyle=style.dashes,
        zorder=3,
        marker=style.marker,
        markerfacecolor=inside,
        markersize=4.2,
    )


def _name(axes: Axes, looks: dict[str, Look], n: int, *, marks: dict[str, bool], level: float) -> None:
    """Draw a legend below the axes with the models, and the meaning of markers and intervals."""
    handles = [
        Line2D([], [], color=style.colour, linestyle=style.dashes, marker=style.marker) for style in looks.values()
    ]
    handles += [
        Line2D([], [], color=INK, linestyle="", marker="o", mfc="white" if hat else INK) for hat in marks.values()
    ]
    for handle in handles:
        handle.set(linewidth=1.3, markersize=4.2)
    heading = f"{100 * level:g}% intervals, right for all k of a model together"
    heading += f"\nthe best {len(looks)} of {n:,}; the others faint" if n > len(looks) else ""
    named = [*(shortened_name(model, NAME_LENGTH) for model in looks), *marks]
    below: Any = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "borderaxespad": 4.5, "ncols": 2}
    literal_legend(axes, handles, named, **below, handlelength=3.0, title=heading, title_fontsize=8, alignment="left")


COST_WIDTH, COST_HEIGHT = 5.4, 3.6  # inches
AGENT_NAME_LENGTH, NARROW_AGENT_LENGTH = 24, 16
MAX_AGENTS, MAX_NUMBERS = 40, 12
BAR = 3.0  # pixels around a point that a name should not cover
NARROW_RANGE = 5  # if the largest cost divided by the smallest is below this, the axis has more ticks


def draw_agents(table: AgentTable, *, ax: Axes | None = None) -> Axes:
    """Draw each agent's score against its cost (on a log scale) with both intervals; without costs, a row per agent.

    The point of an agent with errored trials is its mean if these trials count as failed; a thick bar extends to the
    mean if they count as passed. Dominated agents are grey. Of more than 40 agents, the best are drawn. Up to 12 names
    that would cover other agents become numbers, explained below the figure; further ones are left out.
    """
    rows = [row for row in table.rows if row.cost is not None][:MAX_AGENTS]
    if not rows:
        return _draw_ranges(table, ax)
    with use_style():
        axes = new_figure(COST_WIDTH, COST_HEIGHT).subplots() if ax is None else ax
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(_plain_number))
        axes.xaxis.set_minor_locator(NullLocator())
        costs = [row.cost.value for row in rows if row.cost is not None]
        narrow = max(costs) < NARROW_RANGE * min(costs)
        axes.xaxis.set_major_locator(LogLocator(subs=range(1, 10) if narrow else (1, 2, 5)))
        middle = (min(costs) * max(costs)) ** 0.5
        names = [_draw_agent(axes, row, middle) for row in rows]
        cost = table.recipe.get("cost", "cost")
        left_out = len(table.rows) - len(rows)
        literal(
            axes.set_xlabel(""), f"{cost} of a task, geometric mean" + f" ({left_out} agents left out)" * bool(left_out)
        )
        literal(axes.set_ylabel(""), f"mean {table.score}")
        colour, dominated, errored = look(0).colour, any(r.dominated_by for r in rows), any(r.errored for r in rows)
        point = "mean, errored trials failed" if errored else "mean"
        axes.plot([], [], "o", color=colour, markersize=4, label=point + ", not dominated" * dominated)
        if dominated:
            axes.plot([], [], "s", color=QUIET, markersize=4, label="dominated")
        if errored:
            axes.plot([], [], color=colour, linewidth=3.5, label="up to the mean if errored trials passed")
        axes.plot([], [], color=colour, linewidth=1.0, label=f"{table.recipe['level']:.0%} interval")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=1 if is_narrow() else 2, frameon=False)
        dress(axes, grid="y")
        _separate(axes, names, rows)
    return axes


def _separate(axes: Axes, names: Sequence[Annotation], rows: Sequence[AgentRow]) -> None:
    """Move names to free corners of their points. Names without one become numbers, which a key below explains."""
    if not isinstance(figure := axes.get_figure(root=True), Figure):
        return
    figure.draw_without_rendering()  # the places of texts are known after the layout
    bars = [
        Bbox(axes.transData.transform([(name.xy[0], row.lowest), (name.xy[0], row.highest)])).padded(BAR)
        for name, row in zip(names, rows, strict=True)
    ]
    placed, crowded = list[Bbox](), list[int]()
    for at, name in enumerate(names):
        is_right = name.get_horizontalalignment() == "left"  # of its point
        for right, up in ((is_right, 5), (is_right, -11), (not is_right, 5), (not is_right, -11)):
            name.set_horizontalalignment("left" if right else "right")
            name.set_position((5 if right else -5, up))
            box = name.get_window_extent()
            inside = axes.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1
            if inside and not any(box.overlaps(other) for other in placed + bars[:at] + bars[at + 1 :]):
                placed.append(box)
                break
        else:
            crowded.append(at)
    _number(axes, [names[at] for at in crowded], [rows[at] for at in crowded], placed)


def _number(axes: Axes, names: Sequence[Annotation], rows: Sequence[AgentRow], placed: list[Bbox]) -> None:
    """Number agents at an end of their vertical intervals, where the number covers no other name or number."""
    key = list[str]()
    for name, row in zip(names, rows, strict=True):
        text = name.get_text()
        name.set_text(f"{len(key) + 1}")
        name.set_horizontalalignment("center")
        for end, up in ((row.high, 2), (row.low, -10)):
            name.xy = (name.xy[0], end)
            name.set_position((0, up))
            box = name.get_window_extent()
            if len(key) < MAX_NUMBERS and not any(box.overlaps(other) for other in placed):
                placed.append(box)
                key.append(f"{len(key) + 1}: {text}")
                break
        else:
            name.set_visible(False)
    columns = 1 if is_narrow() else 2
    lines = [",  ".join(key[at : at + columns]) for at in range(0, len(key), columns)]
    literal(axes.xaxis.label, "\n".join([axes.get_xlabel(), *lines]))


def _plain_number(value: float, _: int | None) -> str:
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.3g}"


def _draw_agent(axes: Axes, row: AgentRow, middle: float) -> Annotation:
    assert row.cost is not None
    colour, marker = (QUIET, "s") if row.dominated_by else (look(0).colour, "o")
    x, y = row.cost.value, row.lowest
    axes.plot([x, x], [row.low, row.high], color=colour, linewidth=1.0, solid_capstyle="butt")
    axes.plot([x, x], [row.lowest, row.highest], color=colour, linewidth=3.5, solid_capstyle="butt")
    if row.cost.low is not None and row.cost.high is not None:
        axes.plot([row.cost.low, row.cost.high], [y, y], color=colour, linewidth=1.0, solid_capstyle="butt")
    axes.plot([x], [y], marker, color=colour, markersize=4.5)
    name = shortened_name(row.model or "all", NARROW_AGENT_LENGTH if is_narrow() else AGENT_NAME_LENGTH)
    text = axes.annotate(
        "",
        (x, y),
        xytext=(5 if x <= middle else -5, 5),
        textcoords="offset points",
        ha="left" if x <= middle else "right",
        color=QUIET if row.dominated_by else INK,
    )
    literal(text, name)
    return text


def _draw_ranges(table: AgentTable, ax: Axes | None) -> Axes:
    failed = Mark("errored trials failed", _lowest_estimate, "o", look(0).colour, 0.0)
    passed = Mark("errored trials passed", _highest_estimate, "x", INK, 0.0, bare=True)
    marks = [failed, passed] if any(row.errored for row in table.rows) else [failed]
    return draw_rows(
        table.rows, marks, name=lambda row: row.model or "all trials", of="agents", label=f"mean {table.score}", ax=ax
    )


def _lowest_estimate(row: AgentRow) -> Estimate:
    return Estimate(row.lowest, row.low, row.high, level=0.95, method="", n=row.n)


def _highest_estimate(row: AgentRow) -> Estimate:
    return Estimate(row.highest, None, None, level=0.95, method="", n=row.n)


ITEMS_WIDTH, ITEMS_HEIGHT = 5.0, 3.4  # inches


def draw_items(items: BenchmarkItems, *, ax: Axes | None = None) -> Axes:
    """Draw a point for each item that is not dead; items that contradict the other items are squares."""
    rows = [row for row in items.rows if row.discrimination is not None]
    if not rows:
        raise InputError(
            "no item has a discrimination, so there is nothing to draw: it needs five models and items on which they "
            "differ. Leave the figure out."
        )
    with use_style():
        axes = new_figure(ITEMS_WIDTH, ITEMS_HEIGHT).subplots() if ax is None else ax
        axes.axhline(0.0, color=INK, linewidth=0.8)
        for contradicts, marker, colour, size in ((False, "o", QUIET, 2.5), (True, "s", look(1).colour, 4.5)):
            points = [(row.mean, row.discrimination) for row in rows if row.contradicts == contradicts]
            if points:
                label = "contradicts the rest" if contradicts else "other items"
                axes.plot(*zip(*points, strict=True), marker, color=colour, markersize=size, alpha=0.7, label=label)
        if any(row.contradicts for row in rows):
            axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)
        literal(axes.set_xlabel(""), f"mean {items.score} over models")
        axes.set_ylabel("discrimination")
        dress(axes, grid="y")
    return axes
