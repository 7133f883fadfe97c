"""Tagged sentences, in training, development and test parts: newswire, the web and tweets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from howsure.data.documents.columns import read_sentence_index
from howsure.data.documents.document import Strings
from howsure.data.documents.read_documents import first_documents
from howsure.data.documents.tagged_columns import read_tagged
from howsure.inputs.pairs import Integers
from howsure_cli.datasets import find_data_set

ARK = "ark_twitter_pos"
PARTS = ("train", "dev", "test")
OF_TEN = {8: "dev", 9: "test"}  # of ten consecutive articles, these are for development and test, the rest for training


@dataclass(frozen=True, slots=True)
class Tagged:
    """Sentences and the tags of their words."""

    sentences: Sequence[Strings]
    tags: Sequence[Strings]

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def tokens(self) -> int:
        return sum(map(len, self.tags))

    def select(self, rows: Integers) -> Tagged:
        """Some of the sentences, in the order of `rows`."""
        return Tagged([self.sentences[i] for i in rows.tolist()], [self.tags[i] for i in rows.tolist()])


@dataclass(frozen=True, slots=True)
class Corpus:
    """Training, development and test sentences; `key` is the corpus's name in names of figures."""

    key: str
    name: str
    train: Tagged
    dev: Tagged
    test: Tagged

    @property
    def labels(self) -> tuple[str, ...]:
        """All tags of the training sentences, in alphabetical order."""
        return tuple(sorted(set(chain.from_iterable(self.train.tags))))

    def trained_on(self, rows: Integers) -> Corpus:
        return replace(self, train=self.train.select(rows))

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The numbers of sentences of the parts."""
        return len(self.train), len(self.dev), len(self.test)


def read_wsj(data: str | None, limit: int | None = None) -> Corpus:
    """Return the sample of the Wall Street Journal. Of every ten articles, eight are for training, one is for
    development and one for testing.

    limit: use only the first sentences of each part.
    """
    folder = find_data_set("wsj_sample", data=data)
    sentences, tags = read_tagged(folder / "wsj_sample.tsv.gz")
    articles = read_sentence_index(folder / "sentence_index.tsv.gz", sentences)
    number = {article: i for i, article in enumerate(sorted(set(articles)))}
    rows_of_part: dict[str, list[int]] = {part: [] for part in PARTS}
    for i, article in enumerate(articles):
        rows_of_part[OF_TEN.get(number[article] % 10, "train")].append(i)
    parts = (
        Tagged([sentences[i] for i in rows[:limit]], [tags[i] for i in rows[:limit]])
        for rows in (rows_of_part[part] for part in PARTS)
    )
    return Corpus("wsj", "WSJ sample", *parts)


def read_ewt(data: str | None, limit: int | None = None) -> Corpus:
    """The English Web Treebank with its Penn tags (XPOS), as Universal Dependencies split it.

    `limit`: only the first sentences of each part. Raises InputError if the folder `ud_english_ewt` is not found.
    """
    folder = find_data_set("ud_english_ewt", data=data)
    return Corpus("ewt", "EWT", *(_ewt_part(folder / f"en_ewt-ud-{part}.conllu.gz", limit) for part in PARTS))


def read_ark(data: str | None, limit: int | None = None) -> Corpus:
    """The tweets of Gimpel et al. (2011) with their split. limit: only the first tweets of each part."""
    folder = find_data_set(ARK, data=data)
    parts = ((sentence[:limit] for sentence in read_tagged(folder / f"{part}.tsv")) for part in PARTS)
    return Corpus("ark", "ARK tweets", *(Tagged(*part) for part in parts))


def _ewt_part(path: Path, limit: int | None) -> Tagged:
    documents = first_documents(path, limit)  # every article has a sentence
    sentences = [sentence for document in documents for sentence in document.sentences][:limit]
    return Tagged([sentence.words for sentence in sentences], [sentence.tags or () for sentence in sentences])
