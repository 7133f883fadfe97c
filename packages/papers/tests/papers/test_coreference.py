"""The coreference experiment on a slice of the corpora: its sums, its parser, its findings."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.coreference.parsed import dialogue, story
from tests.papers.whole import check_whole, rows_of

from howsure import calibration_error
from howsure.data import Document, Mention, Sentence, write_conllu
from howsure.errors import InputError
from howsure.stats.proportions import normal_quantile
from howsure_papers.coreference import reproduce_coreference
from howsure_papers.corpora.coreference import GUM, LITBANK, ONTOGUM, default_parser, parse, read_corpus
from howsure_papers.judged_coreference import (
    Judged,
    brier_skill,
    conll_f1,
    gold_clusters,
    judge,
    nats_per_mention,
    over_documents,
    overconfidence,
    overconfidence_far,
    overconfidence_near,
)
from howsure_papers.reproduction import Reproduction
from howsure_text.coreference import AntecedentModel, score_documents


@pytest.fixture(scope="module", params=[pytest.param(True, marks=pytest.mark.slow, id="with a parser"), False])
def coreference(
    request: pytest.FixtureRequest, real_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Reproduction:
    """The first documents of OntoGUM and GUM, and with a parser also of LitBank."""
    steps: list[int] = []
    data = real_data
    if not request.param:
        data = tmp_path_factory.mktemp("data")
        for name in ("gum", "litbank_coref"):
            (data / name).symlink_to(real_data / name)
    result = reproduce_coreference(data=str(data), limit=2 if request.param else 1, advance=steps.append)
    assert sum(steps) == reproduce_coreference.steps()
    return result


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    """Three small documents."""
    return [replace(story(), name="one"), replace(dialogue(), name="two"), replace(story(), name="three")]


@pytest.fixture(scope="module")
def judged(documents: list[Document]) -> Judged:
    model = AntecedentModel(passes=2, rng=0).fit(documents[:1])
    return judge([model.posterior(document) for document in documents], documents, seed=0)


def test_the_sums_give_what_the_public_calls_give(judged: Judged, documents: list[Document]) -> None:
    model = AntecedentModel(passes=2, rng=0).fit(documents[:1])
    posteriors = [model.posterior(document) for document in documents]
    gold = [gold_clusters(document) for document in documents]
    scores = score_documents(
        gold, [of_document.best_antecedent_clusters() for of_document in posteriors], singletons=False
    )
    assert over_documents(conll_f1, judged).value == pytest.approx(100 * scores.conll_f1)
    nats = [of_document.log_prob(clusters) for of_document, clusters in zip(posteriors, gold, strict=True)]
    assert over_documents(nats_per_mention, judged).value == pytest.approx(sum(nats) / sum(map(len, posteriors)))
    q, y = judged.pairs.probabilities, judged.pairs.labels
    skill = 1 - ((q - y) ** 2).mean() / y.mean() / (1 - y.mean())
    assert over_documents(brier_skill, judged).value == pytest.approx(skill)
    assert over_documents(overconfidence, judged).value == pytest.approx((q - y)[q > 0.5].mean())
    apart = np.concatenate(
        [[j - i for j in range(len(probabilities)) for i in range(j)] for probabilities in posteriors]
    )
    near, far = ((q > 0.15) & (q < 0.85) & chosen for chosen in (apart < 20, apart >= 60))
    assert over_documents(overconfidence_near, judged).value == pytest.approx((q - y)[near].mean())
    assert not far.any()
    assert math.isnan(over_documents(overconfidence_far, judged).value)
    assert math.isfinite(over_documents(overconfidence_far, replace(judged, apart=judged.apart + 60)).value)
    assert judged.curve.error == calibration_error(y, q, clusters=judged.pairs.clusters)
    assert judged.entities[:, 0].tolist() == [len(clusters) for clusters in gold]
    begins = [
        int(any(members[0] == mention for members in clusters))
        for clusters, posterior in zip(gold, posteriors, strict=True)
        for mention in posterior.mentions
    ]
    assert judged.new.labels.tolist() == begins
    expected = calibration_error(begins, judged.new.probabilities, clusters=judged.new.clusters)
    assert judged.error_of_new == expected


def test_the_interval_is_the_jackknife_s(judged: Judged) -> None:
    """For a mean of values of documents the jackknife's standard error is s / √n."""
    values = np.array([1.0, 4.0, 2.0])
    of_one = replace(judged, nats=values, mentions=np.ones(3, dtype=np.int64))
    interval = over_documents(nats_per_mention, of_one)
    reach = normal_quantile(0.95) * values.std(ddof=1) / math.sqrt(3)
    assert (interval.low, interval.high) == pytest.approx((values.mean() - reach, values.mean() + reach))
    other = replace(of_one, nats=values + 1)
    difference = over_documents(nats_per_mention, other, of_one)
    assert (difference.value, difference.low, difference.high) == pytest.approx((1.0, 1.0, 1.0))


def test_samples_are_near_the_exact_probabilities(judged: Judged) -> None:
    exact = judged.pairs.probabilities
    z = (judged.sampled - exact) / np.sqrt(exact * (1 - exact) / 1_000)
    assert np.abs(z).max() < 5


def test_a_span_annotated_twice_counts_once(tmp_path: Path) -> None:
    mentions = (Mention(0, 0, 1, "1"), Mention(0, 0, 1, "2"), Mention(0, 1, 2, "1"))
    (tmp_path / "gum").mkdir()
    for part in ("train", "dev", "test"):
        path = tmp_path / "gum" / f"ontogum_{part}.conllu.gz"
        write_conllu([Document(part, (Sentence(("she", "her")),), mentions)], path)
    corpus = read_corpus(ONTOGUM, str(tmp_path), limit=None, parser=None)
    assert corpus.left_out == 3
    assert [(mention.start, mention.entity) for mention in corpus.test[0].mentions or ()] == [(0, "1"), (1, "1")]
    assert corpus.parsed is None
    assert default_parser(str(tmp_path)) is None


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A spaCy pipeline that has seen three words."""
    import spacy
    from spacy.training import Example

    language: Any = spacy.blank("en")
    language.add_pipe("tagger")
    language.add_pipe("parser")
    parse_of_words = {
        "words": ["Ann", "sees", "her"],
        "tags": ["NNP", "VBZ", "PRP"],
        "heads": [1, 1, 1],
        "deps": ["nsubj", "ROOT", "obj"],
    }
    language.initialize(lambda: [Example.from_dict(language.make_doc("Ann sees her"), parse_of_words)])
    folder = tmp_path_factory.mktemp("pipeline")
    language.to_disk(folder)
    return str(folder)


@pytest.mark.long
def test_a_parser_gives_trees_and_leaves_the_words(pipeline: str) -> None:
    words = (("Ann", "met", "a", "doctor", "."), ("She", "left"))
    mentions = (Mention(0, 0, 1, "a"), Mention(1, 0, 1, "a"))
    bare = Document(
        "n", tuple(Sentence(tokens, metadata={"speaker": "x"}) for tokens in words), mentions, {"part": "000"}
    )
    (parsed,) = parse([bare], pipeline)
    assert [sentence.words for sentence in parsed.sentences] == list(words)
    assert [sentence.metadata for sentence in parsed.sentences] == [{"speaker": "x"}] * 2
    assert (parsed.name, parsed.mentions, parsed.metadata) == ("n", mentions, {"part": "000"})
    assert all(len(sentence.heads or ()) == len(sentence.tags or ()) == len(sentence) for sentence in parsed.sentences)
    assert all(-1 <= head < len(sentence) for sentence in parsed.sentences for head in sentence.heads or ())


@pytest.mark.long
def test_the_tables_and_figures(coreference: Reproduction) -> None:
    check_whole(coreference)
    paper, settings, sampling, changes, development = map(rows_of, coreference.tables)
    assert paper[1][1] == "4,300,000"
    rows = [tuple(row[:4]) for row in settings]
    assert rows[:2] == [("OntoGUM", "detected", "gold", loss) for loss in ("likelihood", "margin")]
    assert len(set(rows)) == len(rows)
    assert len(sampling) * 2 == len(rows)
    on_dev = [tuple(row[:4]) for row in development]
    assert on_dev == [row for row in rows if row[2] == "gold"]  # LitBank has no development part
    assert sum(row[0] == "margin instead of likelihood" for row in changes) * 2 == len(rows)
    assert [drawing.name for drawing in coreference.drawings] == ["figure-5", "corpora"]


@pytest.mark.long
def test_the_findings_follow_from_the_intervals(coreference: Reproduction) -> None:
    errors = {tuple(row[:4]): row[9] for row in rows_of(coreference.tables[1])}
    interval = errors["OntoGUM", "detected", "gold", "likelihood"].partition(" ")[2]
    low, high = json.loads(interval or "[-1, 1]")  # one document has none
    first = coreference.findings[0]
    assert first.holds is (True if high < 0.01 else False if low > 0.01 else None)
    assert {finding.setting for finding in coreference.findings[:6]} == {
        "trained by likelihood",
        "trained by softmax-margin",
    }
    recursion, loss = coreference.corrections
    distance = rows_of(coreference.tables[2])[0][4]
    assert "a recursion gives it exactly" in recursion
    assert f"{distance} (root mean square)" in recursion
    assert "softmax-margin" in loss


@pytest.mark.long
def test_without_a_parser_litbank_is_left_out_and_reported(coreference: Reproduction) -> None:
    parsed = not any("naming a spaCy pipeline adds it" in note for note in coreference.notes)
    assert parsed is (coreference.recipe["parser"] != "none")
    corpora, trees = ({row[k] for row in rows_of(coreference.tables[1])} for k in (0, 2))
    assert corpora == ({ONTOGUM, GUM, LITBANK} if parsed else {ONTOGUM, GUM})
    assert (trees == {"gold"}) is not parsed


def test_without_its_data_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="gum was not found"):
        reproduce_coreference(data=str(tmp_path))
