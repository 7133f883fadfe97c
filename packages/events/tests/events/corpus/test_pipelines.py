"""Parsers: what a folder or an installed package holds; plain text and words are parsed."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.running import howsure, printed
from tests.events import newswire
from tests.events.stores import extract_to

from howsure.data.documents.read_documents import read_documents
from howsure.errors import InputError
from howsure_events.corpus import Fields
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.extraction.pipelines import installed_pipelines, pipeline_at
from howsure_events.store.event_store import EventStore
from howsure_events.stories import find_stories, passages, same_texts

NAME = "xy_own"
LETTER = "Ana met Rosa in Lima. She gave her a book.\n"


def test_a_folder_of_a_pipeline_parses(pipeline: Path, tmp_path: Path) -> None:
    letter = tmp_path / "letter.txt"
    letter.write_text(LETTER)
    output = printed("events", "parser", pipeline)
    assert "language en: tags and dependencies (ud)" in output
    assert f"--parser {pipeline}" in output
    report = printed("coreference", "predict", letter, "--parser", pipeline, "--output", tmp_path / "found.conllu")
    assert "1 document" in report
    (document,) = read_documents(tmp_path / "found.conllu")
    assert [sentence.words[0] for sentence in document.sentences] == ["Ana", "She"]


def test_what_is_installed_and_what_to_type(pipeline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = printed("events", "parser")
    assert "python -m spacy download en_core_web_sm" in output
    assert "python -m pip download --no-deps https://" in output
    before, packages = installed_pipelines(), tmp_path / "packages"
    (packages / NAME).mkdir(parents=True)
    (packages / NAME / "__init__.py").write_text("raise SystemExit('code of the package was run')\n")
    shutil.copy(pipeline / "meta.json", packages / NAME)
    (packages / f"{NAME}-1.0.0.dist-info").mkdir()
    (packages / f"{NAME}-1.0.0.dist-info" / "entry_points.txt").write_text(f"[spacy_models]\n{NAME} = {NAME}\n")
    monkeypatch.syspath_prepend(packages)
    (candidate,) = [candidate for candidate in installed_pipelines() if candidate not in before]
    assert (candidate.place, candidate.language, candidate.scheme, candidate.why_not) == (NAME, "en", "ud", "")


def test_an_unsuitable_parser_is_described(pipeline: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a spaCy pipeline"):
        pipeline_at(tmp_path)
    content = json.loads((pipeline / "meta.json").read_text())
    for change, reason in (
        ({"spacy_version": ">=2.0,<2.1"}, "is for spaCy >=2.0,<2.1"),
        ({"pipeline": ["tok2vec"], "components": []}, "has no dependency parser and no tagger"),
    ):
        folder = tmp_path / reason.partition(" ")[2][:6]
        folder.mkdir()
        shutil.copy(pipeline / "config.cfg", folder)
        (folder / "meta.json").write_text(json.dumps({**content, **change}))
        assert reason in pipeline_at(folder).why_not
        assert "next:" not in printed("events", "parser", folder)


def test_words_without_a_parse_keep_their_sentences_and_mentions(pipeline: Path, tmp_path: Path) -> None:
    """CoNLL-2012 has words and mentions: one command parses them, recalibrates by them, and says what is missing."""
    path, rows = tmp_path / "gold.conll", []
    for number in range(2):
        rows.append(f"#begin document (letter{number}); part 0")
        for sentence in ("(1)Ana met (2)Rosa . ", "(1)She gave (2)her a book . "):
            for at, word in enumerate(sentence.split()):
                mention, bare = (word[:3], word[3:]) if word.startswith("(") else ("_", word)
                rows.append("\t".join([f"letter{number}", "0", str(at), bare, *("_" * 7), mention]))
            rows.append("")
        rows.append("#end document")
    path.write_text("\n".join(rows) + "\n")
    parser_options = ["--parser", pipeline]
    assert "has no dependencies" in howsure("coreference", "posterior", path).err
    assert "letter0" in printed("coreference", "posterior", path, *parser_options, "--mentions", "gold")
    out, model = tmp_path / "parsed.conllu", tmp_path / "recalibrated.npz"
    printed("coreference", "predict", path, *parser_options, "--mentions", "gold", "--output", out)
    before, after = read_documents(path), read_documents(out)
    assert [[sentence.words for sentence in document.sentences] for document in before] == [
        [sentence.words for sentence in document.sentences] for document in after
    ]
    assert [len(document.mentions or ()) for document in after] == [4, 4]
    output = printed("coreference", "recalibrate", path, *parser_options, "--mentions", "gold", "--output", model)
    assert f"{model}: recalibrated by {path}, 2 documents" in output
    refused = howsure("coreference", "posterior", out, *parser_options)
    assert (refused.code, "is parsed already; leave --parser out" in refused.err) == (2, True)
    letter = tmp_path / "letter.txt"
    letter.write_text(LETTER)
    assert "is plain text, which must be parsed: --parser" in howsure("coreference", "posterior", letter).err


# Documents of one story: exactly the pairs that a plain loop finds.


TEXTS = st.lists(st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=14), max_size=12)


def jaccard(words: list[str], other_words: list[str]) -> float:
    """The share of the passages of either text that both have, by sets of words."""
    first, second = (
        {tuple(text[at : at + min(5, len(text))]) for at in range(len(text) - min(5, len(text)) + 1)}
        for text in (words, other_words)
    )
    return len(first & second) / len(first | second) if words and other_words else 0.0


@given(texts=TEXTS, shared=st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_all_pairs_and_their_chains(texts: list[list[str]], shared: float) -> None:
    group = {number: {number} for number in range(len(texts))}
    for first, second in combinations(range(len(texts)), 2):
        if jaccard(texts[first], texts[second]) >= shared:
            joined = group[first] | group[second]
            for member in joined:
                group[member] = joined
    expected = {number: min(members) for number, members in group.items() if len(members) > 1}
    assert same_texts({number: passages(text) for number, text in enumerate(texts)}, shared=shared) == expected


def test_capitals_and_punctuation_do_not_count_but_words_do() -> None:
    text = "NATO planes attacked the bridge at dawn , the army said on Monday ."
    same = "Nato planes attacked the bridge at dawn - the army said on Monday"
    other = "NATO planes attacked the bridge at noon , the army said on Monday ."
    original, again, changed = (passages(version.split()) for version in (text, same, other))
    assert np.array_equal(original, again)
    assert len(np.intersect1d(original, changed)) == 3


def test_a_thousand_reprints_are_one_story() -> None:
    words = [f"w{at}" for at in range(300)]
    reprints = {number: passages([*words, f"page {number % 7}"]) for number in range(1_000)}
    assert set(same_texts(reprints).values()) == {0}


@pytest.mark.long
def test_reprints_of_a_corpus(tmp_path: Path) -> None:
    model = newswire.write_model(tmp_path / "model.npz")
    path = newswire.write_corpus(tmp_path / "news.conllu", 24)
    text = path.read_text()
    path.write_text(text + text.replace("newdoc id = ", "newdoc id = again-"))
    extract_to(tmp_path / "news.duckdb", path, model)
    with EventStore.open(tmp_path / "news.duckdb") as store:
        stories = find_stories(store)
        events = {document for (document,) in store.ask("SELECT DISTINCT document FROM events")}
        assert stories == dict(store.ask("SELECT document, story FROM stories"))
    twins = {document for document in events if {document, (document + 24) % 48} <= events}
    assert twins <= stories.keys() <= events
    assert all(stories[document] == stories[(document + 24) % 48] for document in twins)


@pytest.mark.long
def test_a_column_says_what_one_story_is(tmp_path: Path) -> None:
    model = newswire.write_model(tmp_path / "model.npz")
    corpus = open_corpus([newswire.write_corpus(tmp_path / "news.conllu", 40)], fields=Fields(story="desk"))
    extract_to(tmp_path / "news.duckdb", corpus, model)
    with EventStore.open(tmp_path / "news.duckdb") as store:
        desks = dict(store.ask("SELECT document, story FROM documents"))
        events = {document for (document,) in store.ask("SELECT DISTINCT document FROM events")}
        stories = dict(store.ask("SELECT document, story FROM stories"))
        assert store.settings["stories"] == {"column": "story"}
    together = defaultdict(list)
    for document in sorted(events):
        together[desks[document]].append(document)
    assert stories == {member: members[0] for members in together.values() if len(members) > 1 for member in members}
