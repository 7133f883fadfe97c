"""Advice about a file: following it makes the file readable."""

from __future__ import annotations

from pathlib import Path

import pytest

import howsure
from howsure.errors import InputError
from tests.data.files import write


def refusal(path: Path, score: str = "score", **how: object) -> str:
    """Why the mean of a column of a file is refused."""
    with pytest.raises(InputError) as caught:
        howsure.score_table(score, data=howsure.read(path), **how)  # type: ignore[arg-type]
    return str(caught.value)


@pytest.mark.parametrize(("text", "share"), [("80.92%", "0.8092"), ("10%", "0.1"), ("100 %", "1"), ("0%", "0")])
def test_a_percentage_is_written_as_a_share(text: str, share: str, tmp_path: Path) -> None:
    message = refusal(write(tmp_path / "x.csv", {"score": [text] * 20}))
    assert message.endswith(f"holds {text!r}. It is a percentage: write {share}.")
    (row,) = howsure.score_table("score", data=howsure.read(write(tmp_path / "x.csv", {"score": [share] * 20})))
    assert row.mean.value == pytest.approx(float(share), rel=1e-12)


@pytest.mark.parametrize("marker", [-1, -1.0, "-1.00"])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_marker_outside_the_bounds_is_left_out(marker: object, suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"x{suffix}", {"score": [marker, *range(1, 10)] * 3})
    advice = "if -1 marks a missing one, leave such rows out: missing_values=['-1'] and skip_missing=True."
    assert advice in refusal(path, bounds=(1, 10))
    source = howsure.read(path, missing_values=["-1"], skip_missing=True)
    (row,) = howsure.score_table("score", data=source, bounds=(1, 10))
    assert (row.n, row.mean.value) == (27, 5.0)


def test_a_table_separated_by_blanks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id gold score\n" + "q 1 0.5\n" * 9)
    reason = "x.csv has only one column: its columns seem to be separated by blanks. Separate them by commas or tabs."
    assert refusal(path).endswith(reason)
    assert any(note.endswith(reason) for note in howsure.look(path).notes)
    path.write_text(path.read_text().replace(" ", ","))
    assert howsure.score_table("score", data=howsure.read(path))[0].mean.value == 0.5


def test_uneven_rows_are_named_by_look(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,gold,score\n" + "q,1,0.5\nq,1,0.5,more\n" * 9)
    assert any("some rows have more or fewer values than the header" in note for note in howsure.look(path).notes)
    path.write_text(path.read_text().replace("0.5,more", '"0.5"'))
    assert len(howsure.look(path)) == 3


def test_raters_who_agree_on_one_value_have_no_alpha_and_the_reason_is_given() -> None:
    agreement = howsure.judge_agreement(["yes"] * 20, rater=["a", "b"] * 10, id=[row // 2 for row in range(20)])
    assert any(note.startswith("all raters gave the same value") for note in agreement.notes)
