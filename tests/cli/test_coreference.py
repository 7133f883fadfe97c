"""`howsure coreference`: what it writes is what the library says, and what is wrong is one sentence and exit code 2."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import duckdb
import numpy as np
import pytest

from howsure.coreference import AntecedentModel, CorefPosterior, score_clusters, score_documents
from howsure.data import Document, Mention, read_documents, write_conll2012, write_conllu, write_three_columns
from tests.cli.pressing import pressed
from tests.cli.running import howsure as run
from tests.cli.running import printed
from tests.coreference.parsed import dialogue, story

DOCUMENTS = [replace(story(), name="story"), replace(dialogue(), name="talk")]


@pytest.fixture(scope="module")
def model() -> AntecedentModel:
    return AntecedentModel(passes=3, rng=0).fit(DOCUMENTS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: AntecedentModel) -> Path:
    """A folder with gold.conllu, parsed.conllu (the same without mentions) and model.npz."""
    monkeypatch.chdir(tmp_path)
    write_conllu(DOCUMENTS, "gold.conllu")
    write_conllu([replace(one, mentions=None) for one in DOCUMENTS], "parsed.conllu")
    model.save("model.npz")
    return tmp_path


def clusters_of(document: Document) -> set[frozenset[Mention]]:
    found: dict[object, set[Mention]] = {}
    for mention in document.mentions or ():
        found.setdefault(mention.entity, set()).add(mention)
    return {frozenset(members) for members in found.values()}


def as_sets(clusters: list[list[Mention]]) -> set[frozenset[Mention]]:
    return {frozenset(members) for members in clusters}


def test_train_makes_the_librarys_model(folder: Path) -> None:
    said = printed("coreference", "train", "gold.conllu", "--dev", "gold.conllu", "--mentions", "gold", "--loss",
                   "margin", "--l1", 0.02, "--passes", 4, "--seed", 3, "--output", "new.npz")  # fmt: skip
    documents = read_documents("gold.conllu")
    wanted = AntecedentModel(mentions="gold", loss="margin", l1=0.02, passes=4, rng=3).fit(
        documents, development=documents
    )
    found = AntecedentModel.load("new.npz")
    np.testing.assert_array_equal(found.weights_, wanted.weights_)
    assert found.get_params() == wanted.get_params()
    gold = [[list(members) for members in clusters_of(one)] for one in documents]
    scores = score_documents(
        gold, [wanted.posterior(one).best_antecedent_clusters() for one in documents], singletons=False
    )
    assert ["CoNLL", "–", "–", f"{100 * scores.conll_f1:.2f}"] in [
        line.split() for line in said.split("\n")
    ]  # as score shows it
    best = max(wanted.history_, key=lambda one: one.development)
    assert f"kept {best}" in said


def test_train_takes_detected_mentions_unless_told_otherwise(folder: Path) -> None:
    printed("coreference", "train", "gold.conllu", "--passes", 1, "--output", "new.npz")
    assert AntecedentModel.load("new.npz").mentions == "detected"


@pytest.mark.parametrize("decision", ["best", "minimum-risk"])
def test_predict_writes_the_librarys_entities(folder: Path, model: AntecedentModel, decision: str) -> None:
    said = printed("coreference", "predict", "gold.conllu", "--model", "model.npz", "--decision", decision, "--output",
                   "found.conllu")  # fmt: skip
    found = read_documents("found.conllu")
    for gold, one in zip(DOCUMENTS, found, strict=True):
        posterior = model.posterior(gold)
        wanted = posterior.best_antecedent_clusters() if decision == "best" else posterior.minimum_risk_clusters()
        assert clusters_of(one) == as_sets(wanted)
        assert [s.heads for s in one.sentences] == [s.heads for s in gold.sentences]
        assert [s.metadata for s in one.sentences] == [s.metadata for s in gold.sentences]
    assert f"{sum(len(one.mentions or ()) for one in found)} mentions" in said


def test_predict_on_a_parse_with_the_model_of_the_package(folder: Path) -> None:
    printed("coreference", "predict", "parsed.conllu", "--no-singletons", "--output", "found.conllu")
    found = read_documents("found.conllu")
    model = AntecedentModel.pretrained()
    for one, document in zip(found, read_documents("parsed.conllu"), strict=True):
        wanted = [c for c in model.posterior(document).best_antecedent_clusters() if len(c) > 1]
        assert clusters_of(one) == as_sets(wanted)
    assert any(one.mentions for one in found)


@pytest.mark.parametrize(
    ("name", "options"),
    [("found.conll", []), ("found.txt", ["--output-format", "three-columns"]), ("x", ["--output-format", "conllu"])],
)
def test_predict_in_every_form(folder: Path, name: str, options: list[str]) -> None:
    printed("coreference", "predict", "gold.conllu", "--model", "model.npz", "--output", name, *options)
    printed("coreference", "predict", "gold.conllu", "--model", "model.npz", "--output", "found.conllu")
    scores = json.loads(printed("coreference", "score", "found.conllu", name, "--format", "json"))
    assert scores["conll_f1"] == pytest.approx(1.0)
    assert scores["recipe"]["documents"] == 2


def test_posterior_as_json(folder: Path, model: AntecedentModel) -> None:
    printed("coreference", "posterior", "gold.conllu", "--model", "model.npz", "--threshold", 0.2, "--output", "p.json")
    found = json.loads(Path("p.json").read_text())
    assert found["threshold"] == 0.2
    for said, document in zip(found["documents"], DOCUMENTS, strict=True):
        posterior = model.posterior(document)
        together = posterior.pair_probability()
        wanted = {(i, j): together[j, i] for j in range(len(posterior)) for i in range(j) if together[j, i] >= 0.2}
        assert {(one["first"], one["second"]): one["probability"] for one in said["pairs"]} == pytest.approx(wanted)
        number = posterior.number_of_entities()
        assert said["number_of_entities"]["mean"] == pytest.approx(number.mean)
        assert (said["number_of_entities"]["low"], said["number_of_entities"]["high"]) == number.interval()
        assert [one["text"] for one in said["mentions"]] == [" ".join(document.words_of(m)) for m in posterior.mentions]
        for entity in said["entities"]:
            members = entity["mentions"]
            within = [together[i, j] for i in members for j in members if i != j]
            alone = posterior.singleton_probability()[members[0]]
            assert entity["confidence"] == pytest.approx(np.mean(within) if within else alone)
            assert {said["mentions"][place]["entity"] for place in members} == {entity["entity"]}


@pytest.mark.parametrize("name", ["pairs.parquet", "pairs.csv"])
def test_posterior_as_pairs_is_ready_for_calibration(folder: Path, model: AntecedentModel, name: str) -> None:
    printed("coreference", "posterior", "gold.conllu", "--model", "model.npz", "--threshold", 0, "--output", name)
    rows = duckdb.sql(f"SELECT * FROM '{name}'").fetchall()
    columns = duckdb.sql(f"SELECT * FROM '{name}'").columns
    assert len(rows) == sum(n * (n - 1) // 2 for n in (len(one.mentions or ()) for one in DOCUMENTS))
    first = dict(zip(columns, rows[0], strict=True))
    together = model.posterior(DOCUMENTS[0]).pair_probability()
    assert first["probability"] == pytest.approx(together[1, 0])
    assert (first["document"], first["first_text"], first["second_text"]) == ("story", "Ann Bell", "a doctor")
    assert (first["coreferent"], first["first_end"], first["second_start"]) == (0, 2, 3)
    said = printed("calibration", name, "--target", "coreferent", "--prob", "probability", "--format", "json")
    assert json.loads(said)["curves"][0]["n"] == len(rows)


def test_without_gold_there_is_no_label(folder: Path) -> None:
    printed("coreference", "posterior", "parsed.conllu", "--output", "pairs.csv")
    rows = list(csv.DictReader(Path("pairs.csv").read_text().splitlines()))
    assert rows
    assert {row["coreferent"] for row in rows} == {""}


def test_a_figure_of_one_document(folder: Path) -> None:
    said = printed("coreference", "posterior", "gold.conllu", "--model", "model.npz", "--document", "story", "--figure",
                   "pairs.svg")  # fmt: skip
    drawn = Path("pairs.svg").read_text()
    assert "The doctor" in drawn
    assert "Eve" not in drawn
    assert "confidence" in said


class Reader(HTMLParser):
    """The words of a page's text and the elements it uses."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: set[str] = set()
        self.titles: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.titles += [value or "" for name, value in attrs if name == "title"]

    def handle_data(self, data: str) -> None:
        self.words += data.split()


def test_the_text_is_one_page_in_which_everything_is_escaped(folder: Path, model: AntecedentModel) -> None:
    wild = story()
    words = ("<script>alert(1)</script>", '"&amp;', *wild.sentences[0].words[2:])
    name = '</h2><img src="x">'
    document = replace(wild, name=name, sentences=(replace(wild.sentences[0], words=words), *wild.sentences[1:]))
    write_conllu([document], "wild.conllu")
    printed("coreference", "posterior", "wild.conllu", "--model", "model.npz", "--text", "text.html")
    page = Path("text.html").read_text()
    reader = Reader()
    reader.feed(page)
    assert not {"script", "img", "link", "iframe"} & reader.tags
    assert "://" not in page
    assert {"<script>alert(1)</script>", '"&amp;', "</h2><img"} <= set(reader.words)
    posterior = model.posterior(document)
    together, labels = posterior.pair_probability(), posterior.labels(posterior.best_antecedent_clusters())
    for title in reader.titles:
        assert title.startswith("entity ")
    several = [i for i, label in enumerate(labels) if (labels == label).sum() > 1]
    assert page.count("]<sub>") >= len(several)
    assert together.shape == (len(labels), len(labels))


def test_score_is_the_librarys(folder: Path, model: AntecedentModel) -> None:
    printed("coreference", "predict", "gold.conllu", "--model", "model.npz", "--output", "found.conllu")
    gold = [[list(members) for members in clusters_of(one)] for one in DOCUMENTS]
    found = [model.posterior(one).best_antecedent_clusters() for one in DOCUMENTS]
    for options, singletons in (([], True), (["--no-singletons"], False)):
        said = json.loads(printed("coreference", "score", "gold.conllu", "found.conllu", "--format", "json", *options))
        wanted = score_documents(gold, found, singletons=singletons).to_dict()
        assert wanted["recipe"].items() <= said["recipe"].items()
        assert {**said, "recipe": wanted["recipe"]} == wanted
        assert said["recipe"]["singletons"] is singletons


def test_score_matches_documents_by_name_and_mentions_by_place(folder: Path) -> None:
    """The three columns have no sentences, and the documents come in another order."""
    write_three_columns(DOCUMENTS[::-1], "gold.txt")
    write_conll2012(DOCUMENTS, "gold.conll")
    for name in ("gold.txt", "gold.conll"):
        said = json.loads(printed("coreference", "score", "gold.conllu", name, "--format", "json"))
        assert all(said[metric]["f1"] == 1.0 for metric in ("muc", "b_cubed", "ceaf_e", "lea", "pairwise"))


def test_parts_of_a_document_are_matched_by_their_number(folder: Path) -> None:
    parts = [replace(one, name="d", metadata={"part": f"00{i}"}) for i, one in enumerate(DOCUMENTS)]
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
    said = printed("coreference", "score", "twice.conllu", "once.conllu", "--repeated-spans", "first")
    assert "100.00" in said


def damaged() -> None:
    """Files that are wrong in every way."""
    row = "{n}\t{word}\t_\t_\tNN\t_\t{head}\tdep\t_\t{misc}\n"
    head = "# newdoc id = d\n# global.Entity = eid\n"

    def written(name: str, *misc: str, heads: tuple[int, ...] = (0, 1)) -> None:
        rows = [row.format(n=i + 1, word="w", head=heads[i], misc=one) for i, one in enumerate(misc)]
        Path(name).write_text(head + "".join(rows) + "\n")

    written("open.conllu", "Entity=(1", "_")
    written("closed.conllu", "_", "Entity=1)")
    written("cycle.conllu", "_", "_", heads=(2, 1))
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


WRONG = [
    (["train", "open.conllu"], "the bracket (1 is never closed"),
    (["train", "closed.conllu"], "closes what was never opened"),
    (["train", "cycle.conllu"], "go in a circle"),
    (["train", "empty.conllu"], "empty.conllu is empty"),
    (["train", "nothing.conllu"], "the format of nothing.conllu cannot be seen"),
    (["train", "missing.conllu"], "missing.conllu"),
    (["train", "parsed.conllu"], "does not say which entities its mentions name"),
    (["train", "parsed.conllu", "--mentions", "gold"], "has no mentions annotated"),
    (["train", "bare.txt"], "has no dependencies (heads and relations); parse the document first"),
    (["train", "gold.conllu", "--l1", "-1"], "l1 must be"),
    (["train", "gold.conllu", "--dev", "parsed.conllu"], "does not say which entities"),
    (["predict", "empty.conll"], "document d has no sentences"),
    (["predict", "bare.txt"], "parse the document first"),
    (["predict", "parsed.conllu", "--mentions", "gold"], "has no mentions annotated"),
    (["predict", "gold.conllu", "--model", "model.txt"], "model.txt is not a model"),
    (["predict", "gold.conllu", "--model", "no.npz"], "no file no.npz. Did you mean model.npz?"),
    (["posterior", "gold.conllu", "--threshold", "2"], "--threshold must lie in [0, 1]"),
    (["posterior", "gold.conllu", "--document", "x"], "there is no document 'x'; there are story, talk"),
    (["posterior", "gold.conllu", "--figure", "new.svg"], "choose one by --document"),
    (["posterior", "gold.conllu", "--figure", "new.bmp"], "--figure writes .svg, .png, .pdf"),
    (["posterior", "gold.conllu", "--figure", "new.html"], "The text with its entities in colour: --text FILE.html"),
    (["posterior", "gold.conllu", "--text", "new.txt"], "--text writes .html, .htm"),
    (["score", "gold.conllu", "parsed.conllu"], "document story of parsed.conllu has no mentions annotated"),
    (["score", "gold.conllu", "first.conllu"], "first.conllu lacks talk"),
    (["score", "first.conllu", "gold.conllu"], "first.conllu lacks talk"),
    (["score", "same.conllu", "gold.conllu"], "two documents story"),
    (["score", "gold.conllu", "short.conllu"], "document story has 21 words in gold.conllu and 16 in short.conllu"),
]


@pytest.mark.parametrize(("arguments", "complaint"), WRONG, ids=lambda x: " ".join(x) if isinstance(x, list) else "")
def test_what_is_wrong_is_said_in_one_sentence(folder: Path, arguments: list[str], complaint: str) -> None:
    damaged()
    before = sorted(os.listdir())
    suffix = {"train": "npz", "predict": "conllu", "posterior": "json"}.get(arguments[0])
    done = run("coreference", *arguments, *(["--output", f"new.{suffix}"] if suffix else []))
    assert done.code == 2
    assert complaint in done.err
    assert done.err.startswith("howsure: ")
    assert done.err.count("\n") == 1
    assert sorted(os.listdir()) == before, "something was left behind"


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "missing", "--output", "no/model.npz"],
        ["predict", "missing", "--output", "found.docx"],
        ["posterior", "missing", "--output", "p.xlsx"],
        ["posterior", "missing", "--text", "p.html", "--figure", "no/p.png"],
    ],
)
def test_where_nothing_can_be_written_is_said_before_the_work(folder: Path, arguments: list[str]) -> None:
    done = run("coreference", *arguments)
    assert done.code == 2
    assert "missing" not in done.err


def test_a_document_without_mentions_has_no_entities(folder: Path) -> None:
    write_conllu([replace(DOCUMENTS[0], mentions=())], "none.conllu")
    printed("coreference", "predict", "none.conllu", "--model", "model.npz", "--output", "found.conllu")
    assert read_documents("found.conllu")[0].mentions == ()
    said = printed("coreference", "posterior", "none.conllu", "--model", "model.npz", "--output", "p.json", "--text",
                   "p.html")  # fmt: skip
    assert "every mention is an entity of its own" in said
    assert json.loads(Path("p.json").read_text())["documents"][0]["pairs"] == []


def test_scores_are_those_of_hand(folder: Path) -> None:
    """Two links of four found, none wrong: MUC 2/2 and 2/4."""
    document = DOCUMENTS[0]
    spans = list(document.mentions or ())
    gold = [replace(one, entity=str(1 + i % 2)) for i, one in enumerate(spans[:6])]
    found = [replace(one, entity=str(1 + i % 2) if i < 4 else f"x{i}") for i, one in enumerate(spans[:6])]
    for name, mentions in (("a.conllu", gold), ("b.conllu", found)):
        write_conllu([replace(document, mentions=tuple(mentions))], name)
    said = json.loads(printed("coreference", "score", "a.conllu", "b.conllu", "--format", "json"))
    assert said["muc"] == pytest.approx({"precision": 1.0, "recall": 0.5, "f1": 2 / 3})
    assert said["muc"]["f1"] == score_clusters([[0, 2, 4], [1, 3, 5]], [[0, 2], [1, 3], [4], [5]]).muc.f1


@pytest.mark.long
def test_ctrl_c_keeps_the_best_weights_so_far(folder: Path) -> None:
    arguments = "coreference train gold.conllu --mentions gold --passes 1000000 --output new.npz"
    done = pressed(*arguments.split(), function="train", moment='lambda held: len(held.get("history", ())) >= 1')
    assert done.returncode == 0, done.stderr
    assert "the best weights so far are kept" in done.stderr
    assert isinstance(AntecedentModel.load("new.npz").posterior(DOCUMENTS[0]), CorefPosterior)


def numbers(text: str) -> Iterator[float]:
    for part in text.split():
        try:
            yield float(part)
        except ValueError:
            continue


def test_the_number_of_entities_is_shown_with_its_interval(folder: Path, model: AntecedentModel) -> None:
    said = printed("coreference", "posterior", "gold.conllu", "--model", "model.npz")
    line = next(line for line in said.splitlines() if line.startswith("story"))
    number = model.posterior(DOCUMENTS[0]).number_of_entities()
    mean, low, high = list(numbers(line))[2:5]
    assert (low, high) == number.interval()
    assert mean == pytest.approx(number.mean, abs=0.051)


def test_summaries_of_commands_are_whole() -> None:
    assert "..." not in printed("coreference", "--help").split("Commands:")[1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "gold.conllu", "--output", "gold.conllu"],
        ["predict", "gold.conllu", "--output", "./gold.conllu"],
        ["predict", "gold.conllu", "--model", "model.npz", "--output", "model.npz", "--output-format", "conllu"],
        ["score", "gold.conllu", "gold.conllu", "--output", "gold.conllu"],
    ],
)
def test_what_is_read_is_not_written_over(folder: Path, arguments: list[str]) -> None:
    before = Path("gold.conllu").read_bytes(), Path("model.npz").read_bytes()
    done = run("coreference", *arguments)
    assert done.code == 2
    assert "is an input of this command and would be overwritten; name another file" in done.err
    assert (Path("gold.conllu").read_bytes(), Path("model.npz").read_bytes()) == before


def test_gold_mentions_that_are_not_there_are_an_option(folder: Path) -> None:
    done = run("coreference", "posterior", "parsed.conllu", "--mentions", "gold")
    assert "document story has no mentions annotated; --mentions detected finds them in its parse" in done.err


def test_documents_of_other_words_are_not_compared(folder: Path) -> None:
    words = Path("gold.conllu").read_text(encoding="utf-8")
    Path("other.conllu").write_text(words.replace("doctor", "nurse"), encoding="utf-8")
    done = run("coreference", "score", "gold.conllu", "other.conllu")
    assert done.code == 2
    assert (
        "document story has other words in gold.conllu than in other.conllu, 3 of 21; the first is word 5," in done.err
    )
    Path("escaped.conllu").write_text(words.replace("met", "MET"), encoding="utf-8")
    assert "CoNLL           –       –  100.00" in printed("coreference", "score", "gold.conllu", "escaped.conllu")


def test_a_figure_needs_a_pair_and_leaves_nothing_without(folder: Path) -> None:
    one = replace(DOCUMENTS[0], mentions=(DOCUMENTS[0].mentions or ())[:1])
    write_conllu([one], "one.conllu")
    done = run(
        "coreference", "posterior", "one.conllu", "--mentions", "gold", "--output", "p.json", "--figure", "p.svg"
    )
    assert (done.code, "has one mention; a figure draws pairs" in done.err) == (2, True)
    assert not Path("p.json").exists()
    said = printed("coreference", "predict", "one.conllu", "--mentions", "gold", "--output", "found.conllu")
    assert said == "found.conllu: 1 document, 1 mention of 1 entity\n"
