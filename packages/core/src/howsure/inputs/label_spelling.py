"""Detect labels and names that differ only in case, spaces, the Unicode form of accents, or the format of a number.

Such labels are never merged. A note counts them; if one of them is the positive label, they are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any
from unicodedata import normalize

from howsure.errors import InputError, quote
from howsure.inputs.numbers_and_names import counted, number_or_text, shortened

MAX_LISTED = 4
WHOLE_WITH_POINT = re.compile(r"([+-]?[0-9]+)\.0*")  # 1.0 is 1, but version 3.10 is not 3.1


def check_common_labels(true: Collection[object], predicted: Collection[object], *, name: str) -> None:
    """Check that at least one predicted label is also a true label; numeric labels are not checked.

    name: the name of the predictions in the message.

    >>> check_common_labels(["No", "Yes"], ["no", "yes"], name="prediction")
    Traceback (most recent call last):
    howsure.errors.InputError: no value of prediction is a true label: it contains 'no', 'yes'; the true labels are
    'No', 'Yes'. They differ only in case or spaces: spell both the same way.
    """
    lists = [label for label in true if _is_list(label)]
    if lists and not any(map(_is_list, predicted)):
        raise InputError(
            f"a true label must be one label; {quote(lists[0])} is a list, which no value of {name} equals. Add a "
            "column that is 1 if the prediction is one of the correct answers and 0 otherwise, and evaluate its mean."
        )
    if set(true) & set(predicted) or not any(isinstance(label, str) for label in (*true, *predicted)):
        return
    alike = variants(true, predicted)
    advice = (
        f"They differ only in {_how_they_differ([*true, *alike])}: spell both the same way."
        if alike
        else "Is it the right column? If so, spell both the same way."
    )
    raise InputError(
        f"no value of {name} is a true label: it contains {_shortened_list(predicted)}; the true "
        f"labels are {_shortened_list(true)}. {advice}"
    )


def _is_list(label: object) -> bool:
    """Whether a label is a list or a mapping, as files of JSON contain them."""
    if not isinstance(label, str) or not label.startswith(("[", "{")):
        return False
    try:
        return isinstance(json.loads(label), list | dict)
    except ValueError:
        return False


def variants(true: Iterable[object], predicted: Iterable[object]) -> list[object]:
    """Return the predicted labels that match a true label only if spelling is ignored.

    >>> variants(["New York", "Paris"], ["paris ", "new  york", "Paris", "Rome"])
    ['paris ', 'new  york']
    """
    labels = set(true)
    folded_labels = {_folded(label) for label in labels}
    return [label for label in predicted if label not in labels and _folded(label) in folded_labels]


def is_same_label(value: str, pos_label: object) -> bool:
    """Whether a value is the positive label: the same string, truth value or number.

    >>> is_same_label("1.0", 1), is_same_label("TRUE", "true"), is_same_label("yes", "Yes")
    (True, True, False)
    """
    return value == str(pos_label) or number_or_text(value) == number_or_text(str(pos_label)) != str(pos_label)


def check_positive(counts: Mapping[Any, int], pos_label: object, *, name: str) -> None:
    """Check that no other value of a column differs from the positive label only in spelling.

    counts: the number of rows by value.

    >>> check_positive({"Ja": 30, "ja": 4, "Nein": 9}, "Ja", name="label")
    Traceback (most recent call last):
    howsure.errors.InputError: label: 'Ja' (30) and 'ja' (4) differ only in case or spaces. Spell them the
    same way; otherwise only one of them counts as 1.
    """
    same = {value: rows for value, rows in counts.items() if is_same_label(str(value), pos_label)}
    others = {value: rows for value, rows in counts.items() if value not in same}
    first = next(iter(same), None)
    alike = (
        spellings({first: same[first]} | {value: others[value] for value in variants([first], others)})
        if same
        else None
    )
    if alike:
        raise InputError(f"{name}: {alike}. Spell them the same way; otherwise only one of them counts as 1.")


def spellings_note(counts: Mapping[str, int], kind: str) -> str | None:
    """Return a note that lists names that differ only in spelling, with their numbers of rows; None if none do.

    >>> spellings_note({"No": 30, "Yes": 40, "no": 3}, "categories")
    "'No' (30) and 'no' (3) differ only in case or spaces, and count as different categories"
    """
    alike = spellings(counts)
    return None if alike is None else f"{alike}, and count as different {kind}"


def spellings(counts: Mapping[Any, int]) -> str | None:
    """Return a clause on which names differ only in spelling, with their numbers of rows; None if no names do."""
    by_folded: dict[object, list[object]] = {}
    for name in counts:
        by_folded.setdefault(_folded(name), []).append(name)
    several = [names for names in by_folded.values() if len(names) > 1]
    if not several:
        return None
    listed = [_listed_counts(names, counts) for names in several]
    way = _how_they_differ([name for names in several for name in names])
    return f"{shortened(listed, limit=MAX_LISTED)} differ only in {way}"


def _listed_counts(names: Sequence[object], counts: Mapping[Any, int]) -> str:
    *first, last = [f"{name!r} ({counts[name]:,})" for name in names[:MAX_LISTED]]
    return f"{', '.join(first)} and {last}"


def variants_note(true: Iterable[object], predicted: Mapping[object, int]) -> str | None:
    """Return a note on the number of predictions that differ from a true label only in spelling; None if none do.

    predicted: the number of rows by predicted label.

    >>> variants_note(["No", "Yes"], {"yes": 7, "no ": 5, "Yes": 30})
    "12 predictions differ from a true label only in case or spaces ('no ', 'yes'), and count as wrong"
    """
    labels = list(true)
    different = variants(labels, predicted)
    if not different:
        return None
    rows = sum(predicted[label] for label in different)
    differ, count = ("differs", "counts") if rows == 1 else ("differ", "count")
    return (
        f"{counted(rows, 'prediction')} {differ} from a true label only in {_how_they_differ([*labels, *different])} "
        f"({_shortened_list(different)}), and {count} as wrong"
    )


def spelling_notes(true: Mapping[Any, int], predicted: Mapping[Any, int], *, name: str) -> Iterator[str]:
    """Yield a note on the number of predicted labels that differ from a true label only in case or spaces, from the
    frequencies of labels. Raises InputError if none of the predicted labels is a true label."""
    if true and predicted:
        check_common_labels(true, predicted, name=name)
    if note := variants_note(true, predicted):
        yield f"{name}: {note}."


def _folded(label: object) -> object:
    """Normalise a label's spelling: composed accents, lower case, single spaces, and 1.0 as 1."""
    if not isinstance(label, str):
        return label
    text = " ".join(normalize("NFC", label).lower().split())
    whole = WHOLE_WITH_POINT.fullmatch(text)
    return text if whole is None else whole[1]


def _how_they_differ(labels: Iterable[object]) -> str:
    """Name the kind of difference between labels that are equal after `_folded`."""
    texts = [label for label in labels if isinstance(label, str)]
    plain = {" ".join(text.split()).lower() for text in texts}
    composed = {normalize("NFC", text) for text in plain}
    if len(composed) < len(plain):
        return "case, spaces or the Unicode form of accents"
    if len({_folded(text) for text in texts}) < len(composed):
        return "case, spaces or the format of numbers"
    return "case or spaces"


def _shortened_list(labels: Collection[object]) -> str:
    if not labels:
        return "nothing"
    texts = [f"{label:g}" if isinstance(label, float) else repr(label) for label in labels]
    return shortened(sorted(texts), limit=MAX_LISTED)


NON_ANSWERS = frozenset(
    [
        "none",
        "n/a",
        "n.a.",
        "na",
        "k. a.",
        "k.a.",
        "keine angabe",
        "-",
        "error",
        "invalid",
        "unparseable",
        "unparsable",
        "unparsed",
        "no-score",
        "unknown",
        "unclear",
        "empty",
        "null",
        "nan",
        "skipped",
        "refused",
        "missing",
    ]
)

SPREADSHEET_ERROR = re.compile(r"#(DIV/0!|N/A|NAME\?|NULL!|NUM!|REF!|VALUE!|WERT!|BEZUG!|ZAHL!|NV)")


def is_non_answer(label: object) -> bool:
    """Whether a label means that there is no answer, or is an error of a spreadsheet.

    >>> is_non_answer("Unparseable"), is_non_answer("#DIV/0!"), is_non_answer("neutral"), is_non_answer(2)
    (True, True, False, False)
    """
    if not isinstance(label, str):
        return False
    return label.strip().casefold() in NON_ANSWERS or SPREADSHEET_ERROR.fullmatch(label.strip()) is not None
