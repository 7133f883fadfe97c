"""The columns that grade answers by several criteria on one scale, such as fluency and adequacy."""

from __future__ import annotations

from dataclasses import dataclass

from howsure.data.column_roles import FEW, NUMBERS, ONE, TWO, WITHIN, SeenColumn
from howsure.inputs.numbers_and_names import parse_number
from howsure_cli.alike_columns import is_criterion
from howsure_cli.column_words import (
    CHANCES,
    EXPECTED,
    FAULTS,
    FLAGS,
    GROUPS,
    JUDGES,
    MODEL_NAMES,
    NOT_SCORES,
    OVERALL,
    PEOPLE,
    RATERS,
    SCORES,
    is_numeric,
    is_whole,
    is_yes_or_no,
    names_id,
    names_prediction,
    names_quality,
)
from howsure_cli.named_columns import NamedColumns


@dataclass(frozen=True)
class CriteriaColumns(NamedColumns):
    """A table whose columns may be scores by several criteria."""

    def _most_criteria(self, score: SeenColumn) -> tuple[SeenColumn, list[SeenColumn]]:
        """The score and the other criteria on its scale; if it has none, those of another score with the most."""
        criteria = self._criteria(score)
        if len(criteria) > 1 or score is self._right or is_whole(score) or not names_quality(score):
            return score, criteria
        others = [c for c in self._scores(WITHIN, FEW, NUMBERS) if bool(c.words & PEOPLE) == bool(score.words & PEOPLE)]
        families = [(other, self._criteria(other)) for other in others]
        other, family = max(families, key=lambda entry: len(entry[1]), default=(score, criteria))
        return (other, family) if len(family) > 2 else (score, criteria)

    def _criteria(self, score: SeenColumn) -> list[SeenColumn]:
        """The columns that grade the same answers as the score on the same scale, each by a criterion of its own, such
        as fluency and adequacy; none if the score is named for the whole answer."""
        if self._rater is None and self._judge is None and self._model() is None and is_criterion(score):
            return [c for c in self.columns if c.held == score.held and is_criterion(c) and "," not in c.name]
        if is_whole(score):
            return []
        others = [self._item, self._run, self._rater, self._judge, *self._models(), *self._groups()]
        others += [label for label in self.labels if not label.words & SCORES]
        sources, scale = PEOPLE | JUDGES | MODEL_NAMES | RATERS | OVERALL, self._scale(score)
        unlike = NOT_SCORES | GROUPS | EXPECTED | CHANCES - {"score"}
        alike = [c for c in self.columns if not (c in others or "," in c.name or c.words & unlike or is_whole(c))]
        constant = [c for c in alike if c.kind == ONE and is_yes_or_no(score) and c.held <= FLAGS]
        alike = [column for column in alike if column in constant or self._scale(column) == scale]
        alike = [c for c in alike if not (names_id(c) or names_prediction(c) or self._is_retrieved(c))]
        alike = [c for c in alike if c.words & sources == score.words & sources]
        alike = [c for c in alike if bool(c.words & FAULTS) == bool(score.words & FAULTS)]
        named = {self.columns.index(column) for column in alike if names_quality(column)}
        for step in (1, -1):  # next to a criterion of a known name
            for place in [*map(self.columns.index, alike)][::step]:
                if isinstance(scale, tuple) and place - step in named:
                    named.add(place)
        return [self.columns[place] for place in sorted(named)] if score in alike else []

    def _scale(self, column: SeenColumn) -> object:
        """The range of the grades in a column: its two values, numbers within [0, 1], or the highest number."""
        if column.kind == TWO and not is_numeric(column):
            return frozenset(map(str.casefold, column.held))
        numbers = [parse_number(text) for text in {*self._values(column)} if text is not None]
        values = [number for number in numbers if number is not None]
        if not values or None in numbers or column.kind not in (TWO, FEW, WITHIN, NUMBERS, ONE):
            return None
        return WITHIN if 0.0 <= min(values) <= max(values) <= 1.0 else (max(values), min(values) < 0.0)
