"""Propose a metric of texts for columns of texts and of their references, such as translations or transcripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean

from howsure.data.column_roles import ONE, REPEATED, TEXTS, UNIQUE, SeenColumn
from howsure_cli.column_words import JUDGES, MEASURES, MODEL_NAMES, PREDICTIONS, RIGHT_ANSWERS, names_id, words_in
from howsure_cli.typed_commands import Options, Proposal

REFERENCES = RIGHT_ANSWERS | words_in("reference references ref refs groundtruth referencia referenz")
GUESSES = PREDICTIONS | words_in(
    "hypothesis hypotheses hyp response generated candidate transcript transcription transcribed translation "
    "translated mt asr ocr answer"
)
METRICS = (
    ("wer", words_in("wer asr audio wav flac mp speech transcript transcription transcribed utterance")),
    ("cer", words_in("cer ocr handwriting")),
    ("bleu", words_in("bleu mt translation translated src hyp hypothesis hypotheses")),
)  # a metric, and words of names of columns and of files that suggest it; chrf for all other texts
MAX_ROWS = 300
MIN_SIMILARITY = 0.05  # by which texts of a row are more similar than texts of different rows
CASE = "{} and {} differ in their use of capitals, and {} counts each difference. Write both in small letters first."


def texts_and_reference(
    columns: Sequence[SeenColumn], rows: Sequence[Sequence[str | None]]
) -> tuple[SeenColumn, list[SeenColumn]] | None:
    """Return the column of reference texts, and the columns of texts that resemble those of the same row; None if the
    names and values of the columns do not show both."""
    texts = [column for column in columns if _are_texts(column)]
    references = [column for column in texts if column.words & REFERENCES]
    guesses = [c for c in texts if c not in references and c.words & (GUESSES | MODEL_NAMES | JUDGES)]
    values = {column: [row[columns.index(column)] for row in rows[:MAX_ROWS]] for column in (*references, *guesses)}
    for reference in references:
        alike = [guess for guess in guesses if guess.kind == ONE or _resemble(values[reference], values[guess])]
        if alike:
            return reference, alike
    return None


def text_metric(columns: Sequence[SeenColumn], path: str) -> str:
    """The metric that the names of the columns and of the file, and the names of files in the columns, suggest."""
    words = frozenset[str]().union(*(column.words for column in columns))
    names = [path, *(example for column in columns for example in column.examples if " " not in example)]
    words |= frozenset().union(*(SeenColumn(name, "", "", 0, 0, ()).words for name in names))
    return next((metric for metric, named in METRICS if words & named), "chrf")


def case_notes(
    columns: Sequence[SeenColumn], rows: Sequence[Sequence[str | None]], commands: Sequence[Proposal]
) -> Iterator[str]:
    """Yield a note if only one of the compared columns of texts has both small letters and capitals."""
    options: Options = commands[0].options if commands else {}
    names = [str(options.get(role)) for role in ("target", "prediction")]
    places = [at for name in names for at, column in enumerate(columns) if column.name == name]
    if len(places) == 2 and (metric := options.get("metric")):
        texts = [" ".join(row[place] or "" for row in rows[:MAX_ROWS]) for place in places]
        cases = [(text.isupper(), text.islower()) for text in texts]
        if cases[0] != cases[1]:
            yield CASE.format(*names, metric)


def _are_texts(column: SeenColumn) -> bool:
    is_text = column.kind in (TEXTS, UNIQUE, REPEATED, ONE) and not (names_id(column) or column.words & MEASURES)
    return is_text and any(" " in example for example in column.examples)


def _resemble(first: Sequence[str | None], second: Sequence[str | None]) -> bool:
    """Whether texts of the same row are more similar than texts of distant rows."""
    parts = [[_parts(text) for text in texts] for texts in (first, second)]
    half = max(len(parts[1]) // 2, 1)  # neighbouring rows may have the same subject
    shifted = fmean(map(_similarity, parts[0], [*parts[1][half:], *parts[1][:half]]))
    return fmean(map(_similarity, *parts)) > shifted + MIN_SIMILARITY


def _parts(text: str | None) -> frozenset[str]:
    """The sequences of three letters in a text."""
    folded = (text or "").casefold()
    return frozenset(folded[at : at + 3] for at in range(len(folded) - 2))


def _similarity(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / max(len(first | second), 1)
