"""`draw_judge_sample`: draw the answers for human grading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from howsure.counts.draw_label_sample import draw_label_sample
from howsure.counts.label_sample import MIN_LABELS_PER_STRATUM, MIN_MEAN_LABELS
from howsure.counts.population import combined
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, seed_in_recipe
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_integer, counted
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.judges.columns import Columns
from howsure.judges.correction import MIN_GRADES
from howsure.result import Result, as_json
from howsure.show.table import COUNT, FRAME, NUMBER, TABLE, WORDS, Column

BANDS = 3  # bands of grades


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JudgeSample(Result):
    """The result of `draw_judge_sample`: the answers to be graded, `indices` in ascending order.

    strata: the names of the strata. codes (n,): the stratum of each answer. inclusion (n,): the probability with which
    each answer was drawn, NaN if it was not drawn. Frames and CSV hold all answers, first the drawn ones in random
    order, with an empty column `person`.
    """

    strata: tuple[str, ...]
    codes: Integers = as_json(None)
    indices: Integers
    inclusion: Floats = as_json(None)
    order: Integers = as_json(None)
    shown: Mapping[str, Sequence[object]] = as_json(None)
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, object]

    title = "Answers to be graded"
    description = ""
    suggested: ClassVar = {"form": "csv", "output": "to_grade.csv"}
    filled_in: ClassVar = "person"

    @property
    def stratum(self) -> np.ndarray[Any, Any]:
        """The name of the stratum of each answer."""
        return np.array(self.strata)[self.codes]

    def columns(self) -> Sequence[Column]:
        """In tables, the strata; in frames and CSV, all answers."""
        drawn = np.bincount(self.codes[self.indices], minlength=len(self.strata))
        size = np.bincount(self.codes, minlength=len(self.strata))
        chance = [None if np.isnan(probability) else float(probability) for probability in self.inclusion[self.order]]
        return [
            *(Column(name, WORDS, values=values, only=FRAME) for name, values in self.shown.items()),
            Column("stratum", WORDS, values=self.stratum[self.order], only=FRAME),
            Column("inclusion", NUMBER, values=chance, only=FRAME),
            Column("person", WORDS, values=[""] * len(self.order), only=FRAME),
            Column("stratum", WORDS, values=self.strata, only=TABLE),
            Column("answers", COUNT, values=size, only=TABLE),
            Column("to grade", COUNT, values=drawn, only=TABLE),
            Column("share", NUMBER, values=drawn / size, only=TABLE),
        ]

    @property
    def answer(self) -> str:
        """The number of answers to grade."""
        return f"{len(self.indices):,} of {counted(len(self.codes), 'answer')} are to be graded."


def draw_judge_sample(
    score: ArrayLike | str,
    n: int,
    *,
    model: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    length: ArrayLike | str | None = None,
    show: Sequence[str] = (),
    rng: Randomness = 0,
    data: Source | IntoFrame | None = None,
) -> JudgeSample:
    """Draw answers for human grading, so that `correct_judge_scores` can correct the judge's errors.

    Items are drawn at random within strata of the judge's grade and the length of answers, and the answers of all
    models to these items are to be graded. Without `id`, answers of each model are drawn. Pass the strata to
    `correct_judge_scores`.

    score (n,): the judge's grade of each answer.
    n: number of items to draw; without `id`, number of answers.
    model (n,): the model of each answer.
    id (n,): the item of each answer.
    length (n,): the length of each answer, such as its words.
    show: columns to copy, such as question,answer.
    rng: seed of the draw.

    Strata are up to three bands of the grade (its mean over the answers to an item). Each band is divided at the median
    length if that leaves 5 draws per stratum. Draws are allocated as in `draw_label_sample`, with the judge's mean
    grade rescaled to 0 to 1.

    >>> import numpy as np
    >>> sample = draw_judge_sample(np.arange(400) % 5 + 1, 40, id=np.arange(400) // 2, model=["a", "b"] * 200)
    >>> len(sample.indices), sample.strata
    (80, ('grade 1.5 to 2.5', 'grade 3 to 3.5', 'grade 4.5'))

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    check_arguments(draw_judge_sample, locals())
    n = check_integer(n, name="n", least=MIN_LABELS_PER_STRATUM)
    show = list(show)
    if show and data is None:
        raise InputError("`show=...` names columns of `data=...`, which is missing.")
    roles = {"score": score, "model": model, "id": id, "length": length}
    answers = Columns.read(roles, data, show=show)
    with answers.rows.locating_errors():
        answers.check_once(["model"] if model is not None else [], "model") if id is not None else None
        unit = answers.codes("id") if id is not None else np.arange(answers.n)
        codes, names, grade = _strata(answers, unit, n, by_model=id is None)
        what = "items" if id is not None else "answers"
        if n > len(grade):
            raise InputError("too_many", "n", what=what, most=len(grade), value=n)
        if n < (least := int(np.minimum(np.bincount(codes), MIN_LABELS_PER_STRATUM).sum())):
            strata = counted(len(names), "stratum", "strata")
            raise InputError(f"`n` must be at least {least}, 2 for each of {strata}; it is {n:,}. Give a larger n.")
        reach = float(np.ptp(grade)) or 1.0
        generator = generator_from(rng)
        drawn = draw_label_sample((grade - grade.min()) / reach, n, bands=np.array(names)[codes], rng=generator)
    chance = drawn.chances[unit]
    indices = np.flatnonzero(~np.isnan(chance))
    order = np.concatenate([generator.permutation(indices), np.flatnonzero(np.isnan(chance))])
    later = answers.rows.at(range(answers.n)) if show else {}
    role_by_name = {
        str(column) if data is not None else role: role for role, column in roles.items() if column is not None
    }
    shown = {name: _number_texts(answers, role, order) for name, role in role_by_name.items()}
    shown |= {name: [column[row] for row in order] for name, column in later.items()}
    few = answers.codes("model")[indices]
    notes = [
        f"{name} gets {counted(int(count), 'grade')}, below the {MIN_GRADES} needed for a corrected mean"
        for name, count in zip(
            answers.names("model"), np.bincount(few, minlength=len(answers.names("model"))), strict=True
        )
        if count < MIN_GRADES
    ]
    recipe = answers.recipe | {"n_drawn": n, "seed": seed_in_recipe(rng)}
    return JudgeSample(
        strata=drawn.strata,
        codes=np.asarray(drawn.codes, dtype=np.int64)[unit],
        indices=indices,
        inclusion=chance,
        order=order,
        shown=shown,
        notes=(*answers.notes, *notes),
        recipe=recipe,
    )


def _number_texts(columns: Columns, role: str, order: Integers) -> list[str]:
    if role in columns.coded:
        return [columns.names(role)[code] for code in columns.codes(role)[order]]
    return [f"{value:.15g}" for value in columns.numbers[role][order]]


def _strata(columns: Columns, unit: Integers, n: int, *, by_model: bool) -> tuple[Integers, tuple[str, ...], Floats]:
    """The stratum of each item or answer, and its mean grade."""
    size = np.bincount(unit)
    grade = np.bincount(unit, columns.numbers["score"]) / size
    parts = [_bands(grade, BANDS, "grade")]
    if by_model and len(columns.names("model")) > 1:
        parts.insert(0, (columns.codes("model"), columns.names("model")))
    if "length" in columns.numbers:
        length = np.bincount(unit, columns.numbers["length"]) / size
        parts.append(_bands(length, 2, "length"))
    while True:
        codes, used = combined([(part_codes.astype(np.int16), names) for part_codes, names in parts], len(grade))
        if len(parts) == 1 or len(used) * MIN_MEAN_LABELS <= n:
            break
        parts.pop()
    names = []
    for code in np.asarray(used).tolist():
        labels = list[str]()
        for _, of_part in reversed(parts):
            code, part_code = divmod(code, len(of_part))
            labels.insert(0, of_part[part_code])
        names.append(", ".join(labels))
    return codes.astype(np.int64), tuple(names), grade


def _bands(values: Floats, most: int, what: str) -> tuple[Integers, tuple[str, ...]]:
    """Return bands with about equal numbers of values, and a description of each band."""
    ends = np.unique(np.quantile(values, np.arange(1, most) / most, method="higher"))
    codes = np.unique(np.searchsorted(ends, values, side="left"), return_inverse=True)[1]
    names = []
    for band in range(int(codes.max()) + 1):
        low, high = (float(end(values[codes == band])) for end in (np.min, np.max))
        names.append(f"{what} {low:g}" if low == high else f"{what} {low:g} to {high:g}")
    return codes, tuple(names)
