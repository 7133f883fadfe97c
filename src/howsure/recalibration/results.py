"""A recalibration map: what it is made of, what it does, and how it is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from howsure.errors import InputError, parameter
from howsure.inputs.checks import check_codes
from howsure.inputs.naming import shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.recalibration.choice import Choice
from howsure.recalibration.evaluation.evaluation import evaluation_of_map
from howsure.recalibration.evaluation.results import RecalibrationEvaluation
from howsure.recalibration.evaluation.verdict import MARGIN
from howsure.recalibration.fitted import Fitted
from howsure.recalibration.labelled import labelled_from
from howsure.recalibration.maps.venn_abers import VennAbers
from howsure.recalibration.portable import map_document, map_json, map_of
from howsure.recalibration.scores import Binary, Classes, Scores, scores_from
from howsure.recalibration.wording import map_in_words, map_table
from howsure.result import Result
from howsure.show.preformatted import preformatted
from howsure.show.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True)
class RecalibrationMap(Result):
    """The result of `recalibrate`: a map from a model's probabilities to calibrated ones.

    method: what was fitted. parameters: by the names in the formula; by group, if there are groups. classes: the names
    of the columns, in order; () for one probability per row, that of label 1 (`positive`, where it has a name). floor:
    the least probability that the map is given. choice: what each candidate scored, if the method was chosen. recipe:
    how it was made. notes: caveats.
    """

    method: str
    fitted: Fitted = field(repr=False)
    classes: tuple[str, ...]
    positive: str | None
    floor: float | None
    recipe: dict[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()
    choice: Choice | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """The numbers of the map by their names in the formula; of maps of groups, by group."""
        if not self.groups:
            return self.fitted.maps[0].parameters()
        return {name: self.fitted.of_group(name).parameters() for name in self.groups}

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups that have a map, or take that of all."""
        return (*self.fitted.names, *self.fitted.small)

    @property
    def formula(self) -> str:
        """What is done to a probability q, or to the probabilities p of the classes, in one line."""
        one = self.fitted.maps[0] if self.fitted.maps else self.fitted.of_all
        assert one is not None
        if self.floor is None:
            return one.formula
        first = "p[k] = max(p[k], floor), divided by their sum" if self.classes else "q = min(max(q, floor), 1 - floor)"
        return f"first {first}; then {one.formula}"

    def apply(
        self, y_prob: Any = None, *, logits: Any = None, groups: Any = None, classes: Sequence[object] | None = None
    ) -> Floats:
        """The recalibrated probabilities, of label 1 (n,) or of the classes (n, K).

        y_prob or logits as in `recalibrate`. The columns of a data frame are matched with the classes by name, whatever
        their order; so are those of an array whose order `classes` says. What comes out is in the map's order of
        classes. groups (n,): the group of each row, where the map has groups.

        Raises InputError for other classes than those of the map, or a group that it does not know.
        """
        scores, codes, names = self._given(y_prob, logits, groups, classes)
        return self.fitted.apply(scores, codes, names) + 0.0

    def interval(self, y_prob: Any = None, *, logits: Any = None, groups: Any = None) -> tuple[Floats, Floats]:
        """The two probabilities p0 and p1 (n,) of a Venn–Abers map, of which `apply` gives the merged one.

        Raises InputError for another method.
        """
        if self.method != VennAbers.method:
            raise InputError(
                f"only {parameter('method', 'venn-abers')} gives two probabilities; this map is of {self.method!r}."
            )
        scores, codes, names = self._given(y_prob, logits, groups, None)
        assert isinstance(scores, Binary)
        low, high = scores.probabilities.copy(), scores.probabilities.copy()
        for code, name in enumerate(names or ("",)):
            rows = slice(None) if codes is None else codes == code
            one = self.fitted.of_group(name) if name else self.fitted.maps[0]
            assert isinstance(one, VennAbers)
            low[rows], high[rows] = one.both(scores.probabilities[rows])
        return low, high

    def apply_rows(self, scores: Scores, groups: Integers | None = None, names: Sequence[str] = ()) -> Floats:
        """The same of checked scores, their classes in the map's order; `groups` are positions in `names`."""
        self.check_groups(names)
        return self.fitted.apply(scores, groups, names) + 0.0

    def check_groups(self, names: Sequence[str]) -> None:
        """Raise InputError for a group that has no map."""
        unknown = [name for name in names if name not in self.groups]
        if not unknown:
            return
        held = shortened(map(repr, unknown))
        if not self.groups:
            raise InputError(f"groups must be left out: the map is one of all rows; they hold {held}.")
        raise InputError(f"groups must be known to the map, which has {shortened(map(repr, self.groups))}; not {held}.")

    def _given(
        self, y_prob: Any, logits: Any, groups: Any, classes: Sequence[object] | None
    ) -> tuple[Scores, Integers | None, tuple[str, ...]]:
        given = None if classes is None else [str(one) for one in classes]
        scores, found = scores_from(y_prob, logits, floor=self.floor, classes=given)
        scores = self._in_order(scores, found, named=given is not None)
        if groups is None:
            if self.groups:
                raise InputError(f"groups must say the group of each row: the map has {shortened(self.groups)}.")
            return scores, None, ()
        codes, names = check_codes(groups, n=len(scores), name="groups", groups=True)
        self.check_groups(names)
        return scores, codes, names

    def _in_order(self, scores: Scores, found: tuple[str, ...], *, named: bool) -> Scores:
        """The scores, their columns in the map's order of classes."""
        if isinstance(scores, Binary):
            if self.classes:
                raise InputError(
                    f"{parameter('y_prob')} must have a column for each class of the map: {shortened(self.classes)}."
                )
            return scores
        if not self.classes:
            raise InputError(
                f"{parameter('y_prob')} must be one number per row, the probability of label 1; it has {scores.k} "
                "columns. Take one: "
                f"{parameter('y_prob')}[:, 1]."
            )
        numbered = found == tuple(map(str, range(scores.k))) and not named
        if scores.k == len(self.classes) and (found == self.classes or numbered):
            return scores
        if sorted(found) != sorted(self.classes):
            raise InputError(
                f"{parameter('y_prob')} must have the classes of the map, {shortened(self.classes)}; it has "
                f"{shortened(found)}."
            )
        order = [found.index(name) for name in self.classes]
        return Classes(scores.probabilities[:, order], scores.logs[:, order])

    def evaluate(
        self,
        y_true: Any,
        y_prob: Any = None,
        *,
        logits: Any = None,
        groups: Any = None,
        clusters: Any = None,
        sample_weight: Any = None,
        pos_label: Any = None,
        level: float = 0.95,
        margin: float = MARGIN,
    ) -> RecalibrationEvaluation:
        """Errors and scores before and after this map, on rows that it was not fitted to; nothing is fitted.

        y_true, y_prob or logits, clusters, sample_weight, pos_label: as for `recalibrate`; groups as for `apply`, and
        evaluated together. margin: the smallest calibration error that is worth removing. On the rows that the map was
        fitted to, it looks better than it is: `evaluate_recalibration` cross-fits them.

        Raises InputError as `apply` does.
        """
        data = labelled_from(
            y_true, y_prob, logits=logits, clusters=clusters, sample_weight=sample_weight, pos_label=pos_label,
            classes=self.classes or None,
        )  # fmt: skip
        after = self.apply(y_prob, logits=logits, groups=groups, classes=None)
        return evaluation_of_map(data, after, method=self.method, level=level, margin=margin)

    def to_json(self) -> str:
        """The map as a text that `from_json` reads: parameters and formula, for any language; nothing of the rows."""
        return map_json(self)

    @classmethod
    def from_json(cls, text: str | bytes) -> RecalibrationMap:
        """The map that a text of `to_json` describes; it gives the same probabilities to the last bit.

        Raises InputError if the text is no map, of a later version, or has parameters that no map can have.
        """
        return cls(**map_of(text))

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, as `to_json` writes it, too."""
        return map_document(self)

    def _columns(self) -> dict[str, Any]:
        """One row per parameter, and group."""
        held = self.parameters if self.groups else {"": self.parameters}
        rows = [
            (group, f"{name}{place}", value)
            for group, parameters in held.items()
            for name, values in parameters.items()
            for place, value in _numbered(values)
        ]
        columns: dict[str, Any] = {"group": [group for group, _, _ in rows]} if self.groups else {}
        return columns | {"parameter": [name for _, name, _ in rows], "value": [value for _, _, value in rows]}

    def table(self) -> Table:
        """The parameters; of a chosen method, what each candidate scored."""
        return map_table(self, self._columns())

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what becomes of a probability, q' against q, on matplotlib axes (new ones if None)."""
        from howsure.figures.compared_curves import draw_map

        return draw_map(self, ax=ax)

    def __repr__(self) -> str:
        return map_in_words(self)

    def _repr_html_(self) -> str:
        return preformatted(repr(self))


def _numbered(values: Any) -> list[tuple[str, float]]:
    """The numbers of a parameter with their places in it."""
    if not isinstance(values, list):
        return [("", float(values))]
    return [(f"[{place}]{further}", number) for place, one in enumerate(values) for further, number in _numbered(one)]
