"""A validation shows labels as the data spell them."""

from __future__ import annotations

import pandas
import pytest

import howsure


@pytest.mark.parametrize("as_frame", [True, False])
@pytest.mark.parametrize(("negative", "name"), [(["bad"], "bad"), (["bad", "worse"], "other")])
def test_headings_and_rows_are_the_words_of_the_data(as_frame: bool, negative: list[str], name: str) -> None:
    people = (["good", *negative] * 60)[:120]
    judge = ["good" if at % 10 == 1 else label for at, label in enumerate(people)]
    data = pandas.DataFrame({"people": people, "judge": judge, "id": range(120)})
    validation = (
        howsure.validate_judge("people", "judge", pos_label="good", data=data, show=["id"])
        if as_frame
        else howsure.validate_judge(people, judge, pos_label="good")
    )
    lines = str(validation).splitlines()
    heading = next(line for line in lines if line.startswith("people say"))
    assert f"judge: {name}  judge: good" in heading
    assert [line.split()[0] for line in lines if line.startswith((name, "good"))][:2] == [name, "good"]
    assert [row.label for row in validation] == ["0", "1"]
    if as_frame:
        assert {(row.judge, row.people) for row in validation.disagreements} == {("good", name)}


@pytest.mark.parametrize("as_frame", [True, False])
def test_labels_without_a_positive_one_or_in_two_spellings_are_refused(as_frame: bool) -> None:
    people, judge = ["pass", "fail"] * 30, ["PASS", "FAIL"] * 30
    data = pandas.DataFrame({"people": people, "judge": judge}) if as_frame else None
    columns = ("people", "judge") if as_frame else (people, judge)
    with pytest.raises(howsure.InputError, match=r"have 'FAIL' and 'fail'\. Spell the values"):
        howsure.validate_judge(*columns, data=data)
    with pytest.raises(howsure.InputError, match="If one value means correct, name it: pos_label='pass'"):
        howsure.validate_judge(people, people)
    for positive in ("pass", "PASS"):
        with pytest.raises(howsure.InputError, match=r"has 'PASS', and .* has 'pass'\. Spell the values"):
            howsure.validate_judge(*columns, pos_label=positive, data=data)


def test_a_number_and_an_equal_truth_value_among_texts_are_refused() -> None:
    labels = [1, True, "good", "bad"] * 10
    with pytest.raises(howsure.InputError, match="score must be a number; row 0 is 'bad'"):
        howsure.validate_judge(labels, labels[::-1])
