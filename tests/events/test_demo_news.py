"""The news of the demo: what the script writes, trees without fault, and events of which some are in doubt."""

from __future__ import annotations

import importlib.util
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from howsure.cli import demo
from howsure.coreference.antecedent_model import AntecedentModel
from howsure.data.documents.conllu import read_conllu
from howsure.events.extraction.one_document import document_seed, extract
from howsure.events.lexicon import Lexicon
from howsure.events.rule import built_in_rule

SCRIPTS = Path(__file__).parents[2] / "scripts"
NEWS, ACTORS, LABELS = (
    Path(str(files("howsure") / "data" / "demo" / name)) for name in ("news.conllu", "actors.tsv", "labels.csv")
)


def script_named(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return script_named("make_demo_news")


def test_the_files_are_what_the_script_writes(script: ModuleType, tmp_path: Path) -> None:
    script.main(tmp_path)
    for bundled in (NEWS, ACTORS):
        assert (tmp_path / bundled.name).read_bytes() == bundled.read_bytes()


def test_the_labels_are_those_of_the_documents_that_the_demo_draws(tmp_path: Path) -> None:
    labels = script_named("make_demo_labels")
    labels.main(tmp_path)
    assert (tmp_path / LABELS.name).read_text() == LABELS.read_text()
    assert str(labels.LABELS) == demo.LABELS


def test_every_reading_names_an_actor_of_its_text() -> None:
    labels, lexicon = script_named("make_demo_labels"), Lexicon.read(ACTORS)
    documents = {document.name: document for document in read_conllu(NEWS)}
    for number, reading in labels.READINGS.items():
        words = [word for sentence in documents[f"news-{number:02}"].sentences for word in sentence.words]
        assert {"attacked", "attack"} & set(words)
        if reading != labels.UNCLEAR:
            assert reading in lexicon.codes_of(" ".join(words))


def test_every_plot_and_every_sentence_is_used(script: ModuleType) -> None:
    assert {sentence for _, *sentences in script.PLOTS.values() for sentence in sentences} == set(script.SENTENCES)
    titles = {document.metadata["title"] for document in script.stories()}
    assert len(titles) >= len(script.PLOTS)


def test_trees_have_one_root_and_quarters_have_news() -> None:
    documents = read_conllu(NEWS)  # which refuses circles
    assert len(documents) == 48
    for document in documents:
        for sentence in document.sentences:
            assert sentence.heads is not None
            assert sentence.heads.count(-1) == 1
            assert sentence.words[-1] == "."
    dates = [document.metadata["date"] for document in documents]
    assert dates == sorted(set(dates))
    assert {(date[:4], (int(date[5:7]) + 2) // 3) for date in dates} == {
        (year, quarter) for year in ("2001", "2002") for quarter in (1, 2, 3, 4)
    }


def test_some_events_are_certain_and_some_in_doubt() -> None:
    lexicon, rule, model = Lexicon.read(ACTORS), built_in_rule("attack"), AntecedentModel.pretrained()
    assert set(lexicon.codes) == {"NORLAND", "SUDORIA", "VESTMERE", "ALLIANCE"}
    found, without = [], 0
    for document in read_conllu(NEWS):
        told = extract(
            document, model=model, lexicon=lexicon, rule=rule, samples=100, rng=document_seed(0, document.name)
        )
        if told.sampled is None:
            without += 1
        else:
            found += told.sampled.probabilities.tolist()
    p = np.array(found)
    assert without == 12
    assert (p == 1.0).sum() >= 5
    assert ((p > 0.2) & (p < 0.8)).sum() >= 10
