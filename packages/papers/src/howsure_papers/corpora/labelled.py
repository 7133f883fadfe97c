"""Labelled data: sentiment of tweets, police acts in articles, and graded answers of language models."""

from __future__ import annotations

import csv
import gzip
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter

import numpy as np

from howsure.errors import MissingExtraError
from howsure.inputs.pairs import Floats, Labels
from howsure.inputs.periods import find_period
from howsure_cli.datasets import data_set_path, find_data_set, read_labelled_texts
from howsure_papers.corpora.news import packed_rows
from howsure_papers.corpora.tagged import PARTS

SENTIMENT, POLICE_NEWS, GRADED = "sentiment140", "india_police_events", "llm_mcq_confidence"
QUESTION_SETS = ("arc", "hellaswag", "mmlu", "truthfulqa", "winogrande")
PROMPT = "first"  # which of two phrasings of a question is used


def tweet_words(texts: Iterable[str]) -> list[list[str]]:
    """The words of tweets in lower case, by nltk's TweetTokenizer, which keeps emoticons and hash tags whole.

    >>> tweet_words(["So happy today :D #sunny"])
    [['so', 'happy', 'today', ':D', '#sunny']]
    """
    try:
        from nltk.tokenize import TweetTokenizer
    except ImportError:
        raise MissingExtraError("The tokenizer of tweets (nltk)", "classifiers") from None
    tokenize = TweetTokenizer(preserve_case=False).tokenize
    return [[sys.intern(word) for word in tokenize(text)] for text in texts]  # frequent words are stored once


@dataclass(frozen=True, slots=True)
class Tweets:
    """The texts, words and labels (n,) of a split. repeated: the number of tweets omitted, as in earlier splits."""

    texts: Sequence[str]
    words: Sequence[Sequence[str]]
    labels: Labels
    repeated: int


def read_tweets(data: str | None, limit: int | None) -> list[Tweets]:
    """The splits of `sentiment140` (the first `limit` tweets of each), without tweets of an earlier split.

    A tweet is a repetition if it has the same words in lower case, in the same order.
    """
    folder = find_data_set(SENTIMENT, data=data)
    seen_texts: set[tuple[str, ...]] = set()
    parts = []
    for split in PARTS:
        texts, labels = read_labelled_texts(folder / f"{split}.jsonl.gz", limit=limit)
        words = tweet_words(texts)
        new = [i for i, tweet in enumerate(words) if tuple(tweet) not in seen_texts]
        seen_texts.update(map(tuple, words))
        y = np.array(labels, dtype=np.uint8)
        parts.append(Tweets([texts[i] for i in new], [words[i] for i in new], y[new], len(words) - len(new)))
    return parts


@dataclass(frozen=True, slots=True)
class PoliceNews:
    """Articles in their order: identifiers, days, texts, and the labels of each question (N,)."""

    ids: tuple[str, ...]
    dates: tuple[str, ...]
    texts: tuple[str, ...]
    labels: dict[str, Floats]

    def cells(self, by: str) -> np.ndarray[tuple[int], np.dtype[np.str_]]:
        """The period of each article: its week or its day."""
        return np.array(self.dates if by == "day" else [find_period(date, period=by) for date in self.dates])


def read_police_news(data: str | None, questions: Sequence[str], *, limit: int | None = None) -> PoliceNews:
    """The articles of `india_police_events`, with their labels for some questions."""
    rows = list(islice(packed_rows(data, POLICE_NEWS), limit))
    return PoliceNews(
        tuple(str(row["id"]) for row in rows),
        tuple(row["date"] for row in rows),
        tuple(row["text"] for row in rows),
        {name: np.array([float(row["labels"][name]) for row in rows]) for name in questions},
    )


@dataclass(frozen=True, slots=True)
class Graded:
    """A model's answers to the questions of a data set: its confidence in each (N,) and whether it is right (N,)."""

    model: str
    questions: str
    confidence: Floats
    correct: Floats


def read_graded(data: str | None, *, limit: int | None = None) -> Iterator[Graded]:
    """Return the answers of every model on every data set, with the first phrasing; an unparsable answer is wrong."""
    for name in QUESTION_SETS:
        rows: dict[str, list[tuple[float, float]]] = {}
        with gzip.open(data_set_path(GRADED, f"{name}.tsv.gz", data=data), "rt", encoding="utf-8", newline="") as lines:
            table = csv.reader(lines, delimiter="\t")
            columns = itemgetter(*map(next(table).index, ("model", "prompt", "confidence", "grade")))
            for model, prompt, confidence, grade in map(columns, table):
                answers = rows.setdefault(model, [])
                if prompt == PROMPT and (limit is None or len(answers) < limit):
                    answers.append((float(confidence), float(grade == "correct")))
        for model, pairs in rows.items():
            array = np.array(pairs)
            yield Graded(model, name, array[:, 0], array[:, 1])
