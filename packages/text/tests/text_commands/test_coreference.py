"""`howsure coreference`: what it writes is what the library says, and what is wrong is one sentence and exit code 2."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import Path

import duckdb
import numpy as np
import pytest
from tests.cli.pressing import pressed
from tests.cli.running import howsure as run
from tests.cli.running import printed
from tests.coreference.parsed import dialogue, story

from howsure.data import Document, Mention, read_documents, write_conll2012, write_conllu
from howsure_text.coreference import AntecedentModel, CorefPosterior, score_documents

DOCUMENTS = [replace(story(), name="story"), replace(dialogue(), name="talk")]


@pytest.fixture(scope="module")
def model() -> AntecedentModel:
    return AntecedentModel(passes=3, rng=0).fit(DOCUMENTS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: AntecedentModel) -> Path:
    """A folder with gold.conllu, parsed.conllu (the same without mentions) and model.npz."""
    monkeypatch.chdir(tmp_path)
    write_conllu(DOCUMENTS, "gold.conllu")
    write_conllu([replace(document, mentions=None) for document in DOCUMENTS], "parsed.conllu")
    model.save("model.npz")
    return tmp_path


def clusters_of(document: Document) -> set[frozenset[Mention]]:
    clusters: dict[object, set[Mention]] = {}
    for mention in document.mentions or ():
        clusters.setdefault(mention.entity, set()).add(mention)
    return {frozenset(members) for members in clusters.values()}


def as_sets(clusters: list[list[Mention]]) -> set[frozenset[Mention]]:
    return {frozenset(members) for members in clusters}


def test_train_makes_the_librarys_model(folder: Path) -> None:
    output = printed(
        "coreference train gold.conllu --dev gold.conllu --mentions gold --loss margin --l1 0.02 --passes 4 --seed 3 "
        "--output new.npz"
    )
    documents = read_documents("gold.conllu")
    expected = AntecedentModel(mentions="gold", loss="margin", l1=0.02, passes=4, rng=3).fit(
        documents, development=documents
    )
    loaded = AntecedentModel.load("new.npz")
    np.testing.assert_array_equal(loaded.weights_, expected.weights_)
    assert loaded.get_params() == expected.get_params()
    gold = [[list(members) for members in clusters_of(document)] for document in documents]
    scores = score_documents(
        gold, [expected.posterior(document).best_antecedent_clusters() for document in documents], singletons=False
    )
    assert ["CoNLL", "–", "–", f"{100 * scores.conll_f1:.2f}"] in [
        line.split() for line in output.split("\n")
    ]  # as score shows it
    best = max(expected.history_, key=lambda epoch: epoch.development)
    assert f"kept {best}" in output


def test_train_uses_detected_mentions_by_default(folder: Path) -> None:
    printed("coreference", "train", "gold.conllu", "--passes", 1, "--output", "new.npz")
    assert AntecedentModel.load("new.npz").mentions == "detected"


@pytest.mark.parametrize("name", ["pairs.parquet", "pairs.csv"])
def test_posterior_as_pairs_is_ready_for_calibration(folder: Path, model: AntecedentModel, name: str) -> None:
    printed("coreference", "posterior", "gold.conllu", "--model", "model.npz", "--threshold", 0, "--output", name)
    rows = duckdb.sql(f"SELECT * FROM '{name}'").fetchall()
    columns = duckdb.sql(f"SELECT * FROM '{name}'").columns
    assert len(rows) == sum(n * (n - 1) // 2 for n in (len(document.mentions or ()) for document in DOCUMENTS))
    first = dict(zip(columns, rows[0], strict=True))
    together = model.posterior(DOCUMENTS[0]).pair_probability()
    assert first["probability"] == pytest.approx(together[1, 0])
    assert (first["document"], first["first_text"], first["second_text"]) == ("story", "Ann Bell", "a doctor")
    assert (first["coreferent"], first["first_end"], first["second_start"]) == (0, 2, 3)
    output = printed("calibration", name, "--target", "coreferent", "--prob", "probability", "--format", "json")
    assert json.loads(output)["curves"][0]["n"] == len(rows)


def test_samples_have_the_probabilities_of_enumerated_clusterings(folder: Path) -> None:
    """All choices of antecedents of four mentions, written out: each clustering is drawn as often as it is probable."""
    rows = [[1.0], [0.3, 0.7], [0.2, 0.5, 0.3], [0.1, 0.2, 0.3, 0.4]]
    write_scores_of_rows(rows)
    printed("coreference posterior --scores scores.jsonl --samples 5000 --seed 2 --output samples.parquet")
    table = duckdb.sql("SELECT sample, list(entity ORDER BY mention) FROM 'samples.parquet' GROUP BY sample").fetchall()
    assert len(table) == 5000
    expected: dict[tuple[int, ...], float] = {}
    for choices in product(*(range(len(row)) for row in rows)):
        entities = list(range(4))
        for mention, antecedent in enumerate(choices):
            entities[mention] = entities[antecedent] if antecedent < mention else mention
        probability = np.prod([row[choice] for row, choice in zip(rows, choices, strict=True)])
        expected[tuple(entities)] = expected.get(tuple(entities), 0.0) + float(probability)
    counts = Counter(tuple(entities) for _, entities in table)
    assert set(counts) <= set(expected)
    for entities, p in expected.items():
        assert abs(counts[entities] - 5000 * p) <= 4.5 * np.sqrt(5000 * p * (1 - p)) + 1


def write_scores_of_rows(rows: list[list[float]]) -> None:
    """scores.jsonl of one document, whose posterior has these rows; the last probability of a row is that of "new"."""
    line = {
        "id": "made",
        "words": ["Ann", "she", "Bea", "her"],
        "mentions": [[k, k + 1] for k in range(len(rows))],
        "scores": [np.log(row[:-1]).tolist() for row in rows],
        "null": [float(np.log(row[-1])) for row in rows],
    }
    Path("scores.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")


def test_score_matches_documents_by_name_and_mentions_by_place(folder: Path) -> None:
    """The documents of one file come in another order."""
    write_conll2012(DOCUMENTS[::-1], "other.conll")
    write_conll2012(DOCUMENTS, "gold.conll")
    for name in ("other.conll", "gold.conll"):
        content = json.loads(printed("coreference", "score", "gold.conllu", name, "--format", "json"))
        assert all(content[metric]["f1"] == 1.0 for metric in ("muc", "b_cubed", "ceaf_e", "lea", "pairwise"))


def test_parts_of_a_document_are_matched_by_their_number(folder: Path) -> None:
    parts = [replace(document, name="d", metadata={"part": f"00{i}"}) for i, document in enumerate(DOCUMENTS)]
    write_conll2012(parts, "gold.conll")
    write_conll2012(parts[::-1], "other.conll")
    assert "100.00" in printed("coreference", "score", "gold.conll", "other.conll")


def test_repeated_spans_are_refused_or_the_first_is_kept(folder: Path) -> None:
    twice = replace(DOCUMENTS[0], mentions=(*(DOCUMENTS[0].mentions or ()), Mention(3, 2, 4, "else")))
    write_conllu([twice], "twice.conllu")
    write_conllu([DOCUMENTS[0]], "once.conllu")
    done = run("coreference", "score", "twice.conllu", "once.conllu")
    assert done.code == 2
    assert "two mentions of the same words, 'the doctors' in sentence 4; --repeated-spans first keeps" in done.err
    output = printed("coreference", "score", "twice.conllu", "once.conllu", "--repeated-spans", "first")
    assert "100.00" in output


def damaged() -> None:
    """Files that are wrong in every way."""
    Path("empty.conllu").write_text("")
    Path("nothing.conllu").write_text("# newdoc id = d\n")
    Path("empty.conll").write_text("#begin document (d); part 000\n#end document\n")
    Path("bare.txt").write_text("# begin document story\n0\tAnn\t(1)\n1\tleft\t_\n")
    Path("model.txt").write_text("no model")
    write_conllu(DOCUMENTS[:1], "first.conllu")
    write_conllu([replace(DOCUMENTS[0], mentions=()), replace(DOCUMENTS[0], mentions=())], "same.conllu")
    write_conllu(
        [replace(DOCUMENTS[0], sentences=DOCUMENTS[0].sentences[:3], mentions=()), DOCUMENTS[1]], "short.conllu"
    )


def test_a_document_without_mentions_has_no_entities(folder: Path) -> None:
    write_conllu([replace(DOCUMENTS[0], mentions=())], "none.conllu")
    printed("coreference", "predict", "none.conllu", "--model", "model.npz", "--output", "found.conllu")
    assert read_documents("found.conllu")[0].mentions == ()
    output = printed(
        "coreference", "posterior", "none.conllu", "--model", "model.npz", "--output", "p.json", "--text", "p.html"
    )
    assert "every mention is an entity of its own" in output
    assert json.loads(Path("p.json").read_text())["documents"][0]["pairs"] == []


@pytest.mark.long
def test_ctrl_c_keeps_the_best_weights_so_far(folder: Path) -> None:
    arguments = "coreference train gold.conllu --mentions gold --passes 1000000 --output new.npz"
    done = pressed(*arguments.split(), function="train", moment='lambda held: len(held.get("history", ())) >= 1')
    assert done.returncode == 0, done.stderr
    assert "the best weights so far are kept" in done.stderr
    assert isinstance(AntecedentModel.load("new.npz").posterior(DOCUMENTS[0]), CorefPosterior)


def test_documents_of_other_words_are_not_compared(folder: Path) -> None:
    words = Path("gold.conllu").read_text(encoding="utf-8")
    Path("other.conllu").write_text(words.replace("doctor", "nurse"), encoding="utf-8")
    done = run("coreference", "score", "gold.conllu", "other.conllu")
    assert done.code == 2
    assert (
        "document story has different words in gold.conllu and in other.conllu, 3 of 21; the first is word 5,"
        in done.err
    )
    Path("escaped.conllu").write_text(words.replace("met", "MET"), encoding="utf-8")
    assert "CoNLL           –       –  100.00" in printed("coreference", "score", "gold.conllu", "escaped.conllu")


def test_figure_without_a_pair_is_refused_and_writes_no_file(folder: Path) -> None:
    single = replace(DOCUMENTS[0], mentions=(DOCUMENTS[0].mentions or ())[:1])
    write_conllu([single], "one.conllu")
    done = run(
        "coreference", "posterior", "one.conllu", "--mentions", "gold", "--output", "p.json", "--figure", "p.svg"
    )
    assert (done.code, "has one mention; a figure draws pairs" in done.err) == (2, True)
    assert not Path("p.json").exists()
    output = printed("coreference", "predict", "one.conllu", "--mentions", "gold", "--output", "found.conllu")
    assert output == "found.conllu: 1 document, 1 mention of 1 entity\n"
