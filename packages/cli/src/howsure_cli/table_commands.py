"""Propose at most four commands for a table, by the possible roles of its columns."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from howsure.data.column_roles import (
    DATES,
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
)
from howsure.data.documents.entities import are_single_tags
from howsure.data.object_rows import COLUMN, VALUE
from howsure.data.tables.database import literal
from howsure.inputs.date_formats import YEAR_OR_MONTH
from howsure.inputs.numbers_and_names import parse_number
from howsure_cli.alike_columns import (
    agree,
    grades_of_models,
    marks_of_models,
    measures_of_arms,
    numbered_coders,
    raters,
    scores_of_queries,
    target_and_predictions,
)
from howsure_cli.column_words import (
    ADJUDICATED,
    BODIES,
    CHANCES,
    CONFIDENCES,
    CORRECT,
    COSTS,
    CRITERIA,
    DETECTED,
    ENDS,
    ERRORS,
    FAULTS,
    GROUPS,
    HEADLINES,
    ITEMS,
    JUDGE,
    JUDGES,
    LABELS,
    LETTERS,
    LOGITS,
    MEASURES,
    METRICS,
    MODEL_NAMES,
    MODELS,
    PARSED,
    PEOPLE,
    PREDICTED,
    PROMPTS,
    RATERS,
    RIGHT_ANSWERS,
    RISKS,
    RUNS,
    SCORES,
    VERDICTS,
    WINNERS,
    are_battles,
    column_list,
    column_name,
    grade_values,
    is_grade,
    is_numeric,
    is_tie,
    is_yes_or_no,
    last_words,
    name_parts,
    names_id,
    names_prediction,
    names_rater,
    non_answer_options,
    other_sides,
    plain_identifier,
    positive_option,
    scale_bounds,
    share_scale,
    with_unparsed_as_wrong,
    without_doubts,
    without_non_answers,
    without_unclear,
)
from howsure_cli.criteria_columns import CriteriaColumns
from howsure_cli.document_commands import events_in_texts, import_scores
from howsure_cli.span_commands import spans_in_rows
from howsure_cli.table_notes import tasks_of_models
from howsure_cli.table_roles import CLEAR_DATE
from howsure_cli.text_pairs import text_metric, texts_and_reference
from howsure_cli.typed_commands import (
    DECISION,
    GOLD,
    RIGHT,
    Option,
    Options,
    Proposal,
    TypedFiles,
    models_against_first,
)

MAX_COMMANDS, MAX_UNDECIDED = 4, 3  # commands, and those of which the values do not say which is meant
MAX_GRADES = 200  # different values, of which agreement is computed
MAX_ORDINAL = 11  # grades, such as from 0 to 10, of which only the order is taken to count
MAX_NOMINAL = 3  # numbers of raters, above which their order is taken to count
MAX_JUDGE_LABELS = 5  # labels of a judge that is validated
MAX_RATERS = 20  # who are compared one by one
MIN_MODELS = 5  # from which items are compared
MOST_SAMPLED, MIN_TO_SAMPLE = 200, 20  # rows to label
MIN_LABELS = 10  # for corrected counts
TOPICS = {
    "calib": "calibration",
    "confid": "calibration",
    "agree": "judge agreement",
}  # by a part of the name of a file


def is_unlabelled(columns: Sequence[SeenColumn]) -> bool:
    """Whether there are predictions or probabilities, and no possible labels for them."""
    chances = [column for column in columns if column.kind in (WITHIN, SHARES) and column.words & (CHANCES - SCORES)]
    predictions = [column for column in columns if names_prediction(column) and not names_id(column)]
    predictions = [column for column in predictions if column.kind != TEXTS and not column.words & MEASURES]
    predictions += [c for c in columns if c.words & (JUDGES | MODEL_NAMES) and c.kind in (TWO, FEW) and not is_grade(c)]
    return bool(chances or predictions) and not _TableProposals(columns, (), TypedFiles((), {}), 1).labels


def propose_for_table(
    columns: Sequence[SeenColumn], rows: Sequence[Sequence[Any]], typed: TypedFiles, *, files: int
) -> list[Proposal]:
    """Return the commands for a table with these columns and first rows. If there are several `files`, each may be a
    model."""
    columns = [without_unclear(column, [row[at] for row in rows]) for at, column in enumerate(columns)]
    labelled = _TableProposals(columns, rows, typed, files)  # in which doubts are answers of raters and models
    settled = [without_doubts(column, [row[at] for row in rows]) for at, column in enumerate(columns)]
    table = labelled if settled == columns else _TableProposals(settled, rows, typed, files)
    agents = [*table.propose_agents()]
    scores = [*table.propose_marks()] or [*table.propose_scores()]
    if agents and any(
        "skip_missing" in score.options for score in scores
    ):  # the mean of which counts trials without a score as failed
        scores = [score.with_options(skip_missing=None, missing_score="0") for score in scores]
    in_rows = [*table.propose_judge_in_rows()]
    spans = [*spans_in_rows(settled, rows, typed)]
    judge = [*table.propose_judge()] or [*table.propose_judge_of_labels()]
    battles = [*table.propose_battles()]
    proposals = [
        *([] if judge else table.propose_for_unlabelled(is_dated=True)),
        *battles,
        *spans,
        *agents,
        *table.propose_counts(by_decisions=not judge),
        *table.propose_documents(import_scores),
        *judge,
        *in_rows,
        *([] if spans else labelled.propose_raters()),
        *([] if in_rows else scores),  # whose mean is that of the judge and of people together
        *([] if battles else labelled.propose_rater_columns()),
        *table.propose_score_lists(),
        *([] if judge else labelled.propose_predictions()),  # which compares the same columns
        *table.propose_similar_columns(),
        *table.propose_probabilities(),
        *table.propose_items(),
    ]
    proposals = proposals or [*table.propose_texts()]
    proposals = (
        proposals or [*table.propose_tasks()] or [*table.propose_codes(), *table.propose_documents(events_in_texts)]
    )
    topics = [topic for part, topic in TOPICS.items() if part in os.path.basename(typed.paths[0]).lower()]
    proposals = proposals or [*table.propose_for_unlabelled()]
    by_text = {str(proposal): proposal for proposal in proposals}
    ordered = sorted(by_text.values(), key=lambda proposal: (proposal.command not in topics, proposal.rank))
    return ordered[: MAX_UNDECIDED if ordered and ordered[0].is_undecided else MAX_COMMANDS]


def _where(value_by_column: Mapping[SeenColumn, str]) -> str:
    """The condition that selects the rows with these values."""
    return " AND ".join(
        f"{plain_identifier(column.name)} = {literal(value)}" for column, value in value_by_column.items()
    )


@dataclass(frozen=True)
class _TableProposals(CriteriaColumns):
    def propose_battles(self) -> Iterator[Proposal]:
        """If each row names two models and the winner: a ranking of the models."""
        by_name = {column.name.lower(): column for column in self.columns}
        sides = [
            (column, by_name[other])
            for column in self.columns
            for other in other_sides(column.name)
            if other in by_name and TEXTS not in (column.kind, by_name[other].kind)
        ]
        for a, b in sides:
            named = [column for column in self.columns if column.words & WINNERS and column not in (a, b)]
            winners = [column for column in named if self._are_battles(a, b, column)]
            if winners:
                raters = [column for column in self.columns if column.words & RATERS]
                item = self._named(ITEMS | PROMPTS, REPEATED, FEW, other_than=[a, b, *winners, *raters])
                is_plain = not any("." in winner.name for winner in winners)
                several = len(winners) > 1 and is_plain and self.may_explode  # a column for each rater
                yield self._command(
                    "score battles",
                    [a, b, *(winners if several else winners[:1]), item],
                    explode=column_list(winners) if several else None,
                    a=a.name,
                    b=b.name,
                    winner=VALUE if several else winners[0].name,
                    cluster=column_name(item),
                )
                return

    def _are_battles(self, *columns: SeenColumn) -> bool:
        rows = zip(*map(self._values, columns), strict=True)
        return are_battles([(str(a), str(b), str(winner)) for a, b, winner in rows if winner is not None])

    def propose_agents(self) -> Iterator[Proposal]:
        """If trials of agents have costs, or some lack a score: the mean if these had failed, or passed, and costs."""
        score, model, item, run = self._score, self._model(), self._item, self._run
        if score is None or model is None or item is None or run is None or score.non_answers:
            return
        costs = (column for column in self.columns if column.words & COSTS and self._is_positive(column))
        cost, end = next(costs, None), next((column for column in self.columns if column.words & ENDS), None)
        marks = {} if score.kind == WITHIN else positive_option(score)
        is_of_agents = cost is not None or (end is not None and score.missing)
        if not is_of_agents or marks is None or self._repeats([model, item, run], at_most=1):
            return
        is_error = end is not None and end.words & ERRORS and (end.missing or is_yes_or_no(end))
        names = {"model": model.name, "id": item.name, "run": run.name}
        errors = {"error": column_name(end) if is_error else None, "cost": column_name(cost)}
        yield self.typed.command("score agents", score=score.name, **marks, **errors, **names)

    def propose_judge(self) -> Iterator[Proposal]:
        """If a judge graded all rows, and people graded all or some of them: the judge's mean, corrected."""
        people = next((column for column in self.columns if column.words & PEOPLE and is_grade(column)), None)
        people = people or self._person_of_judge()
        arms = measures_of_arms(self.columns)
        if people is None or (people in arms and all(column.words & PEOPLE for column in arms)):  # grades of models
            return
        others = [column for column in self.columns if column is not people and not column.words & PEOPLE]
        judges = [c for c in others if c.words & JUDGES or name_parts(c) == name_parts(people) - PEOPLE]
        graded = [c for c in others if c.kind == FEW == people.kind and grade_values(c) == grade_values(people)]
        judges = judges or (graded if len(graded) == 1 and people.missing > graded[0].missing else [])
        without = map(without_non_answers, judges)
        judge = next((column for column in without if is_grade(column) and share_scale(column, people)), None)
        if judge is None or len(self.rows) - people.missing < MIN_LABELS:
            return
        identity, used = self._identity_options(other_than=(judge, people))
        options = {"score": judge.name, "target": people.name, **(positive_option(people) or {})}
        yield self._command("judge", [judge, *used], **options, **identity, bounds=scale_bounds(judge, people))
        if len(judge.held | people.held) <= MAX_JUDGE_LABELS and {judge.kind, people.kind} <= {TWO, FEW}:
            item = self._item
            cluster = None if item is None or item.kind == UNIQUE else item
            yield self._command("judge validate", [judge, cluster], **options, cluster=column_name(cluster))

    def propose_judge_of_labels(self) -> Iterator[Proposal]:
        """If the only judge and a person gave labels that are three texts or more, above chance the same: how often
        the judge is right."""
        plain = [c for c in self.columns if c.kind == FEW and {*map(parse_number, c.held)} == {None}]
        flags = [c for c in self.columns if c.kind == FEW and {*map(parse_number, c.held)} == {0.0, 1.0, None}]
        labels = [*plain, *flags]  # flags have a third value, such as X, which is left out
        judges = [column for column in labels if column.words & (JUDGES | MODEL_NAMES)]
        people = [c for c in labels if c.words & (PEOPLE | RIGHT_ANSWERS) and c not in judges]
        for person in people:
            criterion = name_parts(person) - (PEOPLE | RIGHT_ANSWERS)
            same = [judge for judge in judges if name_parts(judge) - (JUDGES | MODEL_NAMES) == criterion]
            if (
                len(same) == 1
                and (same[0] in flags) == (person in flags)
                and agree(self._values(same[0]), self._values(person))
            ):
                cluster = None if self._item is None or self._item.kind == UNIQUE else self._item
                others = {value for value in same[0].held | person.held if parse_number(value) is None}
                names: Options = {"score": same[0].name, "target": person.name, "cluster": column_name(cluster)}
                names = {**names, "missing": sorted(others), "skip_missing": True} if same[0] in flags else names
                yield self._command("judge validate", [same[0], person, cluster], **names)
                return

    def _person_of_judge(self) -> SeenColumn | None:
        """The column of any name with the most grades of those that agree with a judge's and are not in all rows."""
        judges = [column for column in self.columns if column.words & JUDGE and is_grade(column) and not column.missing]
        people = [column for column in self.columns if column.missing and is_grade(column) and judges]
        people = [column for column in people if grade_values(column) == grade_values(judges[0])]
        people = [column for column in people if agree(self._values(judges[0]), self._values(column))]
        return min(people, key=lambda column: column.missing, default=None)

    def propose_judge_in_rows(self) -> Iterator[Proposal]:
        """Propose `judge` if each row is a grade, and a judge and human annotators graded the same items."""
        item, judge_columns = self._item, self._judge_and_person()
        if judge_columns is None or item is None:
            return
        judge, person, rater, grade = judge_columns
        criterion = self._named(CRITERIA, FEW, TWO, other_than=[rater, grade])
        keys = [item] if criterion is None else [item, criterion]
        if self._repeats([rater, *keys], at_most=1):
            if (annotators := self._annotators(rater, judge, person, keys)) is not None:
                judge, person, rater = annotators
            else:
                keys = [*(self._keys(item, [rater], other_than=[rater, grade]) or keys)]
                keys += [criterion] if criterion is not None and criterion not in keys else []
        graded: dict[str, set[tuple[str | None, ...]]] = {judge: set(), person: set()}
        for *key, who, answer in zip(*map(self._values, (*keys, rater, grade)), strict=True):
            if who in graded and answer is not None:
                graded[str(who)].add(tuple(key))
        place = None if criterion is None else keys.index(criterion)
        both = Counter(None if place is None else key[place] for key in graded[judge] & graded[person]).most_common(1)
        if not both or both[0][1] < MIN_LABELS:
            return
        (kept, _), *_ = both
        options: dict[str, Option] = {"pivot": column_list([*keys, rater, grade]), "score": judge, "target": person}
        options |= {"where": None if criterion is None else _where({criterion: str(kept)})}
        options |= {**(positive_option(grade) or {}), "skip_missing": bool(graded[person] - graded[judge])}
        yield self.typed.command("judge", **options, bounds=scale_bounds(grade))
        if len(grade.held) <= MAX_JUDGE_LABELS:
            yield self.typed.command("judge validate", **options)

    def propose_raters(self) -> Iterator[Proposal]:
        """If each row is a grade, and several raters graded the same items: the agreement of the raters."""
        item, judge_columns = self._item, self._judge_and_person()
        rater = self._rater or self._judge
        rater = rater or (None if judge_columns is None else judge_columns[2])
        runs = [] if self._model() or self._score else self._runs()  # whose labels should be the same
        rater = rater or next(iter(runs), None)
        if rater is None or (item is not None and item.kind == UNIQUE):
            return
        grade = self._grade_column(rater)
        if grade is not None and ((rater in runs and grade.kind not in (TWO, FEW)) or grade.words & METRICS):
            return
        coded = [c for c in self.columns if c.kind in (FEW, REPEATED) and c not in (rater, grade) and not c.missing]
        items = [item] if item is not None else [c for c in coded if not self._determines(rater, c)]
        others = [column for column in (rater, grade) if column is not None]
        possible = (self._keys(column, [rater], other_than=others) for column in items)
        keys = next(filter(None, possible), ())
        if grade is None or grade.values > MAX_GRADES or not keys or not self._repeats(keys, at_most=1):
            return
        names = {"rater": rater.name, "id": column_list(keys), "score": grade.name}
        scale = "ordinal" if grade.values <= MAX_ORDINAL else "interval"
        is_scale = grade.kind != TWO and is_numeric(grade)
        yield self._command("judge agreement", [rater, grade, *keys], **names, scale=scale if is_scale else None)

    def propose_rater_columns(self) -> Iterator[Proposal]:
        """Propose the agreement of raters if each rater has a column, and these columns contain the same values."""
        arms = measures_of_arms(self.columns)
        alike = arms if arms and arms[0].kind == FEW and agree(*map(self._values, arms[:2])) else []
        alike = alike or raters(self.columns, self._values_by_column)
        alike = alike if len(alike) > 1 else numbered_coders(self.columns)
        rater_of_row = self._rater or self._judge
        if rater_of_row is not None and rater_of_row not in alike:
            return
        if len(alike) < 2 or not self.may_explode or target_and_predictions(alike, self._values_by_column) is not None:
            return
        values = {value for column in alike for value in grade_values(column)}
        is_scale = len(values) > MAX_NOMINAL and all(map(is_numeric, alike))
        is_scale &= any(c.words & (RATERS | JUDGE) or not re.search(r"\d", c.name) for c in alike)  # not codes C1, C2
        scale = "ordinal" if is_scale else None
        yield self._command("judge agreement", alike, raters=column_list(alike), scale=scale)

    def propose_similar_columns(self) -> Iterator[Proposal]:
        """If treatment arms or models have a column each with the same measure: its mean for each of them."""
        arms = measures_of_arms(self.columns) or grades_of_models(self.columns) or scores_of_queries(self.columns)
        criteria = [] if self._score is None else self._most_criteria(self._score)[1]
        if self.may_explode and arms and not {*arms} <= {*criteria}:
            yield self._means_of_columns(arms)

    def _means_of_columns(self, columns: Sequence[SeenColumn], **options: Option) -> Proposal:
        rows: Options = {"explode": column_list(columns), "score": VALUE, **options}
        return self._command("score", columns, **rows, model=COLUMN, id=self._unique_id(columns) or self._source_row)

    def propose_tasks(self) -> Iterator[Proposal]:
        """If each row is a model, and each column the score of a task: the mean of each model over tasks."""
        tasks, names = tasks_of_models(self.columns), [c for c in self.columns if c.kind == UNIQUE and c.words & MODELS]
        if tasks and names and self.may_explode and "," not in "".join(column.name for column in tasks):
            identity = {"model": names[0].name, "id": COLUMN}
            yield self._command("score", tasks, explode=column_list(tasks), score=VALUE, **identity)

    def propose_codes(self) -> Iterator[Proposal]:
        """Propose how often each code (or, with a single code, each of its values) occurs, if documents were coded
        without a model."""
        used = GROUPS | MODELS | RUNS | MEASURES | ITEMS
        shares = [column for column in self.columns if column.kind in (WITHIN, SHARES)]
        if any(not column.words & (MEASURES | COSTS) for column in shares):  # probabilities of a model
            return
        codes = [c for c in self.columns if c.kind in (TWO, FEW) and c not in self._models() and not c.words & used]
        codes = [c for c in codes if not (names_id(c) or names_rater(c) or all(map(YEAR_OR_MONTH.fullmatch, c.held)))]
        codes = [c for c in codes if is_yes_or_no(c) or not is_numeric(c) or c.name.lower() in LABELS - {"y"}]
        codes = [column for column in codes if not all(map(CLEAR_DATE.match, column.held))]
        if any(code.words & RIGHT_ANSWERS for code in codes) and any(map(names_prediction, codes)):
            return  # which have no values in common
        flags = [column for column in codes if is_yes_or_no(column)]
        others = sorted((column for column in codes if not is_yes_or_no(column)), key=is_numeric)
        named = [c for c in (*others, *flags[:1]) if c.words & (LABELS | VERDICTS | SCORES)]
        are_flags = len(flags) > 1 and not any(column.words & VERDICTS for column in others)
        is_only = len(codes) == 1 and all(column.kind != DATES for column in self.columns) and self._model() is None
        if are_flags and self.may_explode and any(column.kind == TEXTS for column in self.columns):
            yield self._means_of_columns(flags).by_group()
        elif label := next(iter(named or (codes if is_only else self._codes_of_answers(others))), None):
            counts = Counter(text for text in self._values(label) if text is not None)
            wins = [value for value, _ in counts.most_common() if not (label.words & WINNERS and is_tie(value))]
            if not is_numeric(label) and len({value.strip("0123456789") for value in label.held}) == 1:  # 5★ and 4★
                wins.sort(key=lambda value: (len(value), value), reverse=True)
            is_school = {value.lower() for value in label.held} <= LETTERS and "grade" in label.words
            positive = {"positive": min(label.held)} if is_school else positive_option(label)
            most: Options = {"positive": wins[0]} if positive is None else positive
            most = {**most, "lower_is_better": bool(label.words & FAULTS)}
            is_good = positive is not None and label.words & (FAULTS | SCORES | LABELS | VERDICTS)
            identity, named_columns = self._identity_options(label=label)
            proposal = self._command("score", [label, *named_columns], score=label.name, **most, **identity)
            yield proposal if is_good else proposal.by_group()

    def propose_counts(self, *, by_decisions: bool = False) -> Iterator[Proposal]:
        """If all rows have a probability, and only a minority of them a label: corrected counts.

        by_decisions: also if all rows have a model's decision, such as 1 or 0; the proportion if it is yes or no.
        """
        prob, label = self._named(CHANCES, WITHIN) or self._only_within(), self._label()
        if prob is None and label is not None and by_decisions:
            prob = self._classifier(label)
        if prob is None or label is None or prob.missing or (positive := positive_option(label)) is None:
            return
        if not len(self.rows) / 2 < label.missing <= len(self.rows) - MIN_LABELS:
            return
        if prob.kind == TWO and not is_numeric(prob):
            options = {"score": prob.name, "target": label.name, **positive, "missing": label.non_answers}
            decided = self.typed.command("judge", **options, where=self._only_first_arm())
            yield replace(decided, evidence=DECISION)
            return
        by_name = {column.name.lower(): column.name for column in self.columns}
        date = next((column for column in self.columns if column.kind == DATES and not column.missing), None)
        is_clear = date is not None and self._is_clear_date(date)
        groups = [group for group in self._groups() if group not in (label, *self._models())][:1]
        periods = [c for c in self.columns if c.kind in (DATES, FEW, TWO) and not c.missing and c is not label]
        periods = [c for c in periods if all(YEAR_OR_MONTH.fullmatch(str(text).lower()) for text in self._values(c))]
        periods = periods[: not is_clear]
        if (only := self._only_first_arm()) is not None:
            yield self._command(
                "counts estimate",
                [],
                prob=prob.name,
                target=label.name,
                **positive,
                stratum=by_name.get("stratum"),
                inclusion=by_name.get("inclusion"),
                date=column_name(date) if is_clear else None,
                period=self._period(date) if date is not None and is_clear else None,
                group=column_list([*periods, *groups]),
                missing=label.non_answers,
                where=only,
            )

    def _only_first_arm(self) -> str | None:
        """Return the option that selects one row of each item, that of the first model, arm and run, because counts
        must not be added over them; None if items repeat nevertheless."""
        run, item = self._run, self._item
        arms = [column for column in (*self._models(), run) if column is not None and column is not item]
        if not arms:
            return ""
        crossed = arms if item is None else self._distinguished([item], arms)
        if item is not None and self._repeats([*crossed, item], at_most=1):
            return None
        values = next((row for row in zip(*map(self._values, crossed), strict=True) if None not in row), None)
        return None if values is None else _where(dict(zip(crossed, map(str, values), strict=True)))

    def propose_marks(self) -> Iterator[Proposal]:
        """Propose the means of models and their differences, if each of several columns says which items one model
        solved."""
        marks = marks_of_models(self.columns, self._values_by_column)
        if len(marks) < 2 or not self.may_explode:
            return
        positive = positive_option(marks[0]) or {}
        yield replace(self._means_of_columns(marks, **positive), evidence=RIGHT)
        if not positive:
            yield self._command("significance", marks, metric="score", **models_against_first(marks))

    def propose_scores(self) -> Iterator[Proposal]:
        """Propose means and a comparison of the models if a column contains a score of each answer."""
        score = self._score or self._label_of_answers() or self._score_by_values() or self._grade_of_models()
        if score is None and self._model() is not None:  # which all may have solved all items
            score = next(filter(is_yes_or_no, self._scores(ONE)), None)
        is_probability = score is not None and score.kind == WITHIN and score is self._probability_column()
        if score is None or (is_probability and self._label() is not None) or score in (self._classes() or ((), []))[1]:
            return  # a probability of the label, or the label of probabilities
        identity, used = self._identity_options(label=score)
        score, criteria = self._most_criteria(score)
        if self.may_explode and len(criteria) > 1:
            options = {**identity, "group": COLUMN, "explode": column_list(criteria), "score": VALUE}
            options |= {"id": identity.get("id") or self._source_row}
            options |= {**(positive_option(score) or {}), "lower_is_better": bool(score.words & FAULTS)}
            yield self._command("score", [*criteria, *used], **options)
            return
        marks = {**(positive_option(score) or {}), **non_answer_options(score)}
        named = [column for column in self.columns if "metric" in column.words and not is_numeric(column)]
        metrics = {value.casefold() for column in named for value in column.held}
        marks["lower_is_better"] = bool(score.words & FAULTS or (metrics and metrics <= FAULTS))
        is_right = score is self._right and self._rater is None and self._judge is None
        is_right = is_right and not score.words & FAULTS
        scored = with_unparsed_as_wrong(score)
        proposal = self._command("score", [scored, *used], score=score.name, **marks, **identity)
        yield replace(proposal, evidence=RIGHT if is_right else "")
        end = score.name.rsplit(".", 1)[-1]
        alike = [column for column in self.columns if column.kind == score.kind and column.name.endswith(f".{end}")]
        if len(alike) > 1:  # an object for each model
            yield self._command("significance", alike, metric="score", **models_against_first(alike))

    def propose_items(self) -> Iterator[Proposal]:
        """If five models or more have scores on the same items: which items distinguish the models."""
        score, model, item = self._score or self._label_of_answers(), self._model(), self._item
        if score is None or model is None or item is None or model.values < MIN_MODELS:
            return
        run = self._run
        runs = [] if run is None else [run]
        scored = zip(*map(self._values, (item, model, score)), strict=True)
        models_by_item = Counter(name for name, _ in {cell[:2] for cell in scored if None not in cell})
        shared = sum(n == model.values for n in models_by_item.values())
        if shared < 2 or self._repeats([model, item, *runs], at_most=1):
            return
        marks = {**(positive_option(score) or {}), **non_answer_options(score)}
        names = {"model": model.name, "id": item.name, "run": column_name(run)}
        yield self._command("score items", [with_unparsed_as_wrong(score)], score=score.name, **marks, **names)

    def propose_documents(
        self, commands: Callable[[Sequence[SeenColumn], TypedFiles], Iterator[Proposal]]
    ) -> Iterator[Proposal]:
        """The commands for documents without labels in one file."""
        return iter(()) if self.files > 1 or self._label() is not None else commands(self.columns, self.typed)

    def propose_score_lists(self) -> Iterator[Proposal]:
        """If each row has a list of scores, such as those of several runs of a judge: the mean, by items as
        clusters."""
        listed = next((column for column in self.columns if column.kind == LISTS and column.words & SCORES), None)
        model, item = self._model(), self._item
        if self._score is None and listed is not None and listed.length is not None and item is not None:
            names = {"explode": listed.name, "score": listed.name, "model": column_name(model), "cluster": item.name}
            yield self._command("score", [listed, model, item], **names)

    def propose_probabilities(self) -> Iterator[Proposal]:
        """If there are probabilities and labels: the calibration of the probabilities, and their use for abstention."""
        options, used = self._classes() or self._confidence() or self._probability()
        is_confidence = "prediction" in options
        positive = str(options.get("positive", "1"))
        if not options or ("prob" in options and not is_confidence and self._is_of_prediction(used, positive)):
            return
        item, model = self._item, self._model()
        groups = [column for column in (model, *self._groups()[:1]) if column is not None and column not in used]
        groups = [column for column in groups if not self._determines(column, used[0])]
        groups = [column for column in groups if column.name != options.get("prediction")]
        by_file = model is None and self.files > 1
        names = [*(["file"] if by_file else []), *(group.name for group in groups)]
        by: Options = {"by_file": by_file, "group": ",".join(names)}
        cluster = None if item is None or item.kind == UNIQUE else item
        of_item: Options = {"cluster": column_name(cluster)}
        is_sampled = used[0] is self._labels_of_a_sample()  # what the rows are, and not whether answers are right
        columns = [*used, *groups, cluster]
        yield self._command("calibration", columns, **options, **by, **of_item)
        reduce = self._reduction(used) if "prob" in options and not is_confidence else ""
        if not is_sampled and reduce is not None:
            yield self._command("selective", columns, **options, reduce=reduce, **by, **of_item)
        if not names and not {"prob", "verbalised"} & {*options} and len(used) + (used[-1].length or 0) > 2:
            yield self._command("calibration", used, **options, **of_item, reduce="class-wise")

    def _reduction(self, used: Sequence[SeenColumn]) -> str | None:
        """The option of `selective` that turns a probability into a confidence in the likelier class; "" if the label
        says whether an answer is right, None if the confidence cannot belong to the label."""
        label, prob = used
        if label is self._right or {value.casefold() for value in label.held} & CORRECT:
            return ""
        if prob.words & CONFIDENCES:
            return "" if is_yes_or_no(label) else None
        return "top-label"

    def propose_predictions(self) -> Iterator[Proposal]:
        """If columns predict a column of right answers: how often each is right, and a comparison of several."""
        pair = target_and_predictions(self.columns, self._values_by_column)
        if pair is None:
            return
        target, predictions = pair
        if len(predictions) == 1:
            models = [column for column in self._models() if column not in (target, *predictions)]
            rater = self._rater if target.words & RIGHT_ANSWERS and not models else None
            rater = rater if rater is not None and rater.kind != REPEATED and rater.values <= MAX_RATERS else None
            identity, used = self._identity_options(label=target, models=models if rater is None else [rater])
            names = {"target": target.name, "prediction": predictions[0].name}
            if are_single_tags(target.held):  # in rows of words, which cross sentences
                models = [column for column in models if column.words & MODELS]
                identity, used = self._identity_options(label=target, models=models)
            if are_single_tags(target.held) and (sentence := identity.get("id") or identity.get("cluster")):
                names |= {"metric": "entity_f1"}
                identity = {**identity, "id": sentence, "cluster": None}
            proposal = self._command("score", [target, *used], **names, **identity)
            yield replace(proposal, evidence=GOLD if target.words & (RIGHT_ANSWERS | PEOPLE | ADJUDICATED) else "")
            return
        item = self._item or self._named({"sentence", "sent", "satz"}, FEW)
        is_sentence = are_single_tags(target.held) and item is not None and item.kind != UNIQUE
        of_entities: Options = {"metric": "entity_f1", "id": column_name(item)} if is_sentence else {}
        if self.may_explode and "," not in "".join(column.name for column in predictions):
            names = {"explode": column_list(predictions), "target": target.name, "prediction": VALUE}
            by_row: Options = {"id": self._unique_id([target, *predictions]) or self._source_row, **of_entities}
            yield self._command("score", [target, *predictions], **names, model=COLUMN, **by_row)
        elif not self.may_explode:
            guess = min(predictions, key=lambda column: not last_words(column) & (PREDICTED | PARSED))
            identity, used = self._identity_options(label=target)
            scored = self._command(
                "score", [target, guess, *used], target=target.name, prediction=guess.name, **identity
            )
            yield replace(scored, evidence=GOLD if target.words & RIGHT_ANSWERS else "")
        options = {"target": target.name, **models_against_first(predictions), **of_entities}
        yield self._command("significance", [target, *predictions], **options)

    def propose_texts(self) -> Iterator[Proposal]:
        """If columns contain texts and their references: a metric of texts."""
        pair = texts_and_reference(self.columns, self.rows)
        if pair is None:
            return
        reference, texts = pair
        metric = text_metric(self.columns, os.path.basename(self.typed.paths[0]))
        if len(texts) == 1:
            identity, used = self._identity_options(label=reference)
            names: Options = {"target": reference.name, "prediction": texts[0].name, "metric": metric}
            yield self._command("score", [reference, *texts, *used], **names, **identity)
        elif self.may_explode and "," not in "".join(column.name for column in texts):
            names = {"explode": column_list(texts), "target": reference.name, "prediction": VALUE, "metric": metric}
            item = self._unique_id([reference, *texts])
            yield self._command("score", [reference, *texts], **names, model=COLUMN, id=item)

    def _probability(self) -> tuple[Options, list[SeenColumn]]:
        """The column with one probability per row, and the column of its label."""
        prob, label = self._probability_column(), self._label()
        logit = self._named(LOGITS["logits"], NUMBERS)
        if prob is None and logit is not None and (label := self._two_labels()) is not None and is_yes_or_no(label):
            return {"target": label.name, "logits": logit.name}, [label, logit]
        if prob is None or label is None or (positive := positive_option(label, DETECTED)) is None:
            return {}, []
        is_named = prob.words & CHANCES != {"score"} or names_prediction(prob) or prob.words & RISKS
        if not is_named and label.kind == TWO and not self._separates(prob, label):
            return {}, []  # a score of something else
        way = "verbalised" if prob.kind == STATED else "prob"
        return {"target": label.name, **positive, way: prob.name, **non_answer_options(label)}, [label, prob]

    def _classes(self) -> tuple[Options, list[SeenColumn]] | None:
        """A probability, logit or log-probability of each class, in a list or in columns, and the label."""
        vectors = sorted(self._vectors(), key=lambda vector: not vector[0].startswith("probs"))
        numbered = [column for column in self.columns if column.kind in (TWO, FEW) and column not in self.labels]
        for label in [column for column in (*self.labels, *numbered) if column.held]:
            for way, columns, names in vectors:
                if label in numbered and not (way == "probs_column" or self._names_highest(label, columns)):
                    continue
                options = {"target": label.name, way: column_list(columns)}
                if label.held <= {str(at) for at in range(len(names))}:
                    renamed = ",".join(map(str, range(len(names)))) if len(columns) > 1 else None
                    return {**options, "classes": renamed}, [label, *columns]
                names = [str(rank) for rank in range(1, len(names) + 1)] if label in numbered else names  # of grades
                if label.held <= {*names}:
                    return {**options, "classes": ",".join(names)}, [label, *columns]
        return None

    def propose_for_unlabelled(self, *, is_dated: bool = False) -> Iterator[Proposal]:
        """If a model gave probabilities and nobody gave labels: a sample to label, for a corrected count.

        is_dated: for documents with dates, of which a score is also a probability.
        """
        dates = [column for column in self.columns if column.kind == DATES]
        documents = [c for c in self.columns if c.kind == TEXTS or c.words & (BODIES | HEADLINES)]
        if is_dated and not (dates and documents and self._model() is None and self._label() is None):
            return
        named = CHANCES - CONFIDENCES - (SCORES - {"score"} if is_dated else SCORES)
        chances = [c for c in self.columns if c.kind == WITHIN and c.words & named]
        predictions = list(filter(names_prediction, self.columns))
        has_predictions = any(not self._decides(c, chances[0]) for c in predictions) if chances else bool(predictions)
        if not chances and any(column.kind == TEXTS for column in self.columns):
            chances = [column for column in (self._only_within(),) if column is not None]
        if (
            len(chances) != 1
            or self.labels
            or self._label()
            or has_predictions
            or chances[0].missing
            or len(self.rows) < MIN_TO_SAMPLE
        ):
            return
        shown = [c for c in self.columns if c.kind in (TEXTS, UNIQUE) and "," not in c.name]
        output = f"{os.path.basename(self.typed.paths[0]).partition('.')[0]}_to_label.csv"
        labels = str(min(MOST_SAMPLED, len(self.rows) // 2))
        names = {"prob": chances[0].name, "labels": labels, "show": column_list(shown)}
        only = self._only_first_arm()
        if only is not None:
            yield self.typed.command("counts sample", **names, where=only, output=output)
