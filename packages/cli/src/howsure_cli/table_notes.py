"""Notes on tables for which no command is proposed: means of models, lists of objects."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from howsure.data.column_roles import (
    DATES,
    FEW,
    LISTS,
    NUMBERS,
    ONE,
    REPEATED,
    TEXTS,
    TWO,
    UNIQUE,
    WITHIN,
    SeenColumn,
    seen_column,
)
from howsure.data.documents.entities import are_single_tags
from howsure.data.object_rows import VALUE
from howsure.data.tables.database import literal
from howsure.inputs.date_formats import best_formats, count_date_formats, is_written
from howsure.inputs.label_spelling import is_non_answer
from howsure.inputs.numbers_and_names import (
    PERCENT,
    POINTED_THOUSANDS,
    NumberKinds,
    comma_advice,
    parse_number,
    proportion,
    shortened,
    with_decimal_commas,
)
from howsure_cli.column_words import (
    CHANCES,
    DATES_NAMED,
    ITEMS,
    LABELS,
    MEANS,
    MEASURES,
    MODELS,
    PREDICTED,
    RATERS,
    RETRIEVAL,
    RIGHT_ANSWERS,
    SCORES,
    TOTALS,
    UNITS,
    VERDICTS,
    WINNERS,
    is_numeric,
    is_yes_or_no,
    names_id,
    plain_identifier,
    unparsed_answers,
)
from howsure_cli.terminal.output import shell_word
from howsure_cli.typed_commands import DECISION, Options, Proposal

MIN_TASKS = 8
MAX_TAG_COLUMNS = 6
NO_ANSWER = {"?", "-", "--", "…"}
COUNTS = {"count", "n", "samples"}  # of a table of bins
SPREADS = {"std", "stdev", "se", "sd"}  # of means
NAMED_SCORES = SCORES | {"recall", "precision"}
SUMMARY = "This is a summary, one row per model; use the samples instead: a row per model and item, with its score."
WITHOUT_LABELS = (
    "It contains probabilities but no right answers; add them from a table by id and question: --labels-from "
    "labels.csv."
)
TO_LABEL = "It contains probabilities and no right answers: label a sample to count what the model looks for."
UNLABELLED = "It contains predictions or probabilities, but no column of right answers: add one, such as gold."
LABELS_ONLY = (
    "It contains labels and nothing to compare them with. To evaluate a model, add a column with its predictions; to "
    "evaluate these labels, one with right answers."
)
PREFERENCES = (
    "It contains preferences, but not what they should be compared with: add the model of each side to rank models "
    "(score battles), or the right preferences to evaluate a judge."
)
DOCUMENTS = "These are documents: docs/news-to-number.md leads from them to a number of events, with an interval."
OTHER_LANGUAGE = (
    "These are documents, but not in English, as the built-in rules of events extract require. docs/events.md "
    "describes what other languages need."
)
TAGS = (
    "These are words and tags, a word in a line. The tags of a model in such a file are evaluated by those in another: "
    "howsure score predicted.tsv --targets true.tsv --metric entity_f1."
)
SINGLE_TAGS = (
    "The labels are tags of entities, most of them O, so accuracy is high for any model. The F1 of entities needs a "
    "column with the sentence of each row: --metric entity_f1 --id COL."
)
PAIR = (
    "Predictions and true values need an id of the same name in both: howsure score {} --targets {} --target COL "
    "--prediction COL --id COL."
)
DECIMALS = re.compile(r"-?\d+\.\d{4,}")
MAX_TOTALS = 5  # lines at the end that may contain totals
MAX_BAD_DATES, MAX_BAD_ROWS = 0.05, 3  # the proportion of rows without a date, and how many of these are listed
TAG = re.compile(r"O|[BIESLUM]-\S+")
MAX_NAMES = 20  # different labels, or names of models


def names_below_title(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return the column names in a later row if the first row has only one value, which may be a title; otherwise [].

    >>> names_below_title([["July", "column1"], [None, None], ["model", "score"], ["a", "0.5"]])
    ['model', 'score']
    """
    if len(rows[0]) < 2 or any(name != f"column{place}" for place, name in enumerate(rows[0][1:], start=1)):
        return []
    return [str(name) for name in next((row for row in rows[1:] if all(row)), [])]


def names_among_values(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return the column names that are numbers with many decimals, or also values of their own columns, repeated among
    others: the first row of such a table is probably data. It is not if another name differs from all values of its
    column as only a name does: numbers, or longer texts.

    >>> names_among_values([["dog", "NOUN"], ["barks", "VERB"], ["cat", "NOUN"], ["Ann", "NOUN"]])
    ['NOUN']
    """
    columns = zip(*rows, strict=True)
    named_values = ((re.sub(r"_\d+$", "", str(name)), values) for name, *values in columns)  # equal names are numbered
    repeated = {name for name, values in named_values if values.count(name) > 1 and len({*values} - {None, ""}) > 1}
    if len(rows) > 1 and any(map(_is_heading, *rows[:1], zip(*rows[1:], strict=True))):
        repeated = set()
    names = map(str, rows[0])
    return list(dict.fromkeys(name for name in names if name in repeated or DECIMALS.fullmatch(name)))


def _is_heading(name: Any, values: Sequence[Any]) -> bool:
    """Whether a column has a name unlike any of its values, which are numbers, or texts of several words."""
    texts = [str(value) for value in values if value is not None]
    are_numbers = parse_number(str(name)) is None and None not in map(parse_number, texts)
    return bool(texts) and (are_numbers or (" " not in str(name) and all(text.count(" ") > 1 for text in texts)))


def are_tags(columns: Sequence[SeenColumn]) -> bool:
    """Whether the last of a few columns contains tags of spans, such as B-PER and O, next to words."""
    tags = columns[-1].held
    return 1 < len(columns) <= MAX_TAG_COLUMNS and "O" in tags and all(map(TAG.fullmatch, tags)) and len(tags) > 1


def with_points(rows: list[list[Any]], numbers: Collection[str] = ()) -> tuple[list[list[Any]], list[str]]:
    """Return the column names and rows with decimal commas converted to points where commands would do so, and the
    names of the converted columns.

    numbers: the columns with values other than strings, which have decimal points.

    >>> with_points([["id", "p"], ["a,b", "0,5"], ["1,5", None]])
    ([['id', 'p'], ['a,b', '0.5'], ['1,5', None]], ['p'])
    """
    heads, *cells = rows
    kinds = {
        at: NumberKinds.of([cell for cell in column if cell is not None])
        for at, column in enumerate(zip(*cells, strict=True))
        if heads[at] not in numbers
    }
    places = {at for at in with_decimal_commas(kinds) if not kinds[at].other}
    if not places:
        return rows, []
    pointed = [
        [cell.replace(",", ".") if cell is not None and at in places else cell for at, cell in enumerate(row)]
        for row in cells
    ]
    return [heads, *pointed], [str(heads[at]) for at in sorted(places)]


def with_proportions(rows: list[list[Any]]) -> tuple[list[list[Any]], list[str]]:
    """Return the column names and rows, in which columns that contain only percentages are converted to proportions,
    and the names of the converted columns.

    Columns of labels and of model names are not converted. A column with two values is converted only if its name is
    that of a score.

    >>> with_proportions([["id", "p", "model"], ["5%", "35,5 %", "50%"], ["b", None, "90%"]])
    ([['id', 'p', 'model'], ['5%', '0.355', '50%'], ['b', None, '90%']], ['p'])
    """
    heads, *cells = rows
    percentages = {at: _percentages(column) for at, column in enumerate(zip(*cells, strict=True))}
    places = {at for at, texts in percentages.items() if texts and _may_be_numbers(str(heads[at]), texts)}
    if not places:
        return rows, []
    proportions = [
        [
            proportion(cell) if at in places and cell is not None and PERCENT.fullmatch(cell) else cell
            for at, cell in enumerate(row)
        ]
        for row in cells
    ]
    return [heads, *proportions], [str(heads[at]) for at in sorted(places)]


def _percentages(column: Collection[str | None]) -> set[str]:
    """The percentages in a column, if all its other values are missing or no answers."""
    texts = {text for text in column if text is not None}
    only = all(PERCENT.fullmatch(text) or is_non_answer(text) for text in texts)
    return {text for text in texts if not is_non_answer(text)} if only else set()


def _may_be_numbers(name: str, percentages: set[str]) -> bool:
    """Whether percentages in a column of this name are numbers, not labels or names."""
    words = seen_column(name, ()).words
    most_names = MAX_NAMES if words & (LABELS | PREDICTED | MODELS | RATERS) else 2
    return bool(words & (CHANCES | SCORES)) or len(percentages) > most_names


def thousands_notes(rows: list[list[Any]], numbers: Collection[str] = ()) -> list[str]:
    """Return a note for each column of strings such as 1.035, in a table whose other numbers have decimal commas.

    numbers: the columns with values other than strings.

    >>> thousands_notes([["id", "n"], ["a", "643"], ["b", "1.035"]])
    ['n has 1.035. Its point may separate thousands or decimals: write 1035, or 1,0350 if it is a decimal.']
    """
    heads, *cells = rows
    notes = list[str]()
    for head, column in zip(heads, zip(*cells, strict=True), strict=False):
        texts = [cell for cell in column if cell is not None]
        first = next(filter(POINTED_THOUSANDS.fullmatch, texts), None)
        kinds = NumberKinds.of(texts)
        if first is not None and not (kinds.decimal_point or kinds.other or head in numbers):
            notes.append(f"{head} has {first}. {comma_advice(first)}")
    return notes


def summary_of_means(columns: Sequence[SeenColumn], n: int) -> str | None:
    """Return the note for a table that has a row per model and otherwise only numbers; None for any other table."""
    named = [
        column for column in columns if column.kind in (UNIQUE, TWO) and column.words & MODELS and column.values == n
    ]
    named = [column for column in named if not names_id(column)]
    first = columns[0]
    if (
        0.9 * n <= first.values
        and not (is_numeric(first) or first.words & ITEMS or first.kind == TEXTS)
        and any(column.words & MEANS and not column.words & MEASURES for column in columns)
    ):
        return SUMMARY
    if n == 1 and any(column.kind == ONE and column.words & SCORES and is_numeric(column) for column in columns):
        return SUMMARY
    words = frozenset[str]().union(*(column.words for column in columns))
    has_items = any(column.kind == TEXTS or names_id(column) or column.words & (ITEMS | UNITS) for column in columns)
    if (words >= {"bin"} and words & COUNTS) or any(column.words > {"ci", "low"} for column in columns):
        return SUMMARY
    if words & {"stderr"} or (not has_items and (words & SPREADS or words >= {"precision", "recall"})):
        return SUMMARY
    others = [column for column in columns if column not in named]
    numeric = all(
        other.kind in (WITHIN, NUMBERS, UNIQUE, TWO, FEW, REPEATED, ONE) and is_numeric(other) for other in others
    )
    if not (named and others and numeric):
        return None
    return None if tasks_of_models(columns) else SUMMARY


def tasks_of_models(columns: Sequence[SeenColumn]) -> list[SeenColumn]:
    """The columns of a table with a row for each model and a column for each of many tasks, and not for metrics."""
    kinds = (WITHIN, NUMBERS, FEW, REPEATED, TWO)
    tasks = [c for c in columns if c.kind in kinds and is_numeric(c) and not c.words & (SCORES | MEANS | MEASURES)]
    return tasks if len(tasks) >= MIN_TASKS and len(tasks) * 2 > len(columns) else []


def lists_of_objects(columns: Sequence[SeenColumn]) -> list[str]:
    """The columns with lists whose objects may be rows."""
    return [column.name for column in columns if column.kind in (LISTS, ONE) and column.examples[0].startswith("[{")]


def lists_inside(name: str, content: Any) -> Iterator[tuple[int, str]]:
    """The lists of objects in a document, with their lengths and names such as results.first."""
    if isinstance(content, dict):
        for key, part in content.items():
            if "," not in key and "." not in key:
                yield from lists_inside(f"{name}.{key}" if name else key, part)
    elif isinstance(content, list) and len(content) > 1 and all(isinstance(element, dict) for element in content):
        yield len(content), name
        inner = [
            key for key, part in content[0].items() if isinstance(part, list) and isinstance((part or [0])[0], dict)
        ]
        yield from ((0, f"{name}.{key}") for key in inner)  # which are tried after all others


def lists_note(name: str) -> str:
    """The note on lists of objects with this name."""
    return f"{name}: lists of objects; --explode {name} makes each object a row."


def other_scores_notes(columns: Sequence[SeenColumn], commands: Sequence[Proposal]) -> Iterator[str]:
    """Yield a note on the other columns of scores if the first command is about some of several."""
    first = commands[0] if commands and commands[0].command in ("score", "judge agreement") else None
    used = [] if first is None else [first.options.get(role) for role in ("score", "explode")]
    names = {name for names in used if isinstance(names, str) for name in names.split(",")}
    kinds = (WITHIN, NUMBERS, TWO, FEW, ONE, REPEATED)
    scores = [c for c in columns if c.kind in kinds and c.words & NAMED_SCORES and (is_numeric(c) or is_yes_or_no(c))]
    unlike = MEASURES | RETRIEVAL | ITEMS | LABELS - {"answer"}
    others = [column.name for column in scores if not column.words & unlike and column.name not in names]
    if others and (scored := [column.name for column in columns if column.name in names and column in scores]):
        were = "was taken as the score" if len(scored) == 1 else "were taken as the scores"
        yield f"{shortened(scored, limit=3)} {were}. Others could be: {shortened(others, limit=6)}."


def labels_notes(columns: Sequence[SeenColumn], first: Proposal) -> Iterator[str]:
    """Yield a note if the first command counts labels or preferences, and not judgements by several criteria."""
    scored = [column for column in columns if column.name == first.options.get("score")]
    if scored:
        yield LABELS_ONLY if scored[0].words & RIGHT_ANSWERS or not scored[0].words & WINNERS else PREFERENCES


def target_notes(commands: Sequence[Proposal]) -> Iterator[str]:
    """Yield a note if the first command guesses which column contains the right answers."""
    options: Options = commands[0].options if commands and commands[0].is_undecided else {}
    if target := options.get("target"):
        yield f"{target} was taken as the right answers. If another column is, name it: --target."


def unanswered_notes(columns: Sequence[SeenColumn], commands: Sequence[Proposal]) -> Iterator[str]:
    """Yield a note if predictions that the first command counts as wrong are no answers, such as a question mark."""
    by_name = {column.name: column for column in columns}
    for first in commands[:1]:
        scored = by_name.get(str(first.options.get("score")))
        missing = first.options.get("missing")
        left_out = missing if isinstance(missing, Sequence) else ()
        unparsed = [] if scored is None else sorted(unparsed_answers(scored) - {*left_out})
        if scored is not None and unparsed and first.options.get("positive"):
            to_skip = " ".join(f"--missing {shell_word(value)}" for value in unparsed)
            listed = shortened(map(repr, unparsed))
            yield f"{listed} in {scored.name} counts as wrong. To leave such rows out: {to_skip} --skip-missing."
    options: Options = commands[0].options if commands and commands[0].command == "score" else {}
    target = by_name.get(str(options.get("target")))
    names = str(options.get("explode" if options.get("prediction") == VALUE else "prediction")).split(",")
    predictions = [by_name[name] for name in names if name in by_name]
    if target is not None and predictions and not options.get("missing"):
        values = sorted(frozenset[str]().union(*(column.held for column in predictions)) - target.held)
        unanswered = [value for value in values if is_non_answer(value) or value.strip() in NO_ANSWER]
        if unanswered:
            left_out = " ".join(f"--missing {shell_word(value)}" for value in unanswered)
            listed = shortened(map(repr, unanswered))
            yield f"{listed} as a prediction counts as wrong. To leave such rows out: {left_out} --skip-missing."


def tags_notes(columns: Sequence[SeenColumn], commands: Sequence[Proposal]) -> Iterator[str]:
    """Yield a note if the accuracy of single tags of entities is proposed."""
    options: Options = commands[0].options if commands and commands[0].command == "score" else {}
    targets = [column for column in columns if column.name == options.get("target")]
    if any(are_single_tags(column.held) for column in targets) and "metric" not in options:
        yield SINGLE_TAGS


def last_totals(rows: Sequence[Sequence[Any]]) -> int:
    """The number of rows at the end that are totals of the rows above them.

    >>> last_totals([["id", "count"], *[["a", "2"]] * 10, ["Total", "20"]])
    1
    """
    first_cells = [next((str(cell) for cell in row if cell not in (None, "")), "") for row in rows[-MAX_TOTALS:]]
    are_totals = [cell.strip(" :*").casefold() in TOTALS for cell in first_cells]
    is_empty = [not cell for cell in first_cells]
    n = 0
    for at in reversed(range(len(first_cells))):
        if not (are_totals[at] or is_empty[at]):
            break
        n = len(first_cells) - at if are_totals[at] else n
    return n if n and len(rows) > 2 * MAX_TOTALS else 0


def without_totals(heads: Sequence[Any], rows: Sequence[Sequence[Any]], totals: Sequence[Sequence[Any]]) -> str | None:
    """The condition that leaves totals out; None if another row fulfils it, too."""
    place = next(at for at, cell in enumerate(totals[0]) if cell not in (None, ""))
    names = list(dict.fromkeys(str(row[place]) for row in totals if row[place] not in (None, "")))
    if any(row[place] is None or row[place] in names for row in rows) or None in [row[place] for row in totals]:
        return None
    column = plain_identifier(str(heads[place]))
    return " AND ".join(f"{column} <> {literal(name)}" for name in names)


def totals_note(name: str, n: int, totals: Sequence[Sequence[Any]]) -> str:
    """The note on rows at the end that are totals."""
    first = next(str(cell) for cell in totals[0] if cell not in (None, ""))
    return f"Row {n - len(totals) + 1:,} of {name} is a total ({first!r}), not an item. Remove it from the file."


def date_notes(
    columns: Sequence[SeenColumn], rows: Sequence[Sequence[str | None]], commands: Sequence[Proposal]
) -> Iterator[str]:
    """Yield a note if counts could be by period, but a few values are not dates or their format is ambiguous."""
    counts = [proposal for proposal in commands if proposal.command == "counts estimate"]
    if not counts or counts[0].options.get("date"):
        return
    for place, column in enumerate(columns):
        if not (column.words & DATES_NAMED and column.kind in (DATES, REPEATED, UNIQUE, FEW)):
            continue
        values = [row[place] for row in rows]
        texts = dict.fromkeys(value for value in values if value is not None)
        formats = best_formats(count_date_formats(texts))
        bad = {text for text in texts if not is_written(text, formats[0])} if formats else {*texts}
        bad_rows = [at for at, value in enumerate(values, start=1) if value is None or value in bad]
        if len(bad_rows) > MAX_BAD_DATES * len(rows):
            continue
        if bad_rows:
            listed = [f"row {at} is {'empty' if values[at - 1] is None else repr(values[at - 1])}" for at in bad_rows]
            yield (
                f"Not a date in {column.name}: {shortened(listed, limit=MAX_BAD_ROWS)}. Correct these, then add --date "
                f"{shell_word(column.name)} to count by period."
            )
        elif len(formats) > 1:
            yield (
                f"The dates in {column.name} fit {' and '.join(formats)}. To count by period, add --date "
                f"{shell_word(column.name)} and the right format, such as --date-format {shell_word(formats[0])}."
            )


def decision_notes(commands: Sequence[Proposal]) -> Iterator[str]:
    """Yield a note on counts if the decisions of a model are words such as yes and no."""
    for proposal in commands[:1]:
        if proposal.evidence == DECISION:
            score, positive = proposal.options["score"], proposal.options.get("positive")
            yield (
                f"To estimate counts by period or group, add a column with 1 where {score} is {positive} and 0 "
                "elsewhere: howsure counts estimate --prob COL."
            )


def direction_notes(columns: Sequence[SeenColumn], commands: Sequence[Proposal]) -> Iterator[str]:
    """Yield a note if models are compared by a column whose name does not say whether higher values are better."""
    unclear = {column.name for column in columns if not column.words & (SCORES | LABELS | VERDICTS | CHANCES)}
    options = [proposal.options for proposal in commands if proposal.command == "score" and not proposal.evidence]
    names = [each.get("score") for each in options if each.get("model") and not each.get("lower_is_better")]
    for name in names[:1]:
        if name in unclear:
            yield f"{name}: higher values count as better. If lower ones are better, add --lower-is-better."
