"""Labels written in two ways are refused or noted, wherever predictions are compared with what is true."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

import howsure
from howsure.errors import InputError
from howsure.inputs.label_spelling import check_common_labels, spellings_note, variants_note

TRUE = ["Yes", "No"] * 15
RIGHT = [label if row % 5 else TRUE[row - 1] for row, label in enumerate(TRUE)]
WAYS = {
    "case": (str.lower, "They differ only in case or spaces: spell both the same way."),
    "space": (lambda label: f"{label} ", "They differ only in case or spaces: spell both the same way."),
    "words": (lambda label: {"Yes": "positive", "No": "negative"}[label], "Is it the right column?"),
    "numbers": (lambda label: int(label == "Yes"), "Is it the right column?"),
}


@pytest.mark.parametrize("way", WAYS)
def test_predictions_that_are_never_a_label_are_refused_by_scores_and_comparisons(way: str, tmp_path: Path) -> None:
    write, advice = WAYS[way]
    predicted = [write(label) for label in RIGHT]
    path = tmp_path / "answers.csv"
    rows = [f"{i},{row[0]},{row[1]},{row[2]}\n" for i, row in enumerate(zip(TRUE, predicted, RIGHT, strict=True))]
    path.write_text("id,label,prediction,other\n" + "".join(rows))
    data = howsure.read(path)
    with pytest.raises(InputError, match="no value of prediction is a true label: it contains") as scored:
        howsure.score_models(y_true="label", prediction="prediction", data=data)
    assert f"the true labels are 'No', 'Yes'. {advice}" in str(scored.value)
    with pytest.raises(InputError) as compared:
        howsure.compare_models("label", "other", "prediction", metrics="accuracy", rng=0, data=data)
    assert advice in str(compared.value)
    with pytest.raises(InputError, match="no value of prediction is a true label"):
        howsure.score_models(y_true=TRUE, prediction=predicted)
    (row,) = howsure.score_models(y_true="label", prediction="other", data=data)
    assert row.mean.value == pytest.approx(24 / 30)


def test_each_model_is_checked() -> None:
    models = ["a"] * 30 + ["b"] * 30
    with pytest.raises(InputError, match="no value of prediction of b is a true label: it contains 'no', 'yes'"):
        howsure.score_models(
            y_true=TRUE * 2, prediction=[*RIGHT, *map(str.lower, RIGHT)], model=models, id=[*range(30)] * 2
        )


def test_predictions_that_differ_in_case_or_spaces_are_counted() -> None:
    predicted = [label.lower() if row % 3 == 0 else label for row, label in enumerate(TRUE)]
    note = "10 predictions differ from a true label only in case or spaces ('no', 'yes'), and count as wrong"
    table = howsure.score_models(y_true=TRUE, prediction=predicted)
    assert table[0].mean.value == pytest.approx(20 / 30)
    assert f"prediction: {note}." in table.notes
    compared = howsure.compare_models(TRUE, RIGHT, {"m": predicted}, metrics="accuracy", rng=0)
    assert f"m: {note}." in compared.notes


def test_a_model_that_is_always_wrong_in_numbers_scores_zero() -> None:
    (row,) = howsure.score_models(y_true=[1] * 9, prediction=[0] * 9)
    assert row.mean.value == 0.0
    check_common_labels([1, 2], [3], name="prediction")


def test_types_of_entities_and_sets_of_labels_are_labels_too() -> None:
    tags = [["B-PER", "O"], ["B-LOC", "O"], ["B-PER", "B-LOC"]]
    other = [[tag.replace("PER", "person").replace("LOC", "place") for tag in row] for row in tags]
    with pytest.raises(InputError, match="it contains 'person', 'place'; the true labels are 'LOC', 'PER'"):
        howsure.score_models(y_true=tags, prediction=other, metrics="entity_f1")
    assert howsure.score_models(y_true=tags, prediction=other, metrics="entity_partial_f1")[0].mean.value == 1.0
    sets = ["news,sport", "sport", "news", "news"]
    for metric in ("multilabel_micro_f1", "multilabel_macro_f1"):
        with pytest.raises(InputError, match="no value of m is a true label"):
            howsure.compare_models(sets, sets, {"m": [row.upper() for row in sets]}, metrics=metric, rng=0)


def test_several_columns_of_predictions_are_not_one(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("label,m1,m2\n" + "a,a,b\nb,b,b\n" * 9)
    with pytest.raises(
        InputError, match=r"m1,m2 names 2 columns \(m1, m2\), but scores and answers are read from one column"
    ):
        howsure.score_models(y_true="label", prediction="m1,m2", data=howsure.read(path))


def test_categories_of_raters_that_differ_in_case_are_named() -> None:
    grades = ["Yes", "yes", "No", "No", "Yes", "Yes"]
    agreement = howsure.rater_agreement(grades, rater=list("ababab"), id=[0, 0, 1, 1, 2, 2])
    note = "'Yes' (3) and 'yes' (1) differ only in case or spaces, and count as different categories"
    assert agreement.notes[0] == note
    assert spellings_note({"a": 1, "b": 2}, "categories") is None
    assert variants_note(["a"], {"a": 3, "b": 1}) is None


SPELLINGS = {
    "case or spaces": ["Ja", "ja", " JA "],
    "case, spaces or the Unicode form of accents": ["caf\u00e9", "cafe\u0301"],
}


@pytest.mark.parametrize("way", SPELLINGS)
@pytest.mark.parametrize("rest", [["Nein"], ["Nein", "vielleicht"], []])
def test_spellings_of_the_positive_label_are_refused(way: str, rest: list[str], tmp_path: Path) -> None:
    values = [*SPELLINGS[way], *rest]
    labels, positive = values * 8, values[0]
    path = tmp_path / "labels.csv"
    path.write_text("label,p\n" + "".join(f"{label},0.{row % 9 + 1}\n" for row, label in enumerate(labels)))
    data = howsure.read(path)
    with pytest.raises(InputError, match=f"differ only in {way}"):
        howsure.mean_scores("label", pos_label=positive, data=data)
    with pytest.raises(InputError, match=f"differ only in {way}"):
        howsure.mean_scores(labels, pos_label=positive)
    with pytest.raises(InputError, match=f"differ only in {way}"):
        howsure.calibration_error("label", "p", pos_label=positive, data=data)
    with pytest.raises(InputError, match=f"differ only in {way}"):
        howsure.calibration_error(labels, [0.5] * len(labels), pos_label=positive)
    with pytest.raises(InputError, match=f"differ only in {way}"):
        howsure.validate_judge(labels, labels, pos_label=positive)


def test_numbers_are_positive_in_any_format(tmp_path: Path) -> None:
    values = ["1", "1.0", "0", "0.0", "0"]
    path = tmp_path / "labels.csv"
    path.write_text("label,p\n" + "".join(f"{label},0.5\n" for label in values * 6))
    for positive in ("1", "1.0", 1):
        for rows in ({"score": "label", "data": howsure.read(path)}, {"score": values * 6}):
            (row,) = howsure.mean_scores(**rows, pos_label=positive)
            assert row.mean.value == pytest.approx(2 / 5)


def test_models_groups_and_raters_that_differ_in_spelling_are_named(tmp_path: Path) -> None:
    models, note = ["GPT-4"] * 6 + ["gpt-4 "] * 6, "'GPT-4' (6) and 'gpt-4 ' (6) differ only in case or spaces, and"
    scores, items = [0, 1] * 6, [*range(6)] * 2
    path = tmp_path / "scores.csv"
    path.write_text("m,s,id\n" + "".join(f"{m},{s},{i}\n" for m, s, i in zip(models, scores, items, strict=True)))
    data = howsure.read(path)
    for notes in (
        howsure.mean_scores(scores, model=models, id=items).notes,
        howsure.mean_scores("s", model="m", id="id", data=data).notes,
        howsure.compare_scores("s", against="GPT-4", model="m", id="id", rng=0, data=data).notes,
        howsure.rater_agreement(scores, rater=models, id=items).notes,
    ):
        assert any(line.startswith(note) for line in notes), notes
    groups = howsure.calibration_curves(scores, [0.5] * 12, groups=models)
    assert f"{note} count as different groups." in str(groups.to_dict())
    assert spellings_note({"3.1": 4, "3.10": 4}, "versions") is None


def test_other_letters_are_other_spellings() -> None:
    assert spellings_note({"Straße": 2, "Strasse": 1}, "categories") is None
    note = spellings_note({"É": 2, "e\u0301": 1}, "categories")
    assert note is not None
    assert "differ only in case, spaces or the Unicode form of accents" in note


def test_ids_that_differ_only_in_spelling_are_named() -> None:
    """1.0 and 1 are different items; where no item is common, both spellings are shown."""
    frame = pd.DataFrame({"id": ["1", "2", "1.0", "2.0"], "model": list("aabb"), "y": [0, 1, 1, 1]})
    sentence = r"'1' (1) and '1.0' (1), '2' (1) and '2.0' (1) differ only in case, spaces or the format"
    with pytest.raises(InputError, match=re.escape(sentence)):
        howsure.compare_scores("y", model="model", id="id", against="a", data=frame)
    table = howsure.mean_scores("y", model="model", id="id", data=frame, rng=0)
    assert sentence in str(table[0].notes)


@pytest.mark.parametrize("answers", ['["Paris", "paris"]', '{"text": ["Paris"]}'])
def test_lists_of_correct_answers_are_refused(answers: str) -> None:
    with pytest.raises(InputError, match=r"a true label must be one label; .* is a list, which no value of a equals"):
        check_common_labels(["Paris", answers], ["Paris"], name="a")
    check_common_labels(["Paris", "[1"], ["Paris"], name="a")
    check_common_labels([answers], [answers, "Paris"], name="a")
