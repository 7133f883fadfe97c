"""Real corpora: what their readmes count is what is read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import howsure
from howsure.data import Document, read_documents, read_sentence_index, read_tagged
from howsure_cli.datasets import read_labelled_texts


def counted(documents: list[Document]) -> tuple[int, int, int]:
    """Documents, sentences, words."""
    sentences = [sentence for document in documents for sentence in document.sentences]
    return len(documents), len(sentences), sum(map(len, sentences))


def coreference(documents: list[Document]) -> tuple[int, int, int]:
    """Mentions, entities, entities with two mentions or more."""
    mentions = [document.mentions or () for document in documents]
    sizes = [size for some in mentions for size in Counter(mention.entity for mention in some).values()]
    return sum(map(len, mentions)), len(sizes), sum(size > 1 for size in sizes)


@pytest.mark.long
@pytest.mark.parametrize(
    ("part", "size", "gum", "onto"),
    [
        pytest.param("train", (177, 10_224, 177_410), (49_649, 25_758), (23_320, 5_311), marks=pytest.mark.slow),
        pytest.param("dev", (30, 1_575, 28_119), (7_897, 3_940), (3_818, 857), marks=pytest.mark.long),
        ("test", (30, 1_464, 28_397), (7_927, 4_319), (3_581, 858)),
    ],
)
def test_gum_and_ontogum(real_data: Path, part: str, size: tuple, gum: tuple, onto: tuple) -> None:
    for name, expected in (("gum", gum), ("ontogum", onto)):
        trees = read_documents(real_data / "gum" / f"{name}_{part}.conllu.gz")
        columns = read_documents(real_data / "gum" / f"{name}_{part}.conll.gz")
        assert counted(trees) == size
        assert counted(columns) == (size[0], size[0], size[2])
        assert coreference(trees)[:2] == expected
        mentions, entities, _ = coreference(columns)
        # GUM's columns have one entity less in one document (GUM_news_questionnaire) than its trees.
        assert (mentions, entities + ((name, part) == ("gum", "train"))) == expected


@pytest.mark.parametrize(
    ("part", "size"),
    [
        pytest.param("train", (540, 12_544, 204_577, 49), marks=pytest.mark.long),
        ("dev", (318, 2_001, 25_147, 49)),
        ("test", (316, 2_077, 25_094, 48)),
    ],
)
def test_ewt(real_data: Path, part: str, size: tuple) -> None:
    documents = read_documents(real_data / "ud_english_ewt" / f"en_ewt-ud-{part}.conllu.gz")
    tags = {tag for document in documents for sentence in document.sentences for tag in sentence.tags or ()}
    assert (*counted(documents), len(tags)) == size
    assert all(document.mentions is None for document in documents)


def test_spaces_give_the_text_back(real_data: Path) -> None:
    documents = read_documents(real_data / "ud_english_ewt" / "en_ewt-ud-dev.conllu.gz")
    wrong = 0
    for document in documents:
        for sentence in document.sentences:
            spaces = sentence.spaces or ()
            text = "".join(word + " " * space for word, space in zip(sentence.words, spaces, strict=True)).strip()
            wrong += text != sentence.metadata["text"]
    assert wrong == 0


@pytest.mark.long
def test_litbank(real_data: Path) -> None:
    for part, size, expected in (
        ("train", (80, 6_755, 169_456), (23_218, 6_344, 1_709)),
        ("dev", (10, 927, 20_438), (3_053, 776, 213)),
    ):
        documents = read_documents(real_data / "litbank_coref" / f"litbank_{part}.conll.gz")
        assert (counted(documents), coreference(documents)) == (size, expected)


def test_tweets_with_tags(real_data: Path) -> None:
    for part, expected in (("train", (1_000, 14_619, 25)), ("dev", (327, 4_823, 23)), ("test", (500, 7_152, 23))):
        sentences, tags = read_tagged(real_data / "ark_twitter_pos" / f"{part}.tsv")
        assert (len(sentences), sum(map(len, sentences)), len({tag for some in tags for tag in some})) == expected


def test_newswire_by_article(real_data: Path) -> None:
    sentences, tags = read_tagged(real_data / "wsj_sample" / "wsj_sample.tsv.gz")
    articles = read_sentence_index(real_data / "wsj_sample" / "sentence_index.tsv.gz", sentences)
    assert (len(sentences), sum(map(len, sentences)), len({tag for some in tags for tag in some})) == (
        3_914,
        94_084,
        45,
    )
    assert (len(articles), len(set(articles)), articles[0], articles[-1]) == (3_914, 199, "wsj_0001", "wsj_0199")


@pytest.mark.long
def test_sentiment_tweets(real_data: Path) -> None:
    texts, labels = read_labelled_texts(real_data / "sentiment140" / "dev.jsonl.gz")
    assert (len(texts), sum(labels), sum(len(text.split()) for text in texts)) == (200_000, 100_276, 2_634_121)


# Real files of predictions: what their readmes count is what is read.


@pytest.mark.long
def test_answers_of_language_models_with_unparseable_ones_skipped(real_data: Path) -> None:
    with howsure.read(
        real_data / "llm_mcq_confidence" / "mmlu.tsv.gz", missing_values=["unparseable"], skip_missing=True
    ).predictions("grade", "confidence", pos_label="correct", groups="model", clusters="question") as predictions:
        assert (predictions.n, predictions.skipped) == (168_000 - 423, {"grade": 423})
        assert len(predictions.group_names) == 14
        assert predictions.pairs().labels.sum() == 93_585


def test_lists_of_probabilities_of_three_runs(real_data: Path) -> None:
    files = real_data / "nli_model_predictions" / "MNLI_dev_roberta-base_*.jsonl.gz"
    with howsure.read(files).predictions(
        "true", howsure.Probabilities("probs_column", "probs", reduce="top-label")
    ) as predictions:
        assert predictions.n == 3 * 4_772
        accuracy = [part.mean().round(3) for part in predictions.pairs().labels.reshape(3, -1)]
    assert accuracy == [0.797, 0.792, 0.794]
