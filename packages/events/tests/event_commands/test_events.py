"""`howsure events extract` and `howsure events dependencies`: what they write and print, and what they refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.cli.pressing import pressed
from tests.cli.running import howsure, printed
from tests.events import newswire
from tests.events.imported.scored_files import HEADINGS, ROWS, csv_of
from tests.events.labels.labelled_stores import answer_all
from tests.events.stores import contents, extract_to

from howsure_events.commands import main as command_file
from howsure_events.commands import options
from howsure_events.corpus import BAD_DATES, BATCH, Fields
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.lexicon import STEMMING
from howsure_events.rule import SCHEMES
from howsure_events.store.event_store import EventStore

DOCUMENTS = 40
NEWS = [
    {"id": "a", "day": "1999-01-02", "head": "One", "body": "Iraqi forces attacked the town.", "desk": "World"},
    {
        "id": "b",
        "day": "1999-01-03",
        "head": "<script>",
        "body": "The president of Iran may attack. He said so.",
        "desk": "World",
    },
    {"id": "c", "day": "1999-01-04", "head": "Rain", "body": "It rained in Paris.", "desk": "Weather"},
    {"id": "d", "day": "1999-01-05", "head": "Nothing", "body": None, "desk": "World"},
]
COLUMNS = ("--text", "body", "--date", "day", "--id", "id", "--title", "head")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with news, parsed and not, a lexicon, a model and rules."""
    folder = tmp_path_factory.mktemp("place")
    newswire.write_corpus(folder / "news.conllu", DOCUMENTS)
    newswire.write_model(folder / "model.npz")
    (folder / "actors.tsv").write_text("".join(f"{code}\t{name}\n" for code, name in newswire.lexicon().entries))
    (folder / "news.jsonl").write_text("".join(json.dumps(row) + "\n" for row in NEWS))
    (folder / "rule.yaml").write_text("forms: [attacked]\n")
    (folder / "wrong.yaml").write_text("form: [attacked]\n")
    (folder / "clear.yaml").write_text("forms: [attacked]\nlabels: clear\n")
    return folder


def extract_command(place: Path, file: str, *more: Any) -> tuple[Any, ...]:
    """A command with a lexicon and a model, unless others are given."""
    usual = {"--lexicon": place / "actors.tsv", "--model": place / "model.npz"}
    return (
        "events",
        "extract",
        place / file,
        *(x for pair in usual.items() if pair[0] not in more for x in pair),
        *more,
    )


@pytest.mark.long
def test_from_conllu_to_a_store(place: Path, tmp_path: Path) -> None:
    store, library = tmp_path / "news.duckdb", tmp_path / "library.duckdb"
    arguments = extract_command(place, "news.conllu", "--store", store, "--samples", 20, "--workers", 1)
    text = printed(*arguments)
    extract_to(library, open_corpus([place / "news.conllu"], fields=Fields()), place / "model.npz")
    tables, expected = contents(store), contents(library)
    assert {name: rows for name, rows in tables.items() if name != "settings"} == {
        name: rows for name, rows in expected.items() if name != "settings"
    }
    events = len({row[0] for row in tables["events"]})
    assert f"{store}: {DOCUMENTS} documents of" in text
    assert f"{events} with an event in some sample" in text
    assert re.search(
        r"\n    \d+% of the work was reading and parsing, the rest coreference, the rule and storing\n", text
    )
    assert text.endswith(f", or howsure events explore {store}\n")
    assert "--rule attack-wide finds them" in text
    again = printed(*arguments)
    assert f"done before: {DOCUMENTS} documents" in again
    assert contents(store) == tables


def test_from_texts_to_a_store(place: Path, pipeline: Path, tmp_path: Path) -> None:
    store = tmp_path / "news.duckdb"
    filters = ("--category", "desk", "--keep", "^W", "--drop", "Weather", "--require-actor")
    text = printed(
        *extract_command(
            place, "news.jsonl", *COLUMNS, "--parser", pipeline, "--workers", 1, "--store", store, *filters
        )
    )
    assert "2 documents of" in text
    assert "left out 1: no text" in text
    assert "left out 1: excluded by category" in text
    speed = re.search(r"s for 4 documents read \(([\d,.]+) per second\), 2 of them kept \(([\d,.]+) per second\)", text)
    of_read, of_kept = (float(rate.replace(",", "")) for rate in speed.groups())
    assert of_read == pytest.approx(2 * of_kept, rel=0.2, abs=0.2)  # one time, two numbers of documents, two roundings
    with EventStore.open(store) as opened:
        assert opened.ask("SELECT id, title FROM documents") == [("a", "One"), ("b", "<script>")]
        assert opened.ask("SELECT actor, probability FROM events WHERE document = 0") == [("IRQ", 1.0)]
        settings = opened.settings
    assert settings["finished"]
    assert settings["rule"]["verbs"] == ["attack"]
    assert (settings["rule"]["labels"], settings["parser"]["pipeline"]) == ("ud", "en_pipeline")
    assert settings["filters"] == {"keep": "^W", "drop": "Weather", "require_actor": True, "since": None, "until": None}
    assert (settings["samples"], settings["seed"]) == (100, 0)


@pytest.mark.long
def test_a_store_counted_again(place: Path, tmp_path: Path) -> None:
    store, again = tmp_path / "news.duckdb", tmp_path / "again.duckdb"
    printed(*extract_command(place, "news.conllu", "--store", store, "--samples", 20, "--workers", 1))
    (tmp_path / "spoke.yaml").write_text("forms: [attacked, spoke]")
    printed("events", "label", store, "--draw-only", "--labels", 20, "--actor", "IRQ", "--question", "Who?")
    with EventStore.open(store, read_only=False) as opened:
        answer_all(opened, "anna")
    command = ("events", "recount", store, "--rule", tmp_path / "spoke.yaml", "--model", place / "model.npz")
    text = printed(*command, "--store", again, "--workers", 1, "--period", "year", "--top", 2)
    assert f"{again}: {DOCUMENTS} documents of" in text
    assert "first rule:  attack (attack, attacks, attacked, attacking)\nsecond rule: spoke (attacked, spoke)\n" in text
    assert re.search(r"\nIRQ +Iraq +1990 +[\d.]+ +[\d.]+ ( +\d+){5}\n", text)
    assert "1 more actor: --top shows them." in text
    assert f"labels of 20 documents are carried over from {store}; they answer: Who?\n" in text
    with EventStore.open(again) as opened:
        assert opened.settings["rule"]["name"] == "spoke"
    assert howsure(*command, "--store", store).code == 2
    assert "was made with the model" in howsure(*command[:-2], "--store", tmp_path / "b.duckdb").err


def instead(option: str, column: str) -> tuple[str, ...]:
    """The columns, with another one for an option."""
    place = COLUMNS.index(option) + 1
    return (*COLUMNS[:place], column, *COLUMNS[place + 1 :])


PARSED = ("--parser", "{pipeline}")
BAD = [
    ("nws.conllu", (), r"no file .*nws\.conllu\. Did you mean .*news\.conllu"),
    ("news.jsonl", (*COLUMNS[2:], *PARSED), "name the column of the text: --text"),
    ("news.jsonl", (*instead("--text", "bdy"), *PARSED), "no column 'bdy' .* Did you mean body"),
    ("news.jsonl", COLUMNS, "texts must be parsed: name a spaCy pipeline"),
    ("news.jsonl", (*COLUMNS, "--parser", "nonesuch"), "the spaCy pipeline nonesuch does not exist"),
    ("news.jsonl", (*instead("--id", "desk"), *PARSED), "desk must be different in every document; 'World'"),
    ("news.jsonl", (*instead("--date", "head"), *PARSED), "head must be a date, written YYYY-MM-DD; row 1 of"),
    ("news.jsonl", (*COLUMNS, *PARSED, "--keep", "W"), "name its column: --category"),
    ("news.jsonl", (*COLUMNS, *PARSED, "--category", "desk", "--keep", "("), "keep must be a regular expression"),
    ("news.conllu", PARSED, "CoNLL-U is parsed already; leave --parser out"),
    ("news.conllu", ("--rule", "attck"), "no rule 'attck' .* Did you mean attack"),
    ("news.conllu", ("--rule", "none.yaml"), "no file none.yaml"),
    ("news.conllu", ("--rule", "{place}/wrong.yaml"), "no field 'form' .* Did you mean forms"),
    ("news.jsonl", (*COLUMNS, *PARSED, "--rule", "{place}/clear.yaml"), "set labels: ud"),
    ("news.conllu", ("--rule", "{place}/rule.yaml", "--labels", "clear"), "--labels is for built-in rules"),
    ("news.conllu", ("--labels", "clear"), "but the rule expects 'clear'"),
    ("news.conllu", ("--lexicon", "{place}/rule.yaml"), "a line must be CODE<TAB>NAME"),
    ("news.conllu", ("--model", "{place}/rule.yaml"), "is not a model"),
    ("news.conllu", ("--store", "{place}/none/news.duckdb"), "does not exist. Create it first"),
    ("news.conllu", ("--store", "{place}/clear.yaml"), "clear.yaml is not a store"),
    (
        "news.conllu",
        ("--store", "{place}/news.conllu"),
        "news.conllu is an input of this command and would be overwritten",
    ),
    ("news.conllu", ("--samples", "0"), "samples"),
]


@pytest.mark.parametrize(("file", "options", "message"), BAD, ids=[message for *_, message in BAD])
def test_bad_input_is_named(
    file: str, options: tuple[str, ...], message: str, place: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    store = tmp_path / "news.duckdb"
    pipeline = request.getfixturevalue("pipeline") if "{pipeline}" in options else None
    filled_options = [option.format(place=place, pipeline=pipeline) for option in options]
    stored = () if "--store" in filled_options else ("--store", store)
    done = howsure(*extract_command(place, file, *stored, "--workers", 1, *filled_options))
    assert (done.code, done.out) == (2, "")
    assert re.search(message, " ".join(done.err.split()))
    assert not store.exists() or not contents(store)["documents"]


@pytest.mark.long
def test_ctrl_c_and_the_same_command_again(place: Path, tmp_path: Path) -> None:
    store, whole = tmp_path / "news.duckdb", tmp_path / "whole.duckdb"
    corpus = newswire.write_corpus(tmp_path / "long.conllu", 3 * BATCH)
    options = ("--lexicon", place / "actors.tsv", "--model", place / "model.npz", "--samples", 10)
    arguments = ("events", "extract", corpus, *options, "--store", store)
    moment = 'lambda held: "report" in held and held["report"].read > 0'
    done = pressed(*arguments, "--workers", 2, function="_store_batches", moment=moment)
    message = done.stderr
    assert done.returncode == 130
    match = re.search(rf"contains ([\d,]+) of {3 * BATCH:,} documents; rerun the same command to resume", message)
    stored = int(match[1].replace(",", ""))
    with EventStore.open(store) as opened:
        assert opened.next_document == stored > 0
        assert stored % BATCH == 0
    assert "Traceback" not in message
    text = printed(*arguments, "--workers", 1)
    assert f"done before: {stored:,} documents" in text
    printed("events", "extract", corpus, *options, "--store", whole, "--workers", 1)
    assert contents(store) == contents(whole)


def test_store_without_events_has_nothing_to_explore(place: Path, tmp_path: Path) -> None:
    nobody = tmp_path / "nobody.tsv"
    nobody.write_text("X\tNo Such Place\n", encoding="utf-8")
    text = printed(
        *extract_command(place, "news.conllu", "--lexicon", nobody, "--store", tmp_path / "a.duckdb", "--workers", 1)
    )
    assert text.splitlines()[-1].startswith("nothing to explore: look at what was left out")


def test_the_choices_are_those_of_the_package() -> None:
    """The help is to come at once, so that the command names them itself."""
    assert options.BAD_DATES == BAD_DATES
    assert tuple(STEMMING) == command_file.STEMMING
    assert tuple(SCHEMES) == command_file.LABELS


@pytest.mark.long
def test_rule_of_the_paper_is_suggested(place: Path, tmp_path: Path) -> None:
    for rule, recommended in (("attack", True), ("attack-wide", False)):
        store = tmp_path / f"{Path(rule).stem}.duckdb"
        text = printed(
            *extract_command(place, "news.conllu", "--store", store, "--samples", 5, "--workers", 1, "--rule", rule)
        )
        assert ("--rule attack-wide finds them" in text) == recommended


MANY = BATCH + 5


@pytest.fixture(scope="module")
def news_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with news."""
    folder = tmp_path_factory.mktemp("place")
    newswire.write_corpus(folder / "news.conllu", MANY)
    newswire.write_model(folder / "model.npz")
    (folder / "actors.tsv").write_text("".join(f"{code}\t{name}\n" for code, name in newswire.lexicon().entries))
    return folder


@pytest.fixture(scope="module")
def whole(news_place: Path) -> Path:
    """What a run over all of them stores."""
    printed(*extract(news_place, "--workers", 1, "--store", news_place / "whole.duckdb"))
    return news_place / "whole.duckdb"


def extract(news_place: Path, *more: Any) -> tuple[Any, ...]:
    named = ("--lexicon", news_place / "actors.tsv", "--model", news_place / "model.npz", "--samples", 5)
    return ("events", "extract", news_place / "news.conllu", *named, *more)


@pytest.mark.long
def test_parts_and_their_merge(news_place: Path, whole: Path, tmp_path: Path) -> None:
    first, second, merged = tmp_path / "part-1.duckdb", tmp_path / "part-2.duckdb", tmp_path / "all.duckdb"
    text = printed(*extract(news_place, "--workers", 1, "--part", "1/2", "--store", first))
    assert text.startswith(f"{first}: part 1 of 2 of the input, {BATCH} documents of ")
    assert text.endswith("\nnext, when all 2 parts are there: howsure events merge STORE... --store OUT\n")
    text = printed(*extract(news_place, "--workers", 1, "--part", "2/2", "--store", second))
    assert text.startswith(f"{second}: part 2 of 2 of the input, 5 documents of ")
    text = printed("events", "merge", tmp_path / "part-*.duckdb", "--store", merged)
    assert text.startswith(f"{merged}: {MANY} documents of ")
    assert text.endswith(
        f"\n  merged from 2 parts\nNext: howsure events label {merged} (read some, to correct the counts), or "
        f"howsure events explore {merged}\n"
    )
    assert contents(merged) == contents(whole)
    done = howsure("events", "merge", first, second, "--store", first)
    assert (done.code, done.err) == (
        2,
        f"howsure: {first} is an input of this command and would be overwritten; name another file.\n",
    )


@pytest.mark.long
def test_no_command_takes_a_part_for_the_whole(news_place: Path, tmp_path: Path) -> None:
    store = tmp_path / "part-2.duckdb"
    printed(*extract(news_place, "--workers", 1, "--part", "2/2", "--store", store))
    arguments = {
        "series": (),
        "compare": ("IRQ", "IRN"),
        "report": (tmp_path / "o.html",),
        "label": ("--draw-only",),
        "recount": ("--rule", "attack-wide", "--store", tmp_path / "o.duckdb"),
    }
    for name, more in arguments.items():
        done = howsure("events", name, store, *more)
        assert (done.code, "contains only part 2 of 2 of its input" in done.err) == (2, True), name
        assert [path.name for path in tmp_path.iterdir()] == [store.name]


GIVEN = ("--id", "id", "--date", "date", "--actor", "actor", "--prob", "p")
TEXTS = ("--title", "title", "--text", "text", "--event", "attack")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with scores and the store that they were imported into."""
    folder = tmp_path_factory.mktemp("imported")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("scores.csv").write_text(csv_of(ROWS), encoding="utf-8")
        assert printed("events", "import", "scores.csv", *GIVEN, *TEXTS, "--store", "s.duckdb") == (
            "s.duckdb: 4 documents of 29 words, 2 with an event above probability 0\n"
            "  expected documents: USA 1.2, IRQ 0.9\n"
            "Next: howsure events label s.duckdb (read some, to correct the counts), or "
            "howsure events explore s.duckdb\n"
        )
    return folder


@pytest.fixture
def store(imported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    for name in ("scores.csv", "s.duckdb"):
        (tmp_path / name).write_bytes((imported / name).read_bytes())
    return "s.duckdb"


@pytest.mark.long
def test_it_is_done_once(store: str) -> None:
    again = printed("events", "import", "scores.csv", *GIVEN, *TEXTS, "--store", store)
    assert "  it was there: the same files were imported before\n" in again


def test_missing_dates_and_texts_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text(csv_of([ROWS[0], ROWS[3], ("e", "", "", "", "IRQ", "0.5")]), encoding="utf-8")
    output = printed("events", "import", "scores.csv", *GIVEN, "--bad-dates", "leave-out", "--store", "s.duckdb")
    assert "  left out 1: the date is missing or invalid\n" in output
    assert "  no text: name its column (--text)" in output
    assert "  note: every document has an event with a probability of at least 0.1." in output
    scored = [ROWS[0], ("d", *ROWS[3][1:4], "IRQ", "0.04")]  # by a classifier, which reads all documents
    Path("scores.csv").write_text(csv_of(scored), encoding="utf-8")
    assert "  note:" not in printed("events", "import", "scores.csv", *GIVEN, *TEXTS, "--store", "all.duckdb")
    Path("wide.csv").write_text("id,date,war,peace\na,2001-01-01,0.3,0.7\nb,2001-01-02,0.6,0.4\n", encoding="utf-8")
    topics = ("--id", "id", "--date", "date", "--actors", "war,peace", "--store", "topics.duckdb")
    assert "  note:" not in printed("events", "import", "wide.csv", *topics)


@pytest.mark.long
def test_other_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("documents.csv").write_text(csv_of([row[:4] for row in (ROWS[0], *ROWS[2:])], HEADINGS[:4]), encoding="utf-8")
    rows = [(row[0], row[4], int(float(row[5]))) for row in ROWS if row[4]]
    Path("scores.csv").write_text(csv_of(rows, ("id", "actor", "p")), encoding="utf-8")
    columns = ("--id", "id", "--date", "date", "--actor", "actor", "--prob", "p", "--documents", "documents.csv")
    printed("events", "import", "scores.csv", *columns, "--text", "text", "--store", "s.duckdb")
    series = printed("events", "series", "s.duckdb", "--period", "year")
    assert re.search(r"\nUSA +2001 +4 +1\.0 +\[1, 1\] +1\n", series)


@pytest.mark.long
def test_a_column_for_each_actor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wide.csv").write_text("id,date,IRQ,USA\na,2001-01-03,0.9,0.25\nb,2001-01-04,0,0\n")
    output = printed(
        "events", "import", "wide.csv", "--id", "id", "--date", "date", "--actors", "IRQ,USA", "--store", "w"
    )
    assert "expected documents: IRQ 0.9, USA 0.2" in output


def test_lines_above_the_names_of_columns_are_left_out_and_named(tmp_path: Path) -> None:
    (tmp_path / "ev.csv").write_text("Datos 2023;;;\nid;day;actor;prob\n1;2023-01-02;A;0.4\n2;2023-02-02;B;0.9\n")
    store = str(tmp_path / "ev.duckdb")
    columns = ("--id", "id", "--date", "day", "--actor", "actor", "--prob", "prob")
    result = howsure("events", "import", str(tmp_path / "ev.csv"), *columns, "--event", "strike", "--store", store)
    assert "The names of the columns are in line 2" in result.err
