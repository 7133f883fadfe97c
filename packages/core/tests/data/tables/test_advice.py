"""Advice about a file: following it makes the file readable."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.data.files import write

import howsure
from howsure.errors import InputError


def refusal(path: Path, score: str = "score", **how: object) -> str:
    """Why the mean of a column of a file is refused."""
    with pytest.raises(InputError) as caught:
        howsure.mean_scores(score, data=howsure.read(path), **how)  # type: ignore[arg-type]
    return str(caught.value)


@pytest.mark.parametrize(("text", "share"), [("80.92%", "0.8092"), ("10%", "0.1"), ("100 %", "1"), ("0%", "0")])
def test_a_percentage_among_numbers_of_an_array_is_written_as_a_share(text: str, share: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        howsure.mean_scores([*[text] * 20, 0.5])
    number = text.removesuffix("%").strip()
    advice = f"It is a percentage: write {share}, or {number} on a scale from 0 to 100."
    assert f"is {text!r}. {advice}" in str(caught.value)
    (row,) = howsure.mean_scores("score", data=howsure.read(write(tmp_path / "x.csv", {"score": [share] * 20})))
    assert row.mean.value == pytest.approx(float(share), rel=1e-12)
    (without_numbers,) = howsure.mean_scores([text] * 20)
    assert without_numbers.mean == row.mean


@pytest.mark.parametrize("marker", [-1, -1.0, "-1.00"])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_marker_outside_the_bounds_is_left_out(marker: object, suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", {"score": [marker, *range(1, 10)] * 3})
    advice = "if -1 marks a missing one, leave such rows out: missing_values=['-1'] and skip_missing=True."
    assert advice in refusal(path, bounds=(1, 10))
    source = howsure.read(path, missing_values=["-1"], skip_missing=True)
    (row,) = howsure.mean_scores("score", data=source, bounds=(1, 10))
    assert (row.n, row.mean.value) == (27, 5.0)


def test_a_table_separated_by_blanks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id gold score\n" + "q 1 0.5\n" * 9 + "q 1\n")
    reason = "x.csv has only one column: its columns seem to be separated by blanks. Separate them by commas or tabs."
    assert refusal(path).endswith(reason)
    assert any(note.endswith(reason) for note in howsure.look(path).notes)
    path.write_text("id gold score\n" + "q 1 0.5\n" * 9)  # which can be read
    assert howsure.mean_scores("score", data=howsure.read(path))[0].mean.value == 0.5


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_batch_of_mechanical_turk_is_read_before_and_after_its_review(end: str, quote: str, tmp_path: Path) -> None:
    """Its header names Approve and Reject; its rows end before them until somebody adds a value."""
    path = tmp_path / "batch.csv"
    rows = [["id", "label", "Approve", "Reject"], *([f"i{k}", "1" if k < 6 else "0"] for k in range(10))]
    lines = [",".join(f"{quote}{value}{quote}" for value in row) for row in rows]
    path.write_text(end.join([*lines, ""]), newline="")
    assert howsure.mean_scores("label", data=howsure.read(path))[0].mean.value == 0.6
    assert [column.name for column in howsure.look(path)] == ["id", "label"]
    reviewed = [lines[0], *(f"{line},x," for line in lines[1:])]
    path.write_text(end.join([*reviewed, ""]), newline="")
    assert [column.name for column in howsure.look(path)] == ["id", "label", "Approve", "Reject"]
    path.write_text(end.join([lines[0].replace("Approve", "Accept"), *lines[1:], ""]), newline="")
    assert "some rows have more or fewer values than" in refusal(path, "label")


def test_a_quote_that_is_not_closed_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "quote.csv"
    path.write_text("id,label,score\n" + "0,a,1\n" * 7 + '7,"a,1\n' + "8,a,1\n" * 12)
    assert "a quoted value that begins in line 9 ends in line 21" in refusal(path, "score")


def test_uneven_rows_are_named_by_look(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,gold,score\n" + "q,1,0.5\nq,1,0.5,more\n" * 9)
    problem = "some rows have more or fewer values than the header, such as 'q,1,0.5,more'"
    assert any(problem in note for note in howsure.look(path).notes)
    path.write_text(path.read_text().replace("0.5,more", '"0.5"'))
    assert len(howsure.look(path)) == 3


def test_raters_who_agree_on_one_value_have_no_alpha_and_the_reason_is_given() -> None:
    agreement = howsure.rater_agreement(["yes"] * 20, rater=["a", "b"] * 10, id=[row // 2 for row in range(20)])
    assert any(note.startswith("all raters gave the same value") for note in agreement.notes)


@pytest.mark.parametrize(
    ("values", "advised"),
    [(["No", "Yes"], "Yes"), (["Wrong", "Right"], "VALUE"), (["pass", "fail"], "pass"), (["nein", "ja"], "ja")],
)
def test_the_advised_value_means_correct_if_the_first_value_says_so(
    values: list[str], advised: str, tmp_path: Path
) -> None:
    path = write(tmp_path / "x.csv", {"score": values * 10})
    assert refusal(path).endswith(
        f"If one value means correct, name it: pos_label={advised!r}. If not, leave such rows out first."
    )
    pos_label = values[1] if advised == "VALUE" else advised
    (row,) = howsure.mean_scores("score", pos_label=pos_label, data=howsure.read(path))
    assert row.mean.value == 0.5


def test_an_error_of_a_spreadsheet_among_scores_is_a_missing_value(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", {"score": ["0.5"] * 9 + ["#DIV/0!"]})
    assert refusal(path).endswith("for example missing_values=['#DIV/0!'] with skip_missing=True.")
    source = howsure.read(path, missing_values=["#DIV/0!"], skip_missing=True)
    assert howsure.mean_scores("score", data=source)[0].mean.value == 0.5


def test_texts_that_state_a_confidence_are_named_so(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", {"y": [0, 1] * 10, "conf": ["85 % sure", "20 % sure"] * 10})
    with pytest.raises(InputError, match=r"are read by Probabilities\('verbalised'"):
        howsure.calibration_error("y", "conf", data=howsure.read(path))
    stated = howsure.calibration_error("y", howsure.Probabilities("verbalised", "conf"), data=howsure.read(path))
    assert stated.n == 20
    assert refusal(path, "conf").endswith("Write only the number: 0.85.")


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_blanks_at_the_end_of_a_name_are_seen(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", {"id": [1, 2], "score ": [0, 1]})
    assert refusal(path).endswith("it has id, 'score '. Did you mean 'score '?")
    assert howsure.mean_scores("score ", data=howsure.read(path))[0].n == 2


def test_scores_of_two_models_in_two_columns_are_compared_as_advised(tmp_path: Path) -> None:
    path = write(tmp_path / "x.csv", {"a": [0, 1] * 10, "b": [0, 1, 1, 1] * 5})
    source = howsure.read(path)
    with pytest.raises(InputError, match=r"metrics='score', against='b' and model='a'\.$"):
        howsure.compare_scores(score="a", against="b", data=source)
    compared = howsure.compare_scores(against="b", model="a", data=source)
    assert compared[0].difference == pytest.approx(-0.25)
    with pytest.raises(InputError, match=r"a,b names 2 columns \(a, b\), but scores and answers are read from one"):
        howsure.mean_scores("a,b", data=source)
