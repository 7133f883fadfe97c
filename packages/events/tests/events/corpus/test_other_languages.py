"""Spreadsheets of Germany and of Spain, as their programs save them, from the file to corrected counts."""

from __future__ import annotations

import csv
import random
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.cli.running import howsure, printed

from howsure.errors import InputError
from howsure_events import Fields, open_corpus
from howsure_events.store.event_store import EventStore

N = 240
WINDOWS = ("--encoding", "windows-1252")


@dataclass(frozen=True)
class Sheet:
    """The columns (id, date, title, text, actor), how dates are written, the question, and two texts."""

    columns: tuple[str, ...]
    date: str
    question: str
    acts: str
    rests: str

    def write(self, path: Path, *, encoding: str = "cp1252", days: int = 28) -> list[bool]:
        """Semicolons, decimal commas, and the lines of Windows; what is true of each document."""
        generator, rows, truth = random.Random(4), [], []
        for number in range(1, N + 1):
            true = generator.random() < 0.25
            found_by_model = generator.random() < (0.7 if true else 0.1)
            chance = generator.uniform(0.5, 0.95) if found_by_model else generator.uniform(0.0, 0.3)
            day, month = generator.randint(1, days), generator.randint(1, 12)
            date = self.date.format(day, month)
            rows.append(
                [number, date, f"n° {number}", self.acts if true else self.rests, f"{chance:.2f}".replace(".", ",")]
            )
            truth.append(true)
        with path.open("w", encoding=encoding, newline="") as file:
            csv.writer(file, delimiter=";").writerows([self.columns, *rows])
        return truth

    def command(self, path: Path, store: Path) -> list[object]:
        number, date, title, text, actor = self.columns
        named = ["--id", number, "--date", date, "--title", title, "--text", text, "--actors", actor]
        return ["events", "import", path, *named, "--question", self.question, "--store", store]


GERMAN = Sheet(
    ("Nr", "Datum", "Überschrift", "Wortlaut", "Polizei"),
    "{:02}.{:02}.2020",
    "Räumt hier die Polizei?",
    "Die Polizei räumte den Platz; zwölf Menschen wurden verletzt.",
    "Über die Größe der Kundgebung ließ sich nichts sagen.",
)
SPANISH = Sheet(
    ("número", "fecha", "titular", "texto", "policía"),
    "{:02}/{:02}/2020",
    "¿Desaloja aquí la policía?",
    "La policía desalojó la plaza; según testigos, hubo doce heridos.",
    "No se supo más del número de manifestantes.",
)


@pytest.mark.long
@pytest.mark.parametrize("sheet", [GERMAN, SPANISH], ids=["German", "Spanish"])
def test_from_the_spreadsheet_to_corrected_counts(sheet: Sheet, tmp_path: Path) -> None:
    """Each step says what is missing; labels come back from such a spreadsheet; the truth is in the interval."""
    path, store, labels = tmp_path / "news.csv", tmp_path / "news.duckdb", tmp_path / "labels.csv"
    truth = sheet.write(path)
    refused = howsure(*sheet.command(path, store))
    assert refused.code == 2
    assert "is not UTF-8 text. As windows-1252 it reads '" in refused.err
    assert (
        next(letter for letter in sheet.columns[2] + sheet.columns[0] + sheet.rests if ord(letter) > 127) in refused.err
    )
    assert not store.exists()
    output = printed(*sheet.command(path, store), *WINDOWS)
    assert f"{N} documents" in output
    assert (
        f"dates were read as {sheet.date.replace('{:02}', '%d', 1).replace('{:02}', '%m').replace('2020', '%Y')}"
        in output
    )
    assert sheet.question in printed("events", "label", store, "--labels", 80, "--draw-only")
    with EventStore.open(store) as event_store:
        drawn = [name for (name,) in event_store.ask("SELECT id FROM label_sample JOIN documents USING (document)")]
        ((words,),) = event_store.ask("SELECT words FROM sentences LIMIT 1")
    assert {*words} & {"räumte", "Größe", "desalojó", "número"}, "letters are letters"
    rows = [["document", "actor", "label", "coder"]]
    rows += [[name, sheet.columns[4], int(truth[int(name) - 1]), "Jürgen Peña"] for name in drawn]
    with labels.open("w", encoding="cp1252", newline="") as file:
        csv.writer(file, delimiter=";").writerows(rows)
    assert "As windows-1252 it reads" in howsure("events", "labels", "import", store, labels).err
    assert "80 documents by Jürgen Peña" in printed("events", "labels", "import", store, labels, *WINDOWS)
    series = printed("events", "series", store, "--period", "year", "--format", "csv")
    total = list(csv.DictReader(series.splitlines()))[-1]
    assert float(total["corrected_low"]) <= sum(truth) <= float(total["corrected_high"])
    assert total["title"] == sheet.columns[4]


@pytest.mark.long
def test_a_day_that_may_be_a_month_is_asked_for(tmp_path: Path) -> None:
    path, store = tmp_path / "news.csv", tmp_path / "news.duckdb"
    SPANISH.write(path, encoding="utf-8", days=12)
    refused = howsure(*SPANISH.command(path, store))
    assert refused.code == 2
    assert "fecha may have the day or the month first: row 1 of " in refused.err
    formats = "--date-format %d/%m/%Y or --date-format %m/%d/%Y."
    assert f"no date of the column decides. Name the format: {formats}" in refused.err
    assert "240 documents" in printed(*SPANISH.command(path, store), "--date-format", "%d/%m/%Y")


def days(path: Path, written: list[str], **options: str) -> list[str | None]:
    """The dates of a column as they are read."""
    path.write_text("\n".join(["day,text", *(f'"{cell}",x' for cell in written)]))
    corpus = open_corpus([path], fields=Fields(text="text", date="day"), **options)
    return [document.date for document in corpus.documents()]


@pytest.mark.parametrize(
    ("written", "dates"),
    [
        (["03/04/2020", "31/12/2020"], ["2020-04-03", "2020-12-31"]),
        (["03/04/2020", "12/31/2020"], ["2020-03-04", "2020-12-31"]),
        (["01.02.2020", "05.06.2020"], ["2020-02-01", "2020-06-05"]),
        (["31.12.2020 14:30", "01.02.2020 00:00"], ["2020-12-31", "2020-02-01"]),
        (["2020/12/31", "2020/01/02"], ["2020-12-31", "2020-01-02"]),
        (["31.12.20", "01.02.03"], ["2020-12-31", "2003-02-01"]),
        (["13.02.68", "03.04.69"], ["1968-02-13", "1969-04-03"]),
        (["1-Jan-96", "30-Dec-06"], ["1996-01-01", "2006-12-30"]),
        (["16-02-2015 23.36", "1-3-2015"], ["2015-02-16", "2015-03-01"]),
        (["28 de Diciembre de 2022", "lunes, 3 de mayo de 2021 10:30"], ["2022-12-28", "2021-05-03"]),
        (["1er août 2011", "2 févr. 2012"], ["2011-08-01", "2012-02-02"]),
        (["2020-12-31", "2020-01-02T10:00:00"], ["2020-12-31", "2020-01-02"]),
    ],
)
def test_dates_that_can_mean_one_thing(written: list[str], dates: list[str], tmp_path: Path) -> None:
    assert days(tmp_path / "news.csv", written) == dates


def test_invalid_dates_are_reported_or_left_out(tmp_path: Path) -> None:
    written = ["31.12.2020", "unbekannt", "01.02.2020"]
    with pytest.raises(InputError, match=r"day must be a date, written %d\.%m\.%Y; row 2 .* is 'unbekannt'"):
        days(tmp_path / "news.csv", written)
    assert days(tmp_path / "news.csv", written, bad_dates="leave-out") == ["2020-12-31", None, "2020-02-01"]
    for either in ["31.12.2020", "2020-12-31"], ["last week", "31.12."]:  # two ways in one column; no year
        with pytest.raises(InputError, match=r"day must be a date, written YYYY-MM-DD.* \(%y for 01\)"):
            days(tmp_path / "news.csv", either)


@pytest.mark.long
def test_a_rule_says_which_languages_it_knows(tmp_path: Path, pipeline: Path) -> None:
    """An English rule finds nothing in German texts, and neither do English names; that is said, and nothing stored."""
    path, parser, store = tmp_path / "news.csv", tmp_path / "parser", tmp_path / "news.duckdb"
    GERMAN.write(path)
    shutil.copytree(pipeline, parser)  # it says that it reads German; what it makes of that is not asked here
    for name, setting in (("config.cfg", 'lang = "{}"'), ("meta.json", '"lang":"{}"')):
        text = (parser / name).read_text()
        (parser / name).unlink()
        (parser / name).write_text(text.replace(setting.format("en"), setting.format("de")))
    (tmp_path / "rule.yaml").write_text("verbs: [räumen]\nforms: [räumte]\nlanguages: [de]\n")
    (tmp_path / "names.tsv").write_text("POL\tPolizei\n")
    command = ["events", "extract", path, "--id", "Nr", "--date", "Datum", "--text", "Wortlaut", *WINDOWS]
    command += ["--parser", parser, "--store", store, "--workers", 1]
    assert "--rule attack has words in en; the parser reads de." in howsure(*command).err
    own_rule = ["--rule", tmp_path / "rule.yaml"]
    assert "the built-in names of countries are in en; the parser reads de." in howsure(*command, *own_rule).err
    assert not store.exists()
    report = printed(*command, *own_rule, "--lexicon", tmp_path / "names.tsv")
    assert "dates were read as %d.%m.%Y" in report
    assert "note: the parser reads 'de', but the bundled coreference model was trained on English" in report
