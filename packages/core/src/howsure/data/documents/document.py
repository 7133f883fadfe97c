"""Documents as data: sentences of words with annotations, documents of sentences, and mentions of entities."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

Strings = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of a sentence, and layers of the same length with their annotations; a missing layer is None.

    tags: language-specific (Penn Treebank) tags. universal_tags: tags of Universal Dependencies. features:
    morphological features as written (`Number=Sing|Person=3`). heads: the index of each word's governor, from 0; -1 for
    the root. relations: dependency labels.
    """

    words: Strings
    lemmas: Strings | None = None
    tags: Strings | None = None
    universal_tags: Strings | None = None
    features: Strings | None = None
    heads: tuple[int, ...] | None = None
    relations: Strings | None = None
    spaces: tuple[bool, ...] | None = None  # whether a space follows the word
    metadata: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, slots=True, order=True)
class Mention:
    """A span of one sentence that names an entity: words `start` to `end` - 1.

    `entity` and `type` (person, place, …) are None if unknown; comparisons of mentions ignore both.
    """

    sentence: int
    start: int
    end: int
    entity: Hashable = field(default=None, compare=False)
    type: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its sentences, and the annotated mentions in text order (None if mentions were not annotated)."""

    name: str
    sentences: tuple[Sentence, ...]
    mentions: tuple[Mention, ...] | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)

    def words_of(self, mention: Mention) -> Strings:
        """Return the words of a mention."""
        return self.sentences[mention.sentence].words[mention.start : mention.end]


def named_part(document: Document) -> str:
    """Return the name of a document, with its part unless it is the first part."""
    part = document.metadata.get("part", "")
    return document.name if part.strip("0") == "" else f"{document.name}, part {part}"


def is_tree(heads: Sequence[int]) -> bool:
    """Whether the heads contain no cycle; `heads` are indices of governors, -1 for the root.

    Every word moves to its head, and at every further step twice as far. After log2(words) steps, all must be at the
    root.

    >>> is_tree((1, -1)), is_tree((1, 0))
    (True, False)
    """
    above = (*heads, -1)  # the root is last, at index -1, and is its own head
    for _ in range(len(heads).bit_length()):
        if max(above) < 0:
            return True
        above = itemgetter(*above)(above)
    return max(above) < 0
