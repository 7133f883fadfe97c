"""Events resolved by the antecedent scores of a file: the model's own scores give the model's own store."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import howsure, printed
from tests.coreference.parsed import exported
from tests.events import newswire
from tests.events.stores import contents

from howsure.errors import InputError
from howsure_events.corpus import Fields
from howsure_events.extraction.extract_events import ExtractionReport, extract_events
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.extraction.processes import Work
from howsure_events.extraction.recount import recount_events
from howsure_events.extraction.scored_coreference import ScoredCoreference
from howsure_events.store.event_store import EventStore
from howsure_text.coreference import AntecedentModel, AntecedentScores, write_antecedent_scores

DOCUMENTS = 70


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """news.conllu, model.npz and scores.jsonl, which has the model's posteriors."""
    place = tmp_path_factory.mktemp("scored")
    newswire.write_corpus(place / "news.conllu", DOCUMENTS, sentences=2)
    model = AntecedentModel.load(newswire.write_model(place / "model.npz"))
    stories = [newswire.story(number, sentences=2) for number in range(DOCUMENTS)]
    write_antecedent_scores([exported(story, model.posterior(story)) for story in stories], place / "scores.jsonl")
    return place


def extracted(folder: Path, name: str, model: Any, *, workers: int = 1) -> ExtractionReport:
    corpus = open_corpus([folder / "news.conllu"], fields=Fields(category="desk"))
    work = Work(parser=None, model=model, lexicon=newswire.lexicon(), rule=newswire.rule(), samples=20, seed=0)
    return extract_events(corpus, folder / name, work=work, workers=workers)


@pytest.fixture(scope="module")
def stores(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is in the store of the model, and of its scores."""
    extracted(folder, "model.duckdb", AntecedentModel.load(folder / "model.npz"))
    extracted(folder, "scores.duckdb", ScoredCoreference(folder / "scores.jsonl"))
    return contents(folder / "model.duckdb"), contents(folder / "scores.duckdb")


@pytest.mark.long
def test_the_models_own_scores_give_its_own_store(stores: tuple[dict[str, Any], dict[str, Any]]) -> None:
    model, scores = stores
    assert len(model["events"]) > 10
    for name in set(model) - {"settings", "antecedents"}:
        assert scores[name] == model[name]
    of_model, of_scores = (np.array([row[-1] for row in store["antecedents"]]) for store in stores)
    np.testing.assert_allclose(of_scores, of_model, rtol=1e-12)


def test_the_recipe_names_the_file(folder: Path, stores: object) -> None:
    with EventStore.open(folder / "scores.duckdb") as store:
        model_settings = store.settings["model"]
    assert model_settings["name"] == "scores.jsonl"
    with EventStore.open(folder / "model.duckdb") as store:
        assert model_settings["digest"] != store.settings["model"]["digest"]


@pytest.mark.long
def test_processes_read_it_too(folder: Path, stores: tuple[dict[str, Any], dict[str, Any]]) -> None:
    extracted(folder, "parallel.duckdb", ScoredCoreference(folder / "scores.jsonl"), workers=2)
    tables = contents(folder / "parallel.duckdb")
    assert {name: rows for name, rows in tables.items() if name != "settings"} == {
        name: rows for name, rows in stores[1].items() if name != "settings"
    }


@pytest.mark.long
def test_it_can_be_counted_again_with_the_same_scores_only(folder: Path, stores: object) -> None:
    with EventStore.open(folder / "scores.duckdb") as store:
        with pytest.raises(InputError, match=r"was made with the model scores\.jsonl\. Pass this model"):
            recount_events(store, folder / "again.duckdb", rule=newswire.rule())
        recount_events(
            store, folder / "again.duckdb", rule=newswire.rule(), model=ScoredCoreference(folder / "scores.jsonl")
        )
    assert contents(folder / "again.duckdb")["events"] == contents(folder / "scores.duckdb")["events"]


def test_detected_mentions_that_the_scores_lack_are_entities_of_their_own(folder: Path, tmp_path: Path) -> None:
    document = newswire.story(0)
    posterior = AntecedentModel.load(folder / "model.npz").posterior(document)
    some = list(range(0, len(posterior), 2))
    write_antecedent_scores([exported(document, posterior, places=some)], tmp_path / "some.jsonl")
    model = ScoredCoreference(tmp_path / "some.jsonl")
    mentions, left_out = model.candidates(document)
    assert (mentions, left_out) == (posterior.mentions, 0)
    full = model.posterior(document, mentions=mentions)
    others = [place for place in range(len(posterior)) if place not in some]
    assert (full.singleton_probability()[others] == 1.0).all()
    assert full.pair_probability([(some[0], some[-1])])[0] > 0.0


def test_a_mention_with_the_head_of_a_scored_one_is_not_added(folder: Path, tmp_path: Path) -> None:
    document = newswire.story(0)
    first = AntecedentModel.load(folder / "model.npz").posterior(document).mentions[0]
    assert first.end - first.start > 1  # "Iraqi forces"; the scores name "forces"
    words = [list(sentence.words) for sentence in document.sentences]
    scores = AntecedentScores(id=document.name, words=words, mentions=[(first.end - 1, first.end)], scores=[[]], null=0)
    write_antecedent_scores([scores], tmp_path / "one.jsonl")
    mentions, _ = ScoredCoreference(tmp_path / "one.jsonl").candidates(document)
    assert [mention for mention in mentions if mention.sentence == 0 and mention.end == first.end] == [mentions[0]]
    assert (mentions[0].start, mentions[0].end) == (first.end - 1, first.end)


EXTRACT = ("events", "extract", "news.conllu", "--store", "x.duckdb", "--workers", 1)


FEW = 12


@pytest.fixture
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with the first documents and their scores."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.npz").symlink_to(folder / "model.npz")
    newswire.write_corpus(tmp_path / "news.conllu", FEW, sentences=2)
    write(tmp_path, "scores.jsonl", lines(folder)[:FEW])
    return tmp_path


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()]


def write(folder: Path, name: str, records: list[dict[str, Any]]) -> None:
    (folder / name).write_text("".join(json.dumps(record) + "\n" for record in records))


@pytest.mark.long
def test_the_command(inside: Path) -> None:
    output = printed(*EXTRACT, "--coreference", "scores.jsonl")
    assert f"x.duckdb: {FEW} documents" in output
    output = printed(
        "events recount x.duckdb --rule attack-wide --coreference scores.jsonl --store y.duckdb --workers 1"
    )
    assert f"y.duckdb: {FEW} documents" in output


@pytest.mark.long
def test_mentions_across_sentences_are_counted(inside: Path) -> None:
    records = lines(inside)
    for record in records[:3]:
        end = len(record["words"][0])
        place = sum(start < end - 1 for start, _ in record["mentions"])
        record["antecedents"] = [[k + (k >= place) for k in row] for row in record["antecedents"]]
        for name, value in (("mentions", [end - 1, end + 2]), ("scores", []), ("antecedents", []), ("null", 0.0)):
            record[name].insert(place, value)
    write(inside, "across.jsonl", records)
    done = howsure(*EXTRACT, "--coreference", "across.jsonl")
    assert done.code == 2
    assert "crosses sentences. Leave such mentions out with --misplaced leave-out." in done.err
    output = printed(*EXTRACT, "--coreference", "across.jsonl", "--misplaced", "leave-out")
    assert "3 mentions of the scores left out: they cross sentences" in output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--coreference", "few.jsonl"),
            "few.jsonl has no scores of 10 documents of the corpus (story-2, story-3, story-4 and 7 more",
        ),
        (
            ("--coreference", "scores.jsonl", "--model", "model.npz"),
            "--coreference has the scores of another model; le",
        ),
        (("--coreference", "other.jsonl"), "the scores of story-0 belong to another text than document story-0: after"),
        (("--coreference", "score.jsonl"), "no file score.jsonl. Did you mean scores.jsonl?"),
    ],
)
def test_errors_are_reported_before_or_at_the_document(inside: Path, options: tuple[str, ...], message: str) -> None:
    write(inside, "few.jsonl", lines(inside)[:2])
    write(inside, "other.jsonl", [{**line, "words": ["x"] * 99} for line in lines(inside)])
    done = howsure(*EXTRACT, *options)
    assert done.code == 2
    assert re.search(re.escape(message), done.err)
