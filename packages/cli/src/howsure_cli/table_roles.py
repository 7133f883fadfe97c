"""The roles of the columns of a table: item, model, score, label, groups."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from statistics import fmean, variance
from typing import Any

from howsure.data.column_roles import (
    FEW,
    LISTS,
    NUMBERS,
    ONE,
    REPEATED,
    SHARES,
    STATED,
    TEXTS,
    TWO,
    UNIQUE,
    WITHIN,
    SeenColumn,
    sum_to_one,
)
from howsure.inputs.date_formats import best_formats, count_date_formats, read_day
from howsure.inputs.numbers_and_names import parse_number
from howsure.inputs.repeated_items import MIN_ITEMS
from howsure.inputs.right_answers import parse_label
from howsure_cli.alike_columns import MIN_DEVIATIONS, agree
from howsure_cli.column_words import (
    ANSWERS,
    ARMS,
    CHANCES,
    CORRECT,
    CRITERIA,
    DETECTED,
    DOUBTS,
    ENDS,
    ERRORS,
    EXPECTED,
    FAILED,
    FAULTS,
    FLAGS,
    GRADES,
    GROUPS,
    ITEM_COLUMNS,
    ITEMS,
    JUDGE,
    JUDGES,
    JUDGES_NAMED,
    KINDS,
    LABELS,
    LOGITS,
    MEASURES,
    METRICS,
    MODEL_NAMES,
    MODELS,
    NOT_SCORES,
    NUMBERS_OF,
    OVERALL,
    PEOPLE,
    PEOPLE_NAMED,
    POSITIVE_LABELS,
    PREDICTED,
    PREDICTED_LABELS,
    RATERS,
    RETRIEVAL,
    RIGHT,
    RIGHT_ANSWERS,
    RUNS,
    SCORES,
    SOURCES,
    TIMES,
    TRACES,
    TURNS,
    UNITS,
    VERDICTS,
    YES,
    column_name,
    grade_values,
    is_grade,
    is_numeric,
    is_prompt,
    is_yes_or_no,
    last_words,
    name_parts,
    names_id,
    names_prediction,
    names_quality,
    names_rater,
    names_right_answer,
    other_sides,
    positive_option,
    words_in,
)

MAX_MISSING = 0.05  # of the ids of items
MIN_HIGHEST = 0.9  # of the rows, in which the highest of k probabilities is 1 / k or more
MAX_RUN = 20  # characters of the name of a run, on average
MAX_ARMS = 3  # columns of models and arms of an experiment
MAX_CODES, MAX_CODE = 10, 40  # values, and characters of one, of codes of answers
CLEAR_DATE = re.compile(r"\d{4}-\d\d-|\d{1,2}\.\d{1,2}\.\d{4}")
MAX_YEARS_IN_MONTHS = 3  # more years are counted by year
MAX_DATES = 1_000  # whose format is recognised
MAX_PARTS = 6  # columns that are tried as a part of what names an item


@dataclass(frozen=True)
class TableRoles:
    """The columns of a table with its first rows, and what each of them may be."""

    columns: Sequence[SeenColumn]
    rows: Sequence[Sequence[Any]]

    def _is_positive(self, column: SeenColumn) -> bool:
        numbers = [parse_number(text) for text in self._values(column) if text is not None]
        return all(number is not None and number > 0.0 for number in numbers)

    def _values(self, column: SeenColumn) -> list[str | None]:
        return self._values_by_column[column]

    @cached_property
    def _values_by_column(self) -> dict[SeenColumn, list[str | None]]:
        return {column: [row[at] for row in self.rows] for at, column in enumerate(self.columns)}

    def _keys(
        self, item: SeenColumn, rater: Sequence[SeenColumn], *, other_than: Sequence[SeenColumn]
    ) -> Sequence[SeenColumn]:
        """The item, and up to two further columns, such that no rater has two rows; or an empty list."""
        parts = [column for column in self.columns if column.kind in (FEW, TWO) and column not in (item, *other_than)]
        parts = [column for column in parts if not column.words & (SCORES | LABELS | VERDICTS | RATERS)]
        parts.sort(key=lambda column: not column.words & (MODELS | TURNS))
        keys = ((item, *others) for size in range(3) for others in combinations(parts[:MAX_PARTS], size))
        return next((key for key in keys if not self._repeats([*rater, *key], at_most=1)), ())

    def _distinguished(self, others: Sequence[SeenColumn], models: Sequence[SeenColumn]) -> list[SeenColumn]:
        """The first of the columns of models, with further ones (arms of an experiment) that make rows unique."""
        for size in range(1, min(len(models), MAX_ARMS) + 1):
            for further in combinations(models[1:], size - 1):
                if not self._repeats([*models[:1], *further, *others], at_most=1):
                    return [*models[:1], *further]
        return [*models[:1]]

    def _repeats_in(self, models: Sequence[SeenColumn], group: SeenColumn) -> bool:
        """Whether some model has rows in several groups."""
        rows = {*zip(*map(self._values, (*models, group)), strict=True)}
        return len(rows) > len({row[:-1] for row in rows})

    @cached_property
    def labels(self) -> list[SeenColumn]:
        """The columns that could be right answers, the likeliest first, without the predictions of models."""
        labels = [column for column in self.columns if column.words & LABELS and not column.words & (GROUPS - LABELS)]
        labels = [column for column in labels if not (names_prediction(column) or self._probability_of_label(column))]
        return sorted(labels, key=lambda column: not column.words & RIGHT_ANSWERS)

    def _probability_of_label(self, label: SeenColumn) -> SeenColumn | None:
        """The column with the probabilities of this column's labels, such as `roberta_score` for `roberta_label`."""
        match = re.fullmatch(r"(.*[a-z0-9])[^a-z0-9]*(label|class|prediction)", label.name.lower())
        columns = [column for column in self.columns if column.kind == WITHIN and column.words & CHANCES]
        if match:
            return next((column for column in columns if column.name.lower().startswith(match[1])), None)
        return next((column for column in columns if self._is_highest(column, label)), None)

    def _is_highest(self, column: SeenColumn, label: SeenColumn) -> bool:
        """Whether the column is the highest of the probabilities of the labels, as their number and its place show."""
        places = self.columns.index(column) - self.columns.index(label)
        is_label = label.kind in (TWO, FEW) or (label.kind == REPEATED and label.values * 2 <= len(self.rows))
        is_label = is_label and not (is_numeric(label) or label.words & (RIGHT_ANSWERS | MODELS))
        if abs(places) != 1 or not is_label or not label.words & PREDICTED_LABELS or column.words & CORRECT:
            return False
        numbers = [parse_number(text) or 0.0 for text in self._values(column) if text is not None]
        return sum(number * label.values >= 1.0 for number in numbers) >= MIN_HIGHEST * len(numbers)

    def _is_of_prediction(self, used: Sequence[SeenColumn], positive: str) -> bool:
        """Whether the probability, the last of the label's columns, is that of the predicted label and not that of the
        positive one: it is mostly above one half where another label than the positive one is predicted."""
        label, prob = used[0], used[-1]
        labels, positive = {*map(parse_label, label.held)}, parse_label(positive)
        for column in self.columns:
            is_named = names_prediction(column) or not is_numeric(column)
            if (
                column is label
                or not is_named
                or len(column.held) < 2
                or not {*map(parse_label, column.held)} <= labels
            ):
                continue
            predictions = map(parse_label, self._values(column))
            pairs = zip(predictions, map(parse_number, map(str, self._values(prob))), strict=True)
            others = [number > 0.5 for label, number in pairs if label not in (None, positive) and number is not None]
            if 2 * sum(others) > len(others):
                return True
        return False

    def _named(self, words: Collection[str], *kinds: str, other_than: Sequence[SeenColumn] = ()) -> SeenColumn | None:
        """The first column of these kinds with one of these words in its name, `other_than` these."""
        columns = (column for column in self.columns if column.kind in kinds and column not in other_than)
        return next((column for column in columns if not column.words.isdisjoint(words)), None)

    @cached_property
    def _item(self) -> SeenColumn | None:
        runs = [column for column in self.columns if column.words & RUNS and column.kind in (FEW, TWO)]
        others = [column for column in self.columns if column.words & (RATERS | MEASURES | TRACES | KINDS)] + runs
        others += [column for column in self.columns if column.missing > MAX_MISSING * len(self.rows)]
        others += [c for c in self.columns if c.words & ARMS and c.kind in (FEW, TWO)] + self._models()
        ids = [column for column in self.columns if column not in others and names_id(column)]
        repeated = [column for column in self.columns if column.kind in (REPEATED, FEW) and not column.missing]
        named = max((c for c in repeated if c.name.casefold() in ITEM_COLUMNS), key=lambda c: c.values, default=None)
        item = named or self._named(ITEMS, UNIQUE, REPEATED, other_than=others)
        item = item or next((column for column in ids if column.kind in (UNIQUE, REPEATED, TEXTS)), None)
        of_labels = [column for column in self.columns if column.words & (LABELS | PREDICTED)]
        item = item or self._named(ITEMS - {"doc", "key", "index"}, FEW, other_than=[*others, *of_labels])
        question = next((column for column in self.columns if is_prompt(column) and column not in others), None)
        crossed = self._crossed([*ids, *(c for c in self.columns if c.words & ITEMS and c not in (*ids, *others))])
        if crossed is not None and (item is None or item.kind == UNIQUE):
            return crossed
        tasks = self._named(UNITS, FEW, REPEATED) if runs else None
        if tasks is not None and (item is None or item.kind == UNIQUE):  # they were run several times
            return tasks
        item = item or question or self._named(UNITS, REPEATED, other_than=others) or self._rated()
        return self._whole(item) or item

    def _whole(self, item: SeenColumn | None) -> SeenColumn | None:
        """Return the column of names whose objects are divided by the numbers in `item`, such as images with numbered
        objects."""
        if item is None or item.kind != FEW or not is_numeric(item) or self._model() is not None:
            return None
        wholes = [c for c in self.columns if c.kind == REPEATED and not is_numeric(c) and not names_rater(c)]
        wholes = [column for column in wholes if column.values > item.values]
        return next((whole for whole in wholes if self._is_key([whole, item])), None)

    def _is_key(self, columns: Sequence[SeenColumn]) -> bool:
        """Whether nearly all rows have different values of these columns together."""
        different = len({*zip(*map(self._values, columns), strict=True)})
        return different >= (1 - MAX_MISSING) * len(self.rows)

    def _crossed(self, ids: Sequence[SeenColumn]) -> SeenColumn | None:
        """The column with the most values of these that several raters or models have in common, each of them once."""
        who = self._rater or self._judge or self._model()
        if who is None:
            return None
        ids = [c for c in ids if c.kind in (FEW, REPEATED) and c is not who and not c.missing]
        ids = [c for c in ids if self._repeats_in([c], who) and not self._repeats([who, c, *self._runs()], at_most=1)]
        return max(ids, key=lambda column: column.values, default=None)

    def _runs(self) -> list[SeenColumn]:
        """The columns that number the runs of an item, those with the time of a run last."""
        runs = [column for column in self.columns if column.words & RUNS and column.kind in (FEW, TWO)]
        runs = [column for column in runs if column.characters <= MAX_RUN]  # not texts
        return sorted(runs, key=lambda column: bool(column.words & TIMES))

    @property
    def _run(self) -> SeenColumn | None:
        return next(iter(self._runs()), None)

    @cached_property
    def _rater(self) -> SeenColumn | None:
        return next((c for c in self.columns if names_rater(c) and c.kind in (FEW, TWO, REPEATED)), None)

    @cached_property
    def _judge(self) -> SeenColumn | None:
        """The column that names the judge of each row."""
        judges = [column for column in self.columns if column.words & JUDGE and column.kind in (FEW, TWO)]
        judge = min(judges, key=lambda column: not names_id(column), default=None)
        return None if judge is None or is_grade(judge) else judge

    def _varying(self, other_than: Sequence[SeenColumn], *kinds: str) -> Iterator[SeenColumn]:
        """The columns of grades whose values differ between the raters or models of an item, and between its items.

        Truth values may be the same for all raters or models of an item.
        """
        item, who = self._item, self._rater or self._model()
        fixed = [column for column in (item, who) if column is not None]
        others = MEASURES | (DOUBTS - FAULTS) | RUNS
        for column in self.columns:
            is_other = column in (*other_than, *fixed) or column.words & others or names_id(column)
            is_other = is_other or self._is_status(column)
            if column.kind not in kinds or is_other or not (is_numeric(column) or is_yes_or_no(column)):
                continue
            keys = [key for key in fixed if key is not item] if is_yes_or_no(column) else fixed
            if not any(self._determines(key, column) for key in keys):
                yield column

    def _score_by_values(self) -> SeenColumn | None:
        """A column of any name with grades of the answers of models, which no other column predicts."""
        is_labelled = any(label.kind in (TWO, FEW) for label in self.labels)
        if is_labelled or self._model() in (None, self._item):
            return None
        item = self._item
        flags = [*self._varying([], TWO)]
        answers = [flag for flag in flags if item is None or not self._determines(item, flag)]
        codes = [column for column in self.columns if column.kind == FEW and not is_numeric(column)]
        codes = [column for column in codes if column not in (item, *self._models()) and not column.words & GROUPS]
        # flags are of the items
        is_coded = any(item is not None and not self._determines(item, code) for code in codes)
        return next(self._varying([], WITHIN), next(iter(answers or ([] if is_coded else flags)), None))

    def _grade_column(self, rater: SeenColumn) -> SeenColumn | None:
        """Return the column of the raters' grades, unless it contains the correct answers, which are the same for all
        raters."""
        item, of_truth = self._item, [column for column in self.columns if column.words & RIGHT_ANSWERS]
        other_than = [rater, *of_truth, *([] if item is None else [item])]
        named = [c for c in self.columns if c not in other_than and c.words & (SCORES | LABELS | GRADES)]
        numbers = [column for column in named if column.kind != UNIQUE and is_numeric(column) and not names_id(column)]
        grade = next((column for column in numbers if is_grade(column) or column.kind == REPEATED), None)
        grade = grade or self._named(VERDICTS, FEW, TWO, other_than=other_than)
        grade = grade or self._named(GRADES, FEW, TWO, other_than=other_than)
        return grade or next(self._varying(other_than, TWO, FEW, WITHIN), None)

    def _grade_of_models(self) -> SeenColumn | None:
        """The grades that raters or judges gave the models."""
        rater = self._rater or self._judge
        grade = None if rater is None or self._model() is None else self._grade_column(rater)
        return grade if grade is not None and is_numeric(grade) and not is_yes_or_no(grade) else None

    def _rated(self) -> SeenColumn | None:
        """What several raters graded, or models answered: each once, or else texts."""
        rater = self._rater or self._model()
        others = [rater, *self._runs()]
        repeated = [c for c in self.columns if c.kind in (TEXTS, REPEATED, FEW) and not c.missing and c not in others]
        repeated = [column for column in repeated if not column.words & (MEASURES | SCORES)]
        repeated = [column for column in repeated if self._repeats([column], at_most=1)]
        keys = [] if rater is None else [rater, *self._runs()]
        whole = [column for column in repeated if keys and not self._repeats([*keys, column], at_most=1)]
        if self._runs() and not whole:  # a few rows may be copies
            whole = [column for column in repeated if keys and self._is_key([*keys, column])]
        texts = (column for column in repeated if column.kind == TEXTS)
        return (
            None
            if rater is None
            else max(whole, key=lambda column: column.values, default=next(texts, self._equally_often(repeated)))
        )

    def _equally_often(self, columns: Sequence[SeenColumn]) -> SeenColumn | None:
        """Return the column whose values all have the same number of answers of each model, as if several runs had no
        number."""
        model = self._model()
        if model is None or self._runs():
            return None
        for column in columns:
            counts = Counter(zip(self._values(model), self._values(column), strict=True))
            is_whole = len(counts) == model.values * column.values and len({*counts.values()}) == 1
            if is_whole and column.values >= MIN_ITEMS and not column.words & (GROUPS | SCORES | LABELS):
                return column
        return None

    def _repeats(self, columns: Sequence[SeenColumn], *, at_most: int) -> bool:
        """Whether a combination of values of these columns is in more than `at_most` rows."""
        return max(Counter(zip(*map(self._values, columns), strict=True)).values(), default=0) > at_most

    def _groups(self) -> list[SeenColumn]:
        candidates = (
            column
            for column in self.columns
            if column.kind in (FEW, TWO) and column.words & (GROUPS - MODELS | CRITERIA) and not column.words & SCORES
            if not column.missing
        )
        candidates = (c for c in candidates if c is not self._item and not (is_yes_or_no(c) or self._is_class(c)))
        return [column for column in candidates if "." not in column.name and not is_prompt(column)]

    def _determines(self, group: SeenColumn, label: SeenColumn) -> bool:
        """Whether all rows of a group have the same label, so that nothing could be compared in it."""
        pairs = {pair for pair in zip(self._values(group), self._values(label), strict=True) if pair[1] is not None}
        return len(pairs) == len({name for name, _ in pairs})

    @cached_property
    def _score(self) -> SeenColumn | None:
        """Whether each answer is right, or how good it is."""
        chances = [chance for column in self.columns if (chance := self._probability_of_label(column)) is not None]
        chances += [column for way, columns, _ in self._by_suffix() if way == "probs" for column in columns]
        scores = self._scores(TWO, FEW, WITHIN, NUMBERS, other_than=chances)
        amounts = [column for column in scores if column.kind in (WITHIN, NUMBERS)]
        whole = self._scores(REPEATED, other_than=chances)
        amounts += [column for column in whole if is_numeric(column) and not (names_id(column) or column.words & ITEMS)]
        grades = [column for column in scores if column.kind in (TWO, FEW) and is_numeric(column)]
        grades = [column for column in grades if not column.words & (CHANCES - {"score"})]
        named = [*amounts, *grades]
        constant = [column for column in self._scores(ONE) if named and column.words & CORRECT and is_yes_or_no(column)]
        weighed = sorted([*named, *constant], key=self._weigh_score, reverse=True)
        return self._right or next(iter(weighed), None)

    def _weigh_score(self, column: SeenColumn) -> float:
        """How clearly the name is that of a score of answers, compared with names such as panic_score."""
        is_exact = column.name.lower() in SCORES
        is_known = names_quality(column) and column.words & SCORES != {"score"}
        is_known |= bool(column.words & OVERALL) or not name_parts(column) - SCORES
        by_people = bool(column.words & PEOPLE)
        return 2.0 * by_people + 2.0 * is_exact + 1.0 * is_known - 2.5 * (column.kind == ONE)

    def _scores(self, *kinds: str, other_than: Sequence[SeenColumn] = ()) -> list[SeenColumn]:
        """The columns named for a score: first those named for nothing else, then overall ones."""
        columns = [column for column in self.columns if column.kind in kinds and column.words & SCORES]
        columns = [c for c in columns if not (c.words & (NOT_SCORES - (MEASURES - NUMBERS_OF)) or c in other_than)]
        columns = [c for c in columns if not (c.words & EXPECTED or self._is_retrieved(c) or self._is_status(c))]
        columns = [c for c in columns if (c.words & CORRECT and not names_right_answer(c)) or not self._is_class(c)]
        return sorted(columns, key=lambda column: (column.name.lower() not in SCORES, not column.words & OVERALL))

    def _is_class(self, column: SeenColumn) -> bool:
        """Return whether the column is a label or the probability of a label: another column predicts it, has the same
        words as values, or has its name as a value."""
        others = [other for other in self.columns if other is not column]
        answers = [other for other in others if names_prediction(other) or other.words & LABELS]
        pairs = [(column, other) for other in others] + [(other, column) for other in others]
        is_predicted = any(
            true.words < guess.words and names_prediction(guess) and true.held & guess.held for true, guess in pairs
        )
        has_same_words = not is_numeric(column) and any(column.held and column.held == c.held for c in answers)
        return is_predicted or has_same_words or any(column.name.lower() in map(str.lower, c.held) for c in answers)

    def _is_retrieved(self, column: SeenColumn) -> bool:
        """Whether the column is the similarity of a found text to the query."""
        if column.words & RETRIEVAL:
            return bool(column.words & {"score", "similarity"})
        return "similarity" in column.words and any("query" in other.words for other in self.columns)

    def _is_status(self, column: SeenColumn) -> bool:
        """Return whether the column contains whether there was an error in each row, rather than how good an answer
        is."""
        if column.kind != TWO or not is_yes_or_no(column):
            return False
        failed = [(text or "").lower() in ("false", "0", "0.0") for text in self._values(column)]
        partly = [other for other in self.columns if 0 < other.missing < len(self.rows)]
        errors = [[text is not None for text in self._values(other)] for other in partly if other.words & ERRORS]
        return failed in errors or failed in [[text is None for text in self._values(other)] for other in partly]

    @cached_property
    def _right(self) -> SeenColumn | None:
        """Return the column that says whether each answer is correct: a column with few values, one of which means
        yes."""
        candidates = [column for column in self._scores(TWO, FEW) if len(column.held) < 5]
        candidates += [] if candidates or self.labels else self._verdicts_of_judge() or self._outcomes_of_runs()
        candidates += [c for c in self.columns if c.kind == TWO and self._says_correct(c)]
        return next((column for column in candidates if positive_option(column) is not None), None)

    def _says_correct(self, column: SeenColumn) -> bool:
        """Whether the values are words such as correct and incorrect, of an answer and not of a judge or a person."""
        positive = (positive_option(column) or {}).get("positive", "")
        others = JUDGES | PEOPLE | RATERS | ENDS | RIGHT_ANSWERS
        is_verdict = any(other.words & RIGHT_ANSWERS and other.held == column.held for other in self.columns)
        return not is_verdict and positive.lower() in CORRECT - POSITIVE_LABELS and not column.words & others

    def _outcomes_of_runs(self) -> list[SeenColumn]:
        """The columns that say how the repeated runs of models ended, such as success, failure and timeout."""
        if self._model() is None or self._run is None:
            return []
        ends = [column for column in self.columns if column.kind in (TWO, FEW) and column.words & ENDS]
        return [c for c in ends if len(c.held) < 5 and not {value.lower() for value in c.held}.isdisjoint(FAILED)]

    def _verdicts_of_judge(self) -> list[SeenColumn]:
        """The verdicts of the only judge on whether each answer passes, if nobody else gave any."""
        judges = (column for column in self.columns if column.words & JUDGE)
        right = [c for c in judges if (positive_option(c) or {}).get("positive", "").lower() in RIGHT]
        return right if len(right) == 1 and right[0].kind == TWO else []

    def _label_of_answers(self) -> SeenColumn | None:
        """A label that says whether each answer of the models is good, and that no model predicts."""
        labels = [label for label in self.labels if label.kind in (TWO, FEW) and len(label.held) < 5]
        label = next((label for label in labels if not is_numeric(label) and positive_option(label) is not None), None)
        others = [column for column in self.columns if not column.words & MEASURES]
        is_predicted = any(map(names_prediction, others))
        is_predicted |= label is not None and label.kind == TWO and any(c.words & CHANCES for c in others)
        return None if self._model() is None or is_predicted else label

    def _model(self, *, other_than: Sequence[SeenColumn] = ()) -> SeenColumn | None:
        """The column of the models to compare, or else of the arms of an experiment."""
        return next(iter(self._models(other_than=other_than)), None)

    def _models(self, *, other_than: Sequence[SeenColumn] = ()) -> list[SeenColumn]:
        """Return the columns of models, then the columns of the arms of an experiment."""
        named = [c for c in self.columns if last_words(c) & MODELS and c.kind in (FEW, TWO, REPEATED)]
        names = {column.name.lower() for column in self.columns}
        sides = {
            side for c in named for other in other_sides(c.name) if other in names for side in (c.name.lower(), other)
        }
        named = [c for c in named if c not in other_than and c.name.lower() not in sides]
        named = [c for c in named if not c.words & (ERRORS | MEASURES | SCORES | JUDGE | PEOPLE)]
        named = [c for c in named if c.name.lower() == "mode" or c.words & (MODELS - {"mode"})]
        named = [c for c in named if c.kind != REPEATED or (c.values * 5 <= len(self.rows) and not is_numeric(c))]
        named = [c for c in named if not (c.held and c.held <= FLAGS) and not c.words & ANSWERS]
        judge = self._judge
        named = [c for c in named if judge is None or not (self._determines(c, judge) and self._determines(judge, c))]
        return sorted(named, key=lambda column: (column.missing > 0, bool(column.words & ARMS))) or self._crossed_arms()

    def _crossed_arms(self) -> list[SeenColumn]:
        """The column of any name of which each item has each value once, such as the sides of a paired experiment."""
        items = [c for c in self.columns if c.kind in (REPEATED, FEW) and not c.missing]
        items = [column for column in items if names_id(column) or column.words & ITEMS]
        cells = [[item, *self._runs()[:1]] for item in items if not item.words & RUNS]
        groups = [c for c in self.columns if c.words & GROUPS and c.kind in (TWO, FEW) and not c.missing]
        cells += [[item, group] for item in items if item.words & RUNS for group in groups]  # numbered in each group
        return [arm for cell in cells for arm in self._arms_crossed_with(cell)][:1]

    def _arms_crossed_with(self, cell: Sequence[SeenColumn]) -> list[SeenColumn]:
        """The columns of any name of which each combination of the values of other columns has each value once."""
        others = LABELS | SCORES | VERDICTS | GROUPS | RATERS | RUNS | TURNS | JUDGE | UNITS | ITEMS
        others |= MEASURES | ENDS
        arms = [c for c in self.columns if c.kind in (TWO, FEW) and not (c.missing or is_numeric(c) or c in cell)]
        arms = [column for column in arms if not column.words & others]
        values = math.prod(column.values for column in cell)
        arms = [column for column in arms if column.values * values == len(self.rows)]
        return [arm for arm in arms if not self._repeats([arm, *cell], at_most=1)]

    def _label(self) -> SeenColumn | None:
        """The label of the single probability in each row."""
        return self._right or self._two_labels() or self._labels_of_a_sample() or self._outcome()

    def _outcome(self) -> SeenColumn | None:
        """The only column of any name with two values that the only probability predicts better than chance."""
        chances = [c for c in self.columns if c.kind == WITHIN and c.words & (CHANCES - SCORES - {"score"})]
        others = MODELS | RUNS | JUDGE | ERRORS | MEASURES
        flags = [c for c in self.columns if c.kind == TWO and not (c.words & others or names_prediction(c))]
        coders = [column for column in flags if column.words & RATERS]
        flags = coders if len(coders) == 1 else [column for column in flags if column not in coders]
        flags = [column for column in flags if positive_option(column, DETECTED) is not None]
        if len(chances) != 1 or len(flags) != 1:
            return None
        return flags[0] if self._separates(chances[0], flags[0]) else None

    def _separates(self, prob: SeenColumn, label: SeenColumn) -> bool:
        """Whether the probability is clearly higher for one of two labels, and not the label itself, rounded."""
        sides: dict[str, list[float]] = {value: [] for value in label.held}
        for text, value in zip(self._values(prob), self._values(label), strict=True):
            if value in sides and (number := parse_number(text or "")) is not None:
                sides[value].append(number)
        low, high = sorted(filter(None, sides.values()), key=fmean) if all(sides.values()) else ([0.0], [1.0])
        if min(len(low), len(high)) < 2 or max(low) < min(high):
            return False
        error = math.sqrt(variance(low) / len(low) + variance(high) / len(high))
        return fmean(high) - fmean(low) > MIN_DEVIATIONS * error

    def _classifier(self, label: SeenColumn) -> SeenColumn | None:
        """The only column with the decision of a model on each row, such as ja or nein, in the values of the label."""
        same = [c for c in self.columns if c.kind == TWO and not c.missing and grade_values(c) == grade_values(label)]
        named = [column for column in same if column.words & (PREDICTED | MODEL_NAMES | MODELS)]
        if not named and label.words & (RATERS | PEOPLE | LABELS):
            same = [column for column in same if not column.words & (RATERS | PEOPLE | LABELS | GROUPS)]
            named = [column for column in same if agree(self._values(column), self._values(label))]
        return named[0] if len(named) == 1 else None

    def _decides(self, column: SeenColumn, prob: SeenColumn) -> bool:
        """Whether a column says where a probability is high, as a threshold does."""
        positive = positive_option(column) if column.kind == TWO else None
        if positive is None:
            return False
        yes = positive.get("positive")
        high, low = list[float](), list[float]()
        for text, value in zip(self._values(prob), self._values(column), strict=True):
            if text is not None and value is not None:
                is_high = value == yes if yes else value.casefold() in YES | {"true"}
                (high if is_high else low).append(parse_number(text) or 0.0)
        return bool(high and low) and min(high) >= max(low)

    def _period(self, date: SeenColumn) -> str:
        """The length of periods that suits the dates: years from four years on, weeks within one month."""
        dates = [*dict.fromkeys(text for text in self._values(date) if text is not None)]
        dates = dates[:: len(dates) // MAX_DATES + 1]
        formats = best_formats(count_date_formats(dates))
        days = [read_day(text, formats[0]) for text in dates] if formats else []
        if len({day.year for day in days}) > MAX_YEARS_IN_MONTHS:
            return "year"
        return "week" if days and len({(day.year, day.month) for day in days}) == 1 else "month"

    def _labels_of_a_sample(self) -> SeenColumn | None:
        """A column of any name with labels for a minority of the rows."""
        columns = (column for column in self.columns if column.kind == TWO and column.missing * 2 > len(self.rows))
        return next((c for c in columns if positive_option(c) is not None and not names_prediction(c)), None)

    def _two_labels(self) -> SeenColumn | None:
        return next((column for column in self.labels if column.kind == TWO), None)

    def _probability_column(self) -> SeenColumn | None:
        doubts = [column for column in self.columns if column.words & DOUBTS]
        doubts += [c for c in self.columns if c.words & CHANCES == {"score"} and c.words & (METRICS | OVERALL)]
        others = [*doubts, *(column for column in self.columns if not column.words & OVERALL)]
        last = self._named(CHANCES, WITHIN, STATED, other_than=others)  # of several steps
        return last or self._named(CHANCES, WITHIN, STATED, other_than=doubts)

    def _only_within(self) -> SeenColumn | None:
        """The only column with numbers within [0, 1], unless its name is that of another quantity."""
        within = [column for column in self.columns if column.kind == WITHIN]
        is_other = any(column.words & (MEASURES | DOUBTS | METRICS | SCORES) for column in within)
        return None if is_other or len(within) != 1 else within[0]

    def _codes_of_answers(self, codes: Sequence[SeenColumn]) -> list[SeenColumn]:
        """The codes that neither the arm of an experiment nor the item determines."""
        item, arm = self._item, self._model()
        keys = [key for key in (item, arm) if key is not None and key.kind != UNIQUE]
        short = [code for code in codes if code.values <= MAX_CODES and max(map(len, code.held)) <= MAX_CODE]
        varying = [code for code in short if code not in keys and not any(self._determines(key, code) for key in keys)]
        return [] if arm is None else sorted(varying, key=lambda code: bool(code.words & JUDGE))

    def _is_clear_date(self, column: SeenColumn) -> bool:
        """Whether all dates have a day, and a single format reads them."""
        dates = [*dict.fromkeys(text for text in self._values(column) if text is not None)]
        if all(map(CLEAR_DATE.match, dates)):
            return True
        counts = count_date_formats(dates[:MAX_DATES])
        return len(best_formats(counts)) == 1 and max(counts.values()) == len(dates[:MAX_DATES])

    def _vectors(self) -> Iterator[tuple[str, list[SeenColumn], list[str]]]:
        """Columns with a number for each class: the kind of number, the columns, and the names of the classes."""
        for column in self.columns:
            if column.length is not None and column.kind in (SHARES, LISTS):
                way = "probs_column" if column.kind == SHARES else self._probability_option([column])
                if way is not None:
                    yield way, [column], [""] * column.length
        for label in self.labels:
            columns = [column for column in self.columns if column.name in label.held and column is not label]
            if len(columns) == len(label.held) and self._probability_option(columns) is not None:
                yield str(self._probability_option(columns)), columns, [column.name for column in columns]
        for suffixed, columns, suffix in self._by_suffix():
            if suffixed is not None:
                yield (
                    suffixed,
                    columns,
                    [re.split(r"[\W_]+", column.name.removesuffix(suffix))[0] for column in columns],
                )
        for prefix, columns in self._by_prefix().items():
            way = self._probability_option(columns)
            if way is not None:
                yield way, columns, [column.name.removeprefix(prefix) for column in columns]

    def _names_highest(self, label: SeenColumn, probs: Sequence[SeenColumn]) -> bool:
        """Whether a label is the number of the column with the highest probability, more often than by chance."""
        rows = zip(*map(self._values, probs), strict=True)
        numbers = [[parse_number(text or "") or 0.0 for text in row] for row in rows]
        return len(probs) == len(label.held) and agree(
            self._values(label), [str(max(range(len(row)), key=row.__getitem__)) for row in numbers]
        )

    def _by_suffix(self) -> Iterator[tuple[str | None, list[SeenColumn], str]]:
        """The columns with numbers within [0, 1] whose names end alike, such as left_score and right_score."""
        columns_by_suffix: dict[str, list[SeenColumn]] = {}
        for column in self.columns:
            suffix = re.split(r"[\W_]+", column.name)[-1]
            if column.kind == WITHIN and suffix != column.name:
                columns_by_suffix.setdefault(suffix, []).append(column)
        for suffix, columns in columns_by_suffix.items():
            yield self._probability_option(columns) if len(columns) > 1 else None, columns, suffix

    def _by_prefix(self) -> Mapping[str, list[SeenColumn]]:
        columns_by_prefix: dict[str, list[SeenColumn]] = {}
        for column in self.columns:
            match = re.match(r"(.*?[_ .-])[^_ .-]+$", column.name)
            if match is not None and column.kind in (WITHIN, NUMBERS, TWO):
                columns_by_prefix.setdefault(match[1], []).append(column)
        return {prefix: columns for prefix, columns in columns_by_prefix.items() if len(columns) > 1}

    def _probability_option(self, columns: Sequence[SeenColumn]) -> str | None:
        """Return the option for columns with a number for each class, from words in their names or from their sum of
        1."""
        named = [way for way, words in LOGITS.items() if all(column.words & words for column in columns)]
        if named:
            return named[0]
        places = [self.columns.index(column) for column in columns]
        cells = [[parse_number(row[at] or "") for at in places] for row in self.rows]
        numbers = [[number for number in row if number is not None] for row in cells if None not in row]
        return "probs" if len(columns) > 1 and sum_to_one(numbers) else None

    def _annotators(
        self, rater: SeenColumn, judge: str, person: str, keys: Sequence[SeenColumn]
    ) -> tuple[str, str, SeenColumn] | None:
        """The first judge and the first person by name, and the column of their names, if several of them graded the
        same items; None if no column has their names."""
        for column in self.columns:
            if column is rater or not column.words & RATERS or column.kind not in (TWO, FEW):
                continue
            pairs = dict.fromkeys(zip(self._values(column), self._values(rater), strict=True))
            named = {who: name for name, who in reversed(pairs)}
            if len({name for name, _ in pairs}) == len(pairs) and not self._repeats([column, *keys], at_most=1):
                return str(named[judge]), str(named[person]), column
        return None

    def _judge_and_person(self) -> tuple[str, str, SeenColumn, SeenColumn] | None:
        """The only judge, the first person, and the columns of raters and grades, if their names say so."""
        for rater in self.columns:
            if rater.kind not in (TWO, FEW) or not rater.words & (RATERS | JUDGE | SOURCES):
                continue
            words = {name: words_in(re.sub(r"[^a-z]+", " ", name.lower())) for name in sorted(rater.held)}
            judges = [name for name, of_name in words.items() if of_name & (JUDGES | JUDGES_NAMED)]
            people = [name for name, of_name in words.items() if of_name & (PEOPLE | PEOPLE_NAMED)]
            grade = self._grade_column(rater)
            if len(judges) == 1 and people and grade is not None:
                return judges[0], people[0], rater, grade
        return None

    def _unique_id(self, other_than: Sequence[SeenColumn]) -> str | None:
        """The column that names the item, if each row is one: of names, or else of texts."""
        others = [column for column in self.columns if column not in other_than and not column.missing]
        unique = [c for c in others if c.values == len(self.rows) and c.kind in (UNIQUE, TEXTS)]
        return column_name(min(unique, key=lambda column: column.kind == TEXTS, default=None))
