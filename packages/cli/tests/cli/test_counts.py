"""`howsure counts`: from a file of scores to a spreadsheet of labels to counts, and what is refused on the way."""

from __future__ import annotations

import csv
import datetime
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas
import pytest
from tests.cli.running import howsure, printed
from tests.counts.populations import population

from howsure import InputError, draw_label_sample, plan_label_sample, read
from howsure.counts.estimation import count_units


def rows_of(path: Path) -> list[dict[str, str]]:
    text = path.read_text(encoding="utf-8-sig")
    return list(csv.DictReader(text.splitlines(), delimiter=";" if ";" in text.partition("\n")[0] else ","))


def without_next(shown: str) -> str:
    """What was printed without the next command, which names the file."""
    return shown.partition("Next: ")[0]


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, np.ndarray]:
    """A file of scores, and what a person would find."""
    score, truth, cell = population("misses", np.random.default_rng(0), n=600)
    path = tmp_path_factory.mktemp("counts") / "news.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "month", "score", "length", "text"])
        for i in range(600):
            writer.writerow([f"d{i}", f"M{cell[i] % 3}", repr(float(score[i])), i % 7, f"=text {i}"])
    return path, truth


@pytest.fixture(scope="module")
def labelled(news: tuple[Path, np.ndarray]) -> Path:
    path, truth = news
    drawn = path.with_name("to_label.csv")
    howsure("counts", "sample", path, "--prob", "score", "--labels", 80, "--show", "id,text", "--output", drawn)
    return filled(drawn, truth, path.with_name("labelled.csv"))


@pytest.fixture(scope="module")
def counted(news: tuple[Path, np.ndarray], labelled: Path) -> str:
    """What is printed of the labelled units."""
    return printed("counts", "estimate", news[0], "--prob", "score", "--labelled", labelled)


Rows = list[dict[str, str]]


def written(rows: Rows, place: Path, delimiter: str = ";") -> Path:
    """Rows as a spreadsheet program writes them: with a mark of the byte order, and often semicolons."""
    with open(place, "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return place


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: [row | {"label": f" {row['label']}.0 "} for row in rows],
        lambda rows: [{"remark": "unsure"} | row for row in [*reversed(rows), *[dict.fromkeys(rows[0], "")] * 2]],
    ],
    ids=["floats in blanks", "sorted, with a column more, and empty rows below"],
)
def test_a_sheet_that_a_spreadsheet_saved(
    news: tuple[Path, np.ndarray], labelled: Path, counted: str, tmp_path: Path, change: Callable[[Rows], Rows]
) -> None:
    sheet = written(change(rows_of(labelled)), tmp_path / "sheet.csv")
    shown = printed("counts", "estimate", news[0], "--prob", "score", "--labelled", sheet)
    assert without_next(shown) == without_next(counted)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("inclusion", "138", "row 3 of {} (counted from 1, without the header) is '138'. Restore this column"),
        *(
            pytest.param(
                column, "", f"row 3 of {{}} (counted from 1, without the header) {message}", marks=pytest.mark.long
            )
            for column, message in (("inclusion", "is empty"), ("row", "has none"))
        ),
        ("row", "2.5", "row 3 of {} (counted from 1, without the header) has 2.5"),
    ],
)
def test_an_error_in_the_sheet_names_the_row_of_the_sheet(
    news: tuple[Path, np.ndarray], labelled: Path, tmp_path: Path, column: str, value: str, message: str
) -> None:
    rows = rows_of(labelled)
    rows[2][column] = value
    sheet = written(rows, tmp_path / "sheet.csv")
    outcome = howsure("counts", "estimate", news[0], "--prob", "score", "--labelled", sheet)
    assert outcome.code == 2
    assert message.format(sheet) in " ".join(outcome.err.split())


@pytest.mark.long
@pytest.mark.parametrize(
    ("clustered", "design"),
    [
        (True, "stratified"),
        pytest.param(False, "simple", marks=pytest.mark.long),
        pytest.param(False, "importance", marks=pytest.mark.long),
    ],
)
def test_a_scored_file_that_was_sorted_after_the_draw_is_refused(
    news: tuple[Path, np.ndarray], tmp_path: Path, clustered: bool, design: str
) -> None:
    rows, truth = rows_of(news[0]), news[1]
    options = ["--prob", "score"]
    if clustered:
        rows = [row | {"document": f"document {i // 3}"} for i, row in enumerate(rows)]
        options += ["--cluster", "document"]
    scored = written(rows, tmp_path / "scored.csv")
    drawn = tmp_path / "drawn.csv"
    done = howsure("counts", "sample", scored, *options, "--labels", 80, "--design", design, "--output", drawn)
    assert "The sheet shows nothing to judge a row by" in done.err
    sheet = filled(drawn, truth, tmp_path / "sheet.csv")
    assert "all" in printed("counts", "estimate", scored, *options, "--labelled", sheet)
    ordered = written(sorted(rows, key=lambda row: -float(row["score"])), tmp_path / "ordered.csv")
    shorter = written(rows[:-1], tmp_path / "shorter.csv")
    for changed in (ordered, shorter):
        outcome = howsure("counts", "estimate", changed, *options, "--labelled", sheet)
        assert outcome.code == 2
        assert "sorted or changed since the sample was drawn" in outcome.err or "belong to another file" in outcome.err


def filled(drawn: Path, truth: np.ndarray, place: Path, words: tuple[object, object] = (0, 1)) -> Path:
    """The sheet as a person fills it."""
    return written([row | {"label": str(words[int(truth[int(row["row"]) - 1])])} for row in rows_of(drawn)], place, ",")


def test_the_sheet_hides_the_score(labelled: Path) -> None:
    """Its checks are letters, which no spreadsheet takes for a number, and the coder stays blind."""
    rows = rows_of(labelled)
    assert list(rows[0]) == ["row", "id", "text", "stratum", "inclusion", "check", "label"]
    assert all(row["check"].isalpha() and row["check"].islower() for row in rows)


@pytest.fixture(scope="module")
def dated(news: tuple[Path, np.ndarray]) -> Rows:
    """The news with a day, its quarter, and labels of some."""
    rows, truth = rows_of(news[0]), news[1]
    days = [datetime.date(2001, 1, 1) + datetime.timedelta(days=i % 300) for i in range(600)]
    labelled_rows = set(np.random.default_rng(1).choice(600, 100, replace=False).tolist())
    return [
        row
        | {"day": str(day) + (" 05:34:00" if i % 2 else ""), "quarter": f"2001-Q{(day.month + 2) // 3}"}
        | {"attack": str(int(truth[i])) if i in labelled_rows else ""}
        for i, (row, day) in enumerate(zip(rows, days, strict=True))
    ]


OF_ATTACKS = ("--prob", "score", "--target", "attack", "--format", "json")


@pytest.mark.long
def test_periods_of_dates(dated: Rows, tmp_path: Path) -> None:
    estimate = ["counts", "estimate", written(dated, tmp_path / "dated.csv"), *OF_ATTACKS]
    by_date = json.loads(printed(*estimate, "--group", "month", "--date", "day", "--period", "quarter"))
    by_column = json.loads(printed(*estimate, "--group", "month,quarter"))
    assert by_date["columns"] == ["month", "quarter"]
    assert by_date["groups"] == by_column["groups"]
    alone = howsure(*estimate, "--date", "day")
    assert (alone.code, "must be given together" in alone.err) == (2, True)
    estimate[2] = written([*dated[:6], dated[6] | {"day": "3/20/2003"}, *dated[7:]], tmp_path / "bad.csv")
    outcome = howsure(*estimate, "--date", "day", "--period", "month")
    assert "day must contain dates such as 2003-03-20; row 7 of" in outcome.err
    assert "'3/20/2003'" in outcome.err


@pytest.mark.long
def test_python_has_the_same_words(dated: Rows, news: tuple[Path, np.ndarray], labelled: Path, tmp_path: Path) -> None:
    """A source, a frame, and a filled sheet, to the digit."""
    files = [written(dated, tmp_path / "dated.csv"), news[0]]
    options = {"groups": ["month"], "date": "day", "period": "quarter", "rng": 0}
    printed_one = printed(
        "counts", "estimate", files[0], *OF_ATTACKS, *["--group", "month", "--date", "day", "--period", "quarter"]
    )
    for data in (read(files[0]), pandas.read_csv(files[0], sep=";")):
        counts = count_units("attack", "score", **options, data=data)
        assert counts.to_dict()["groups"] == json.loads(printed_one)["groups"]
    of_sheet = printed("counts", "estimate", files[1], "--prob", "score", "--labelled", labelled, "--format", "json")
    counts = count_units(None, "score", labelled=read(labelled), rng=0, data=read(files[1]))
    with pytest.raises(InputError, match="labelled must be read by"):
        count_units(None, "score", labelled=labelled, data=read(files[1]))  # type: ignore[arg-type]
    assert counts.to_dict()["total"] == json.loads(of_sheet)["total"]


@pytest.mark.long
def test_dates_in_a_form_of_their_own(dated: Rows, tmp_path: Path) -> None:
    estimate = ["counts", "estimate", written(dated, tmp_path / "dated.csv"), *OF_ATTACKS]
    content = json.loads(printed(*estimate, "--date", "day", "--period", "quarter"))
    turned = [row | {"day": "{2}.{1}.{0}".format(*row["day"][:10].split("-"))} for row in dated]
    estimate[2] = written(turned, tmp_path / "turned.csv")
    german = ("--date", "day", "--date-format", "%d.%m.%Y", "--period", "quarter")
    assert json.loads(printed(*estimate, *german))["groups"] == content["groups"]
    drawn = howsure("counts", "sample", estimate[2], "--prob", "score", "--labels", "60", *german)
    assert (drawn.code, drawn.out.count("\n")) == (0, 61)


@pytest.mark.long
def test_the_command_that_a_sample_prints_works_when_typed(dated: Rows, tmp_path: Path) -> None:
    scored = written(dated, tmp_path / "dated news.dat")  # whose format only --from gives
    sheet = tmp_path / "to label.csv"
    cells = ("--group", "month", "--date", "day", "--period", "quarter", "--where", "length < 6", "--from", "csv")
    drawn = howsure("counts", "sample", scored, "--prob", "score", "--labels", "80", *cells, "--output", sheet)
    rows = rows_of(sheet)
    written([row | {"label": str(at % 2)} for at, row in enumerate(rows)], sheet, ",")
    program, *typed = shlex.split(drawn.err.partition("with 1 or 0, then: ")[2])
    assert program == "howsure"
    counts = json.loads(printed(*typed, "--format", "json"))
    assert counts["columns"] == ["month", "quarter"]
    assert counts["recipe"]["labelled"] == 80


@pytest.mark.long
def test_labels_in_words(news: tuple[Path, np.ndarray], labelled: Path, counted: str, tmp_path: Path) -> None:
    estimate = ["counts", "estimate", news[0], "--prob", "score"]
    sheet = filled(labelled, news[1], tmp_path / "words.csv", ("wrong", "correct"))
    assert without_next(printed(*estimate, "--labelled", sheet, "--positive", "correct")) == without_next(counted)
    outcome = howsure(*estimate, "--labelled", sheet)
    assert "is 'wrong'" in outcome.err or "is 'correct'" in outcome.err
    assert "--positive" in outcome.err
    assert "Did you mean --positive correct" in howsure(*estimate, "--labelled", sheet, "--positive", "corect").err


def test_missing_values_are_those_of_the_sheet_too(
    news: tuple[Path, np.ndarray], labelled: Path, tmp_path: Path
) -> None:
    rows = rows_of(labelled)
    words = [row | {"label": "open" if at == 0 else ("no", "yes")[at % 2]} for at, row in enumerate(rows)]
    sheet = written(words, tmp_path / "words.csv", ",")
    estimate = ["counts", "estimate", news[0], "--prob", "score", "--labelled", sheet, "--positive", "yes"]
    assert "If 'open' is not a label, leave it out: --missing open." in howsure(*estimate).err
    assert "1 of 80 drawn units has no label" in printed(*estimate, "--missing", "open", "--verbose")


@pytest.mark.parametrize(
    ("encoding", "delimiter"),
    [("utf-8-sig", ";"), pytest.param("utf-8", "\t", marks=pytest.mark.long), ("cp1252", ";")],
)
def test_sheets_in_the_encodings_of_spreadsheets(
    news: tuple[Path, np.ndarray], labelled: Path, tmp_path: Path, encoding: str, delimiter: str
) -> None:
    rows = [row | {"text": "Zürich"} for row in rows_of(labelled)]
    sheet = tmp_path / "sheet.csv"
    with open(sheet, "w", newline="", encoding=encoding) as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    outcome = howsure("counts", "estimate", news[0], "--prob", "score", "--labelled", sheet)
    assert outcome.code == 0, outcome.err


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        ["--group", "month"],
        *(pytest.param(design, marks=pytest.mark.long) for design in ([], ["--design", "simple"], ["--cluster", "id"])),
    ],
)
def test_further_units_are_written_below_those_that_are_labelled(
    news: tuple[Path, np.ndarray], tmp_path: Path, options: list[str]
) -> None:
    path, truth = news
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    howsure("counts", "sample", path, "--prob", "score", "--labels", 80, *options, "--output", first)
    done = filled(first, truth, tmp_path / "done.csv", ("no", "yes"))
    sample = ["counts", "sample", path, "--prob", "score", "--labels", 40, *options, "--show", "text"]
    outcome = howsure(*sample, "--more", done, "--output", second)
    assert outcome.code == 0, outcome.err
    rows = rows_of(second)
    assert len(rows) == 120
    assert {row["row"]: row["label"] for row in rows if row["label"]} == {r["row"]: r["label"] for r in rows_of(done)}
    if options == ["--group", "month"]:
        arguments = {"groups": "month", "show": ["text"], "more": read(done), "rng": 0, "data": read(path)}
        assert f"{draw_label_sample('score', 40, **arguments).to_csv()}\n" == second.read_text(encoding="utf-8-sig")
    everything = filled(second, truth, tmp_path / "all.csv")
    same = [] if "--design" in options else options
    assert "120" in printed("counts", "estimate", path, "--prob", "score", "--labelled", everything, *same)
    third = howsure(
        *sample, "--more", filled(second, truth, tmp_path / "again.csv"), "--output", tmp_path / "third.csv"
    )
    assert third.code == 0, third.err
    assert len(rows_of(tmp_path / "third.csv")) == 160


@pytest.mark.long
def test_samples_that_cannot_be_extended_are_refused(
    news: tuple[Path, np.ndarray], labelled: Path, tmp_path: Path
) -> None:
    path, truth = news
    drawn = tmp_path / "drawn.csv"
    howsure("counts", "sample", path, "--prob", "score", "--labels", 50, "--design", "importance", "--output", drawn)
    by_chance = filled(drawn, truth, tmp_path / "done.csv")
    sample = ["counts", "sample", path, "--prob", "score", "--labels", 30, "--more"]
    assert "--design importance; further units" in howsure(*sample, by_chance).err
    rows = rows_of(labelled)
    three = written([row | {"label": str(i % 3)} for i, row in enumerate(rows)], tmp_path / "three.csv", ",")
    assert "label must have two values" in howsure(*sample, three).err
    other = written([row | {"stratum": "score 0"} for row in rows], tmp_path / "other.csv", ",")
    assert "Pass the same --prob, --group and --cluster" in howsure(*sample, other).err
    assert "has none" in howsure(*sample, drawn).err
    fewer = written(rows[:-5], tmp_path / "fewer.csv", ",")
    message = howsure(*sample, fewer).err
    assert "--more: " in message
    assert "must have all rows of its sample" in message


def labels_needed(text: str) -> int:
    """The number of labels in the answer of a plan."""
    return int(re.search(r"needs labels of ([\d,]+) of", text)[1].replace(",", ""))


def test_a_plan_for_a_share(news: tuple[Path, np.ndarray]) -> None:
    plan = ["counts", "plan", news[0], "--prob", "score"]
    shares, units = (printed(*plan, *target) for target in (("--share", "--width", 0.125), ("--width", 75)))
    assert "An interval about 0.125 of the units wide needs" in shares
    assert labels_needed(shares) == labels_needed(units)
    assert "about 75 units wide" in units
    outcome = howsure(*plan, "--width", 0.04)
    assert outcome.code == 2
    assert "must be at least 1 unit; it is 0.04. If it is a proportion of the units, set --share." in outcome.err


@pytest.mark.long
def test_where_counts_the_units_it_names_as_a_file_of_these_alone(
    news: tuple[Path, np.ndarray], tmp_path: Path
) -> None:
    """From the sample to the estimate: a file that holds no other rows gives the same, and what is left out is said."""
    path, truth = news
    rows = rows_of(path)
    some = [number for number, row in enumerate(rows) if row["month"] != "M1"]
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    alone = tmp_path / "alone.csv"
    alone.write_text(lines[0] + "".join(lines[1 + number] for number in some), encoding="utf-8")
    outputs, note = [], f"{len(some)} rows where month <> 'M1'; {600 - len(some)} others left out"
    for file, where in ((path, ("--where", "month <> 'M1'")), (alone, ())):
        sheet = tmp_path / f"sheet-{file.stem}.csv"
        sampled = howsure(
            "counts", "sample", file, "--prob", "score", "--labels", 80, "--show", "id", "--output", sheet, *where
        )
        assert sampled.code == 0
        assert (note in sampled.err) == bool(where)
        assert ("--where 'month <> '" in sampled.err) == bool(where)
        drawn = rows_of(sheet)
        for row in drawn:
            row["label"] = str(int(truth[int(row["id"].removeprefix("d"))]))
        written(drawn, sheet, ",")
        out = printed("counts", "estimate", file, "--prob", "score", "--group", "month", "--labelled", sheet, *where)
        assert (note in out) == bool(where)
        outputs.append("\n".join(line for line in out.splitlines() if str(file) not in line))
    assert outputs[0] == outputs[1]
    refused = howsure("counts", "estimate", path, "--prob", "score", "--labelled", tmp_path / "sheet-news.csv")
    assert (refused.code, "does not match the scored file" in refused.err) == (2, True)


@pytest.mark.long
def test_a_sheet_with_holes_is_bounded_and_says_how_many(
    news: tuple[Path, np.ndarray], labelled: Path, tmp_path: Path
) -> None:
    rows = rows_of(labelled)
    partly = tmp_path / "partly.csv"
    written([row | {"label": "" if place < 5 else row["label"]} for place, row in enumerate(rows)], partly, ",")
    estimate = ["counts", "estimate", news[0], "--prob", "score", "--format", "json", "--labelled"]
    whole, bounded = (json.loads(printed(*estimate, sheet)) for sheet in (labelled, partly))
    assert bounded["total"]["low"] <= whole["total"]["low"] < whole["total"]["high"] <= bounded["total"]["high"]
    assert (bounded["recipe"]["drawn"], bounded["total"]["labelled"]) == (80, 75)
    assert "5 of 80 drawn units have no label" in bounded["notes"][0]
    message = howsure("counts", "sample", news[0], "--prob", "score", "--labels", 20, "--more", partly).err
    assert "has none (5 in all)" in message


def test_a_plan_from_a_sheet_counts_on_what_its_labels_show(news: tuple[Path, np.ndarray], labelled: Path) -> None:
    plan = ["counts", "plan", news[0], "--prob", "score", "--width", 100]
    alone, with_labels = printed(*plan), printed(*plan, "--labelled", labelled)
    assert "the scores are uninformative" in alone
    assert "as informative as those of the labelled units" in with_labels
    assert labels_needed(with_labels) < labels_needed(alone)
    labels = plan_label_sample("score", width=100, labelled=read(labelled), data=read(news[0]))
    assert (labels.from_labels, labels.labels) == (True, labels_needed(with_labels))
    assert "not both" in howsure(*plan, "--labelled", labelled, "--target", "score").err


def test_a_sheet_has_the_separator_and_the_decimal_comma_of_the_file_it_was_drawn_from(tmp_path: Path) -> None:
    score, truth, _ = population("misses", np.random.default_rng(1), n=300)
    source, sheet = tmp_path / "deutsch.csv", tmp_path / "sheet.csv"
    numbers = [f"{value:.4f}".replace(".", ",") for value in score]
    source.write_text("".join(["id;p\n", *(f"d{i};{number}\n" for i, number in enumerate(numbers))]))
    howsure("counts", "sample", source, "--prob", "p", "--labels", 60, "--show", "id", "--output", sheet)
    heads, first, *_ = sheet.read_text(encoding="utf-8-sig").splitlines()
    assert heads == "row;id;stratum;inclusion;check;label"
    assert "." not in first.split(";")[-3]
    rows = [line + str(int(truth[int(line.split(";")[0]) - 1])) for line in sheet.read_text().splitlines()[1:]]
    sheet.write_text("\n".join([heads, *rows]))
    done = howsure("counts", "estimate", source, "--prob", "p", "--labelled", sheet, "--format", "json")
    counts = json.loads(done.out)
    assert counts["groups"][0]["positives"] == sum(line.endswith("1") for line in rows)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_a_sample_of_a_file_in_another_encoding_has_its_separator(encoding: str, tmp_path: Path) -> None:
    source = tmp_path / "texts.csv"
    source.write_text("id;text;p\n" + "".join(f"{k};Müll {k};0,{k}5\n" for k in range(8)), encoding=encoding)
    command = ["--prob", "p", "--show", "text", "--labels", 4, "--design", "simple", "--output", tmp_path / "sheet.csv"]
    done = howsure("counts", "sample", source, "--encoding", encoding, *command)
    assert f"--encoding {encoding}" in done.out + done.err
    assert (tmp_path / "sheet.csv").read_text(encoding="utf-8-sig").startswith("row;text;stratum;inclusion;check;label")


def test_crosses_without_any_other_label_are_refused(tmp_path: Path) -> None:
    units, sheet = tmp_path / "units.csv", tmp_path / "sheet.csv"
    units.write_text("score\n" + "".join(f"{row / 100}\n" for row in range(100)))
    printed_sheet = howsure(f"counts sample {units} --prob score --labels 40 --output {sheet}")
    assert printed_sheet.code == 0
    header, *rows = sheet.read_text().splitlines()
    estimate = f"counts estimate {units} --prob score --labelled {sheet} --positive x"
    for blank, code in (("", 2), ("no", 0)):
        sheet.write_text("\n".join([header, *(f"{row}{'x' if at < 15 else blank}" for at, row in enumerate(rows))]))
        done = howsure(estimate)
        assert done.code == code
        message = f"all 15 labels are 'x', and {len(rows) - 15} drawn units have none. If an empty label means no"
        assert (message in done.err) == (blank == "")


def test_sheets_to_fill_in_begin_with_the_mark_by_which_excel_knows_utf8(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("id,text,score\n" + "".join(f"{i},Größe {i},{i / 40}\n" for i in range(40)), encoding="utf-8")
    options = ["--labels", 10, "--show", "text", "--output"]
    howsure("counts", "sample", file, "--prob", "score", *options, tmp_path / "count.csv")
    howsure(
        "judge", "sample", file, "--score", "score", "--id", "id", "--format", "csv", *options, tmp_path / "judge.csv"
    )
    for name in ("count.csv", "judge.csv"):
        assert (tmp_path / name).read_bytes()[:3] == b"\xef\xbb\xbf"
        assert next(iter(read(str(tmp_path / name)).rows({"text": "required"}).columns["text"])).startswith("Größe")
