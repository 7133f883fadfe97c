"""A leaderboard: the mean of each model with its interval, its possible ranks, and tiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from howsure.figures.pass_at_k import curves_of, draw_curves
from howsure.figures.style import FAINT, INK, QUIET, dress, literal, look, new_figure, shortened_name, styled
from howsure.figures.width import is_narrow
from howsure.scores.answers import MACRO
from howsure.scores.results import BattleTable, Leaderboard, ScoreRow

MOST_ROWS = 60
NAME_LENGTH, NARROW_LENGTH = 28, 24
POINTS = "points of a battle (win 1, tie ½)"
ROW, EDGES, WIDTH = 0.19, 1.0, 5.4  # inches


def draw_scores(table: Leaderboard[Any], *, ax: Axes | None = None) -> Axes:
    """Draw a dot and an interval for each model, by group, the best first, with ranks and alternately shaded tiers.

    Of more than 60 rows, the first of each group are drawn, and the figure says how many these are. For several k, draw
    pass@k and pass^k by k instead.
    """
    rows, left_out = _shown(table)
    if curves := (curves_of(_of_groups(table)) if {"pass_at", "pass_hat"} & table.recipe.keys() else []):
        return draw_curves(curves, level=rows[0].mean.level, ax=ax)
    with styled():
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
    """An empty figure of the height that the rows need."""
    return new_figure(WIDTH, EDGES + ROW * (len(rows) + _heads(rows)), keep="height")


def _of_groups(table: Leaderboard[Any]) -> list[ScoreRow]:
    """The rows to draw: the means over groups if requested, otherwise all rows; for battles, the points."""
    if isinstance(table, BattleTable):
        ranks = [(score_row.rank_low, score_row.rank_high, score_row.tier, score_row.maybe_best) for score_row in table]
        return [
            ScoreRow("", None, score_row.model, score_row.n, 1, 0, score_row.points, *of)
            for score_row, of in zip(table, ranks, strict=True)
        ]
    return [row for row in table.rows if row.group == MACRO] or list(table.rows)


def _shown(table: Leaderboard[Any]) -> tuple[list[ScoreRow], str]:
    """The rows to draw and, if some are left out, a line with their number."""
    rows = _of_groups(table)
    if len(rows) <= MOST_ROWS:
        return rows, ""
    groups: dict[tuple[str, str | None], list[ScoreRow]] = {}
    for row in rows:
        groups.setdefault((row.score, row.group), []).append(row)
    each = max(MOST_ROWS // len(groups), 1)
    kept = [row for group in groups.values() for row in group[:each]][:MOST_ROWS]
    how = "the first" if len(groups) > MOST_ROWS else "the best" + f" {each} of each group" * (len(groups) > 1)
    return kept, f"\n{len(kept)} of {len(rows):,} rows: {how}"


def _heads(rows: Sequence[ScoreRow]) -> int:
    """The number of headings: groups with several models, or scores."""
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
