"""Columns that contain the same quantity from several sources: right answers and predictions, raters, models.

Their values decide: columns with the same values that agree more than chance. Names only break ties.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from howsure.data.column_roles import FEW, NUMBERS, OBJECTS, ONE, REPEATED, TEXTS, TWO, UNIQUE, WITHIN, SeenColumn
from howsure.inputs.label_spelling import is_non_answer
from howsure.inputs.numbers_and_names import number_or_text
from howsure_cli.column_words import (
    ADJUDICATED,
    CHANCES,
    CLASSIFIERS,
    CORRECT,
    CRITERIA,
    ENDS,
    GROUPS,
    JUDGE,
    JUDGES,
    LABELS,
    MEASURES,
    MODEL_NAMES,
    MODELS,
    PEOPLE,
    PREDICTED,
    PREDICTED_LABELS,
    PREDICTIONS,
    RATERS,
    RIGHT,
    RIGHT_ANSWERS,
    RUNS,
    SCORES,
    VERDICTS,
    YES,
    is_numeric,
    is_yes_or_no,
    last_words,
    name_parts,
    names_id,
    names_prediction,
    names_rater,
    positive_option,
    words_in,
)

Values = Mapping[SeenColumn, Sequence[str | None]]

MIN_KAPPA = 0.15  # above which columns are about the same thing
MIN_DEVIATIONS = 3.0  # from the kappa of columns that have nothing in common
MIN_CLEAR_KAPPA = 0.3  # of columns that could also be correlated variables
MAX_ROWS = 2_000  # of which agreement is computed
MAX_VALUES = 1_000  # of a column of labels
MAX_COLUMNS = 60  # that are compared with each other
MIN_SENTENCE = 4  # words of the name of a criterion
MAX_CODERS = 5  # more numbered columns are features
QUERIES = words_in("query question qid topic")
GRADED = words_in("annotations annotators raters judges coders ratings grades")  # objects with a key for each rater


def target_and_predictions(columns: Sequence[SeenColumn], values: Values) -> tuple[SeenColumn, list[SeenColumn]] | None:
    """Return the column of correct answers and the columns that predict it; None if no column clearly contains correct
    answers.

    A column predicts another one if it has the same values, and its name or an agreement above chance supports this.
    """
    labels = [column for column in columns if _may_be_label(column) and not is_criterion(column)][:MAX_COLUMNS]
    pairs = list[tuple[tuple[float, float], SeenColumn, list[SeenColumn]]]()
    for target in labels:
        others = [other for other in labels if other is not target and _share_values(target, other, values)]
        others = [other for other in others if _predicts(other, target, values)]
        words = frozenset[str]().union(*(other.words for other in others if other.kind != ONE))
        clear = [other for other in others if not other.words & GROUPS]
        clear = [other for other in clear if other.kind != ONE or other.words & words & (LABELS | PREDICTED)]
        others = clear or others
        criterion = name_parts(target) - (RIGHT_ANSWERS | PEOPLE)
        same = [other for other in others if criterion and name_parts(other) - PREDICTED == criterion]
        others = list(filter(is_numeric, same)) or others
        if others:
            keys = [key for key, alike in _families(labels).items() if all(map(alike.__contains__, others))]
            family = [c for key in keys for c in _families(labels)[key] if c is not target and c not in others]
            others += [c for c in dict.fromkeys(family) if len(others) > 1 and _share_values(target, c, values)]
            agreement = sum(kappa(values[target], values[other]) for other in others) / len(others)
            pairs.append(((_rightness(target, others), agreement), target, others))
    pairs = [entry for entry in pairs if entry[0][0] >= 1.0]
    return max(pairs, key=lambda entry: entry[0])[1:] if pairs else None


def marks_of_models(columns: Sequence[SeenColumn], values: Values) -> list[SeenColumn]:
    """Return the columns that contain whether each of several models is correct on the same items.

    The names of the columns share a word such as correct, or all other columns name items. Columns of yes and no could
    also be features of the items, unless they are named for models or agree with each other.
    """
    marks = list(filter(_is_mark, columns))
    if not any(last_words(column) & MODELS and not is_yes_or_no(column) for column in columns):
        shared = (alike for key, alike in _families(marks).items() if CORRECT & {*key[0].split("_")})
        if named := max(shared, key=len, default=[]):
            return named
    marks = [c for c in marks if not c.words & (LABELS - {"y"} | SCORES | PREDICTIONS | GROUPS)]
    others = [column for column in columns if column not in marks and column.kind != OBJECTS]
    of_models = [mark for mark in marks if mark.words & MODEL_NAMES and is_yes_or_no(mark)]
    if (
        len(of_models) > 1
        and len(of_models) == len(marks)
        and not any(c.held & marks[0].held for c in others if c.kind in (TWO, FEW))
    ):
        return of_models
    is_numbered = {_template(column) for column in marks} == {_template(marks[0])} != {""} if marks else False
    are_of_items = all(c.kind in (UNIQUE, REPEATED, TEXTS) or c.words & (GROUPS - MODELS) for c in others)
    are_alike = all(column.held == marks[0].held for column in marks)
    if not (are_of_items and are_alike) or (is_numbered and len(marks) > MAX_CODERS):
        return []
    is_clear = all(
        mark.words & MODEL_NAMES
        or (positive_option(mark) or {}).get("positive", "").casefold() in CORRECT
        or any(agree(values[mark], values[other]) for other in marks if other is not mark)
        for mark in marks
    )
    return marks if is_clear else []


def _is_mark(column: SeenColumn) -> bool:
    """Whether it has two values, one of which says that an answer is right."""
    positive = positive_option(column) if column.kind == TWO else None
    is_right = positive is not None and (not positive or positive["positive"].casefold() in RIGHT)
    return is_right and not column.words & (RATERS | JUDGE | PEOPLE)


def raters(columns: Sequence[SeenColumn], values: Values) -> list[SeenColumn]:
    """Return the largest set of columns that contain labels or grades of different raters, with the same values.

    The names of the columns show this, or they agree more than chance. Numbers, and two values such as yes and no,
    could also be different variables that are correlated. Therefore, the names of such columns must be similar, or not
    be names of grades, and the columns must agree clearly.
    """
    labels = [column for column in columns if _may_be_label(column) and column.kind in (TWO, FEW)]
    labels = [column for column in labels if not column.words & (MODELS | GROUPS - LABELS | ENDS)][:MAX_COLUMNS]
    families = [alike for key, alike in _families(labels).items() if _are_of_raters(key, alike)]
    of_raters = [column for column in labels if column.words & (RATERS | JUDGE) and "." not in column.name]
    graded = [column for column in of_raters if column.words & SCORES]
    families.append([] if 0 < len(graded) < len(of_raters) else of_raters)  # by criteria of a rater
    if any(names_rater(column) or last_words(column) & MODELS for column in columns if column not in labels):
        labels = [column for column in labels if not is_numeric(column) or _template(column) or column in families[-1]]
    groups = list[list[SeenColumn]]()
    for first in labels:
        same = [other for other in labels if other is not first and _share_values(first, other, values, fold=True)]
        named = {column for alike in families if first in alike for column in alike}
        groups.append([first, *(other for other in same if other in named or _rate_the_same(first, other, values))])
    return max(groups, key=len, default=[])


def _are_of_raters(key: tuple[str, str], columns: Sequence[SeenColumn]) -> bool:
    """Whether what the names of values in objects share, such as verdict in gpt.verdict and pro.verdict, is graded."""
    shared = {word for part in key for word in re.split(r"[\W_\d]+", part)}
    return bool(shared & (VERDICTS - LABELS | GRADED)) and all("." in column.name for column in columns)


def _rate_the_same(first: SeenColumn, other: SeenColumn, values: Values) -> bool:
    """Return whether two columns agree more than chance; clearly more, if their names and values could be those of
    variables."""
    if (first.words | other.words) & RATERS:
        return agree(values[first], values[other])
    if _is_yes_or_no(first):
        return False
    if is_numeric(first) and not _template(first) == _template(other) != "":
        named = SCORES | MEASURES | CRITERIA | LABELS | CHANCES
        is_other = any(column.words & named or column.kind == TWO or "." in column.name for column in (first, other))
        is_other = is_other or bool(name_parts(first) & name_parts(other))
        return not is_other and agree(values[first], values[other], at_least=MIN_CLEAR_KAPPA)
    is_clear = {first.kind, other.kind} == {FEW} or _are_named_alike(first, other)
    return agree(values[first], values[other], at_least=MIN_KAPPA if is_clear else MIN_CLEAR_KAPPA)


def _families(columns: Sequence[SeenColumn]) -> dict[tuple[str, str], list[SeenColumn]]:
    """Return columns whose names differ in one part only, by the parts that these names share before and after it.

    The names gpt_right and llama_right share the last part; labels.ann.grade and labels.bob.grade share the first and
    the last part.
    """
    families: dict[tuple[str, str], list[SeenColumn]] = {}
    for column in columns:
        parts = [part for part in re.split(r"[\W_]+", column.name.lower()) if part]
        keys = [(parts[-1], ""), ("_".join(parts[1:]), ""), (parts[0], "-")] if len(parts) > 1 else []
        keys += [(parts[-1], parts[0])] if len(parts) > 2 else []
        keys += (
            [("_".join(re.split(r"[\W_]+", column.name.lower().rpartition(".")[0])), ".")] if "." in column.name else []
        )
        keys += [("", re.sub(r"\d+", "", column.name.lower()))] if re.search(r"\d", column.name) else []
        for key in dict.fromkeys(keys):
            families.setdefault(key, []).append(column)
    return {key: alike for key, alike in families.items() if len(alike) > 1}


def measures_of_arms(columns: Sequence[SeenColumn]) -> list[SeenColumn]:
    """Columns with the same measure for several arms, such as A_recall and B_recall next to A_length and B_length."""
    by_measure: dict[tuple[str, bool], dict[str, SeenColumn]] = {}
    for column in columns:
        for measure, arm, at_end in _measure_and_arm(column.name):
            by_measure.setdefault((measure, at_end), {})[arm] = column
    candidates = list[tuple[tuple[bool, bool, bool, bool, int], list[SeenColumn]]]()
    for name, by_arm in by_measure.items():
        others = [other.keys() & by_arm.keys() for key, other in by_measure.items() if key != name]
        for kind in (WITHIN, NUMBERS, FEW):
            arms = {arm: c for arm, c in by_arm.items() if c.kind == kind and is_numeric(c) and not _is_count(c)}
            if len(arms) > 1 and any(len(arms.keys() & shared) > 1 for shared in others):
                names_metrics = not SCORES.isdisjoint(map(str.lower, arms))
                by_machine = not any(column.words & PEOPLE for column in arms.values())
                is_numbered = len({re.sub(r"\d", "", arm) for arm in arms}) == 1
                ranks = (names_metrics, by_machine, not is_numbered, kind != WITHIN, -len(arms))
                candidates.append((ranks, [*arms.values()]))
    return min(candidates, key=lambda candidate: candidate[0], default=(None, []))[1]


def grades_of_models(columns: Sequence[SeenColumn]) -> list[SeenColumn]:
    """Return the columns of the same kind of numbers, such as grades, if all are named for models or in one object."""
    whole = [column for column in columns if column.kind == REPEATED and column.words & MODEL_NAMES]
    numbers = [c for c in columns if (c.kind in (WITHIN, NUMBERS, FEW) or c in whole) and is_numeric(c)]
    numbers = [column for column in numbers if not names_id(column)]
    shared = frozenset.intersection(*(column.words for column in numbers)) if numbers else frozenset[str]()
    measures = (MEASURES | SCORES) - shared
    of_models = all(column.words & MODEL_NAMES and not column.words & measures for column in numbers)
    heads = {column.name.partition(".")[0].lower() for column in numbers}
    in_objects = len(heads) == 1 and heads <= GRADED | {"scores"} and all("." in column.name for column in numbers)
    is_one_scale = len({column.kind for column in numbers}) == 1
    return numbers if len(numbers) > 1 and (of_models or in_objects) and is_one_scale else []


def numbered_coders(columns: Sequence[SeenColumn]) -> list[SeenColumn]:
    """Return all columns except the item, if their names differ in a number, such as w006 and w009, they have the same
    few values, and some coded only a part of the items."""
    coders = [column for column in columns if column.kind in (TWO, FEW)]
    others = [column for column in columns if column not in coders]
    kinds = {(_template(column), column.held) for column in coders}
    is_alike = len(kinds) == 1 and all(template for template, _ in kinds)
    is_partial = any(column.missing for column in coders)
    return coders if is_alike and is_partial and all(c.kind in (UNIQUE, TEXTS) for c in others) else []


def scores_of_queries(columns: Sequence[SeenColumn]) -> list[SeenColumn]:
    """Return the columns with numbers within [0, 1], if the only other column names queries: a column for each system
    that answered them."""
    scores = [column for column in columns if column.kind == WITHIN and not column.words & (CHANCES | MEASURES)]
    others = [column for column in columns if column not in scores]
    is_of_queries = len(others) == 1 and others[0].kind == UNIQUE and others[0].words & QUERIES
    return scores if len(scores) > 1 and is_of_queries else []


def kappa(first: Sequence[str | None], second: Sequence[str | None]) -> float:
    """Cohen's kappa of the first rows in which both columns have a value.

    >>> kappa(["a", "b", "a", "b"], ["a", "b", "b", "b"])
    0.5
    """
    pairs = Counter(zip(first[:MAX_ROWS], second[:MAX_ROWS], strict=True))
    counts = [(_key(a), _key(b), count) for (a, b), count in pairs.items() if a and b]
    if not counts:
        return 0.0
    shares, n = (Counter[str | float](), Counter[str | float]()), sum(count for *_, count in counts)
    for a, b, count in counts:
        shares[0][a] += count
        shares[1][b] += count
    chance = sum(count * shares[1][value] for value, count in shares[0].items()) / n**2
    observed = sum(count for a, b, count in counts if a == b) / n
    return (observed - chance) / (1 - chance) if chance < 1 else 0.0


def agree(first: Sequence[str | None], second: Sequence[str | None], *, at_least: float = MIN_KAPPA) -> bool:
    """Whether two columns agree clearly more than chance, and not always."""
    n = sum(a is not None and b is not None for a, b in zip(first[:MAX_ROWS], second[:MAX_ROWS], strict=True))
    return max(at_least, MIN_DEVIATIONS / math.sqrt(max(n, 1))) < kappa(first, second) < 1.0


def _key(value: str) -> str | float:
    """The value as commands compare it: numbers and truth values in any spelling."""
    compared: str | float = number_or_text(value)
    return compared


def _may_be_label(column: SeenColumn) -> bool:
    is_few = column.kind in (TWO, FEW, ONE) or (column.kind == REPEATED and column.values <= MAX_VALUES)
    is_other = column.words & (MEASURES | RUNS) or (names_id(column) and not names_prediction(column))
    return is_few and not (is_other or column.name.endswith(".confidence"))


def is_criterion(column: SeenColumn) -> bool:
    """Whether the column says yes or no, and its name is a sentence, which is not about predictions or truth."""
    is_named = names_prediction(column) or column.words & RIGHT_ANSWERS
    is_label = re.split(r"[\W_]+", column.name.lower())[-1] in PREDICTED_LABELS
    return _is_yes_or_no(column) and len(name_parts(column)) >= MIN_SENTENCE and not (is_named or is_label)


def _is_yes_or_no(column: SeenColumn) -> bool:
    return column.kind == TWO and any(value.casefold() in YES for value in column.held)


def _share_values(first: SeenColumn, second: SeenColumn, values: Values, *, fold: bool = False) -> bool:
    """Whether two columns have most of their values in common. fold: whatever their case, in which annotators vary."""
    distinct = [[v for v in set(values[c][:MAX_ROWS]) if v and not is_non_answer(v)] for c in (first, second)]
    sides = [{_key(value.casefold() if fold else value) for value in side} for side in distinct]
    smaller = min(map(len, sides))
    shared = len(sides[0] & sides[1])
    return shared >= min(2, smaller) and shared * 2 >= smaller > 0 and max(map(len, sides)) > 1


def _predicts(column: SeenColumn, target: SeenColumn, values: Values) -> bool:
    is_of_person = target.words & PEOPLE and column.words & (JUDGES | MODEL_NAMES)
    is_named = names_prediction(column) or bool(target.words & RIGHT_ANSWERS or is_of_person)
    if _is_yes_or_no(column) and column.words & CORRECT and not names_prediction(column):
        return False  # whether an answer is right
    if is_numeric(column) and column.kind != TWO:  # not grades by two criteria
        return is_named and (names_prediction(column) or name_parts(column) == name_parts(target) - RIGHT_ANSWERS)
    if ONE in (column.kind, target.kind):
        return is_named
    return is_named or agree(values[target], values[column])


def _rightness(target: SeenColumn, others: Sequence[SeenColumn]) -> float:
    """Return how clearly the name of a column, compared with the others, is that of correct answers."""
    is_part = all(name_parts(target) < name_parts(other) for other in others)  # as label of gpt_label
    weight = _weight(target) + 2.0 * is_part
    what = name_parts(target) - WORDS_OF_ROLES if target.words & RIGHT_ANSWERS else frozenset[str]()
    weight += 2.5 * all(what & name_parts(other) for other in others)  # as expected_verdict of majority_verdict
    weight += 1.0 * (names_rater(target) and any(other.words & CLASSIFIERS for other in others))
    is_clear = weight > 0 or all(map(names_prediction, others))
    return weight - max(map(_weight, others)) if is_clear else 0.0


WORDS_OF_ROLES = RIGHT_ANSWERS | PREDICTIONS | LABELS  # which do not say what is labelled


def _weight(column: SeenColumn) -> float:
    words = column.words
    right = 3.0 * bool(words & RIGHT_ANSWERS) + 2.0 * bool(words & (PEOPLE | ADJUDICATED)) + bool(words & LABELS)
    guessed = 4.0 * names_prediction(column) + 3.0 * bool(words & (MODELS | JUDGES | MODEL_NAMES))
    return right - guessed - 0.5 * names_rater(column)


def _are_named_alike(first: SeenColumn, second: SeenColumn) -> bool:
    """Return whether two names differ only in a number, share a word for a judgement, or one names a judge or rater."""
    judgements = LABELS | SCORES | VERDICTS
    shares_word = first.words & second.words & judgements
    is_rater = (first.words | second.words) & (JUDGES | PEOPLE | RATERS)
    return bool(shares_word or is_rater) or _template(first) == _template(second) != ""


def _template(column: SeenColumn) -> str:
    """The name without its number."""
    return re.sub(r"\d+", "", column.name.lower()) if re.search(r"\d", column.name) else ""


def _is_count(column: SeenColumn) -> bool:
    return bool(column.words & (MEASURES | {"n"})) or names_id(column)


def _measure_and_arm(name: str) -> list[tuple[str, str, bool]]:
    """The ways to read a name as a measure and an arm, such as recall and A, and whether the arm is last."""
    parts = [part for part in re.split(r"\." if name.count(".") > 1 else r"[\W_]+", name) if part]
    if len(parts) < 2:
        return []
    return [("_".join([*parts[:at], *parts[at + 1 :]]), part, at == len(parts) - 1) for at, part in enumerate(parts)]
