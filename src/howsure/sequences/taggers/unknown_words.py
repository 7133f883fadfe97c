"""Words unknown to a generative model: estimated from rare words of the training text.

Words seen once are the best model of words not seen at all (Good 1953). Rare words are therefore counted twice, as
themselves and as members of classes: their shape with a suffix ("Xx", "ness"). An unseen word is then emitted as its
most specific class with enough rare words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.features.families import shape

EVERY = ""  # the class of all rare words
LONGEST_SUFFIX = 4
ENOUGH = 5  # rare words that a class must hold


def classes_of(word: str) -> list[str]:
    """The classes of a word, the most specific first: its shape with suffixes of 4 to 1 letters, its shape, all.

    >>> classes_of("Happiness")
    ['Xx ness', 'Xx ess', 'Xx ss', 'Xx s', 'Xx', '']
    """
    (kind,) = shape(word)
    end = word[-LONGEST_SUFFIX:].lower()
    return [f"{kind} {end[-n:]}" for n in range(len(end), 0, -1)] + [kind, EVERY]


@dataclass(frozen=True, slots=True)
class UnknownWords:
    """Classes of rare words, and how often each tag had a word of the class: `counts` (classes, tags)."""

    classes: tuple[str, ...]  # the first is that of all rare words
    counts: Floats

    @classmethod
    def learnt_from(cls, words: Sequence[str], codes: Integers, n_labels: int) -> UnknownWords:
        """Count the rarest words: those that occur once, if any do."""
        frequency = Counter(words)
        rarest = min(frequency.values())
        rare = [t for t, word in enumerate(words) if frequency[word] == rarest]
        chains = [classes_of(words[t]) for t in rare]
        sizes = Counter(name for chain in chains for name in set(chain))
        classes = (EVERY, *sorted(name for name, size in sizes.items() if size >= ENOUGH and name != EVERY))
        row = {name: i for i, name in enumerate(classes)}
        counts = np.zeros((len(classes), n_labels))
        for t, chain in zip(rare, chains, strict=True):
            for name in set(chain) & row.keys():
                counts[row[name], codes[t]] += 1
        return cls(classes, counts)

    def emissions(self, pseudocount: float, totals: Floats, n_words: int) -> Floats:
        """P(an unseen word of the class | tag), (classes, tags), for tags of `totals` words out of `n_words` types.

        One more word type, "unseen", has the count n₁(k) of rare words with tag k, and the pseudocount a of every
        type, spread over the classes s as the rare words are, π(s) = n₁(s) / n₁:
        (n₁(k, s) + a π(s)) / (n(k) + n₁(k) + a (V + 1)).
        """
        share = self.counts.sum(axis=1, keepdims=True) / self.counts[0].sum()
        found: Floats = (self.counts + pseudocount * share) / (totals + self.counts[0] + pseudocount * (n_words + 1))
        return found
