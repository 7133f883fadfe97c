"""Detect labels spelled in two ways: no predicted label is a true label, or labels differ only in case or spaces."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted, shortened

MAX_LISTED = 4


def check_common_labels(true: Collection[object], predicted: Collection[object], *, name: str) -> None:
    """Check that at least one predicted label is also a true label; numeric labels are not checked.

    name: the name of the predictions in the message.

    >>> check_common_labels(["No", "Yes"], ["no", "yes"], name="prediction")
    Traceback (most recent call last):
    howsure.errors.InputError: no value of prediction is a true label: it contains 'no', 'yes'; the true labels are
    'No', 'Yes'. They differ only in case or spaces: write both alike.

    Raises InputError if no label is shared: the accuracy would be 0 whatever the model predicts.
    """
    if set(true) & set(predicted) or not any(isinstance(label, str) for label in (*true, *predicted)):
        return
    advice = (
        "They differ only in case or spaces: write both alike."
        if variants(true, predicted)
        else "Is it the right column? Write both alike."
    )
    raise InputError(
        f"no value of {name} is a true label: it contains {_listed(predicted)}; the true labels are {_listed(true)}. "
        f"{advice}"
    )


def variants(true: Iterable[object], predicted: Iterable[object]) -> list[object]:
    """The predicted labels that match a true label only if case and spaces are ignored.

    >>> variants(["New York", "Paris"], ["paris ", "new  york", "Paris", "Rome"])
    ['paris ', 'new  york']
    """
    labels = list(true)
    folded_labels = {_folded(label) for label in labels}
    return [label for label in predicted if label not in labels and _folded(label) in folded_labels]


def categories_note(counts: Mapping[str, int]) -> str | None:
    """Note that lists the categories that differ only in case or spaces, with their numbers of rows; None if none do.

    >>> categories_note({"No": 30, "Yes": 40, "no": 3})
    "'No' (30) and 'no' (3) differ only in case or spaces, and count as different categories"
    """
    alike: dict[object, list[str]] = {}
    for category in counts:
        alike.setdefault(_folded(category), []).append(category)
    listed = [
        " and ".join(f"{category!r} ({counts[category]:,})" for category in several)
        for several in alike.values()
        if len(several) > 1
    ]
    if not listed:
        return None
    return f"{shortened(listed, limit=MAX_LISTED)} differ only in case or spaces, and count as different categories"


def variants_note(true: Iterable[object], predicted: Mapping[object, int]) -> str | None:
    """Note on the number of predictions that differ from a true label only in case or spaces; None if there are none.

    predicted: the number of rows by predicted label.

    >>> variants_note(["No", "Yes"], {"yes": 7, "no ": 5, "Yes": 30})
    "12 predictions differ from a true label only in case or spaces ('no ', 'yes'), and count as wrong"
    """
    different = variants(true, predicted)
    if not different:
        return None
    rows = sum(predicted[label] for label in different)
    differ, count = ("differs", "counts") if rows == 1 else ("differ", "count")
    return (
        f"{counted(rows, 'prediction')} {differ} from a true label only in case or spaces ({_listed(different)}), "
        f"and {count} as wrong"
    )


def _folded(label: object) -> object:
    return " ".join(label.split()).casefold() if isinstance(label, str) else label


def _listed(labels: Collection[object]) -> str:
    if not labels:
        return "nothing"
    texts = [f"{label:g}" if isinstance(label, float) else repr(label) for label in labels]
    return shortened(sorted(texts), limit=MAX_LISTED)


NON_ANSWERS = frozenset(
    [
        "none",
        "n/a",
        "na",
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


def is_non_answer(label: object) -> bool:
    """Whether a label says that there is no answer.

    >>> is_non_answer("Unparseable"), is_non_answer("neutral"), is_non_answer(2)
    (True, False, False)
    """
    return isinstance(label, str) and label.strip().casefold() in NON_ANSWERS
