"""Hidden Markov models of tags and words, estimated from counts plus Dirichlet pseudocounts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from howsure.errors import InputError
from howsure.inputs.numbers_and_names import check_number, shortened, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure_text.sequences.features import Scores, shape
from howsure_text.sequences.sentences import check_sentences, check_tags, check_training, encode_tags, sentence_lengths
from howsure_text.sequences.tag_posterior import TagPosterior
from howsure_text.sequences.tagger import Arrays, Tagger, sentence_digests
from howsure_text.sequences.temperatures import Unseen

POLICIES = ("shape", "uniform", "pseudocount", "error")


class HMMTagger(Tagger):
    """A first-order hidden Markov model: P(tags, words) = P(y₁ | start) Π P(x_t | y_t) P(y_{t+1} | y_t) · P(end | y_T).

    Every probability is (count + a) / (total + a · outcomes), the mode of a Dirichlet posterior. The pseudocount a is
    `pseudocount_transition` for the tags (and the end) that follow a tag or the start, and `pseudocount_emission` for
    the words of a tag. With a = 0, the probabilities are maximum likelihood estimates, except that "shape" and
    "uniform" reserve some probability for unknown words. With a = 0, a sentence may have no possible tag sequence.

    `unknown` determines how words that did not occur in training are handled:

    - "shape": like words of similar shape that occurred once in training; these words are counted a second time as
      unknown words, for every pseudocount (see `UnknownWords` in `howsure_text.sequences.hmm`);
    - "uniform": each tag emits an unknown word with probability 1 / (n + 1), where n is the number of training words,
      so that only the surrounding tags matter;
    - "pseudocount": an unknown word is one more word with count 0, a / (total + a · (words + 1)): rare tags are likely;
    - "error": unknown words are refused.

    After `fit`: `labels_`, the tags; `words_`, the known words; `transitions_` (K, K), `start_`, `end_` (K,) and
    `emissions_` (words, then classes of unknown words; K), all as log-probabilities.

    >>> sentences = [["dogs", "bark"], ["cats", "bark"], ["cats", "sleep"]]
    >>> tagger = HMMTagger(pseudocount_emission=0.1).fit(sentences, [["N", "V"]] * 3)
    >>> tagger.predict([["cats", "meow"]])
    [['N', 'V']]

    Source: Nguyen & O'Connor 2015, section 4.2; estimating unseen words from rare ones after Good 1953 and Brants 2000.
    """

    kind: ClassVar[str] = "hmm"

    def __init__(
        self, *, pseudocount_transition: float = 1.0, pseudocount_emission: float = 1.0, unknown: str = "shape"
    ) -> None:
        self.pseudocount_transition = pseudocount_transition
        self.pseudocount_emission = pseudocount_emission
        self.unknown = unknown

    def fit(self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> Self:
        """Estimate the probabilities from counts of consecutive tags and of words with tags.

        Raises InputError for pseudocounts below 0, an unknown policy, no sentences, an empty sentence, or tags whose
        number differs from that of the words.
        """
        transition = check_number(self.pseudocount_transition, name="pseudocount_transition", low=0)
        emission = check_number(self.pseudocount_emission, name="pseudocount_emission", low=0)
        if self.unknown not in POLICIES:
            raise unknown_name("policy for unknown words", str(self.unknown), POLICIES, place="HMMTagger")
        texts = check_sentences(sentences)
        check_training(texts)
        labels, codes = encode_tags(check_tags(tags, texts))
        self._fit_transitions(codes, sentence_lengths(texts), len(labels), transition)
        self._fit_emissions([word for words in texts for word in words], codes, len(labels), emission)
        self.labels_, self.temperatures_, self.training_ = labels, None, sentence_digests(texts)
        return self

    def untempered(self, sentences: Sequence[Sequence[str]]) -> TagPosterior:
        """Return P(tags | words) for each sentence without temperatures.

        Raises InputError for words that are not strings and, under the policy "error", for an unknown word.
        """
        self._check_fitted()
        texts = check_sentences(sentences)
        emissions = Scores([self.emissions_], [self._rows(texts)], sentence_lengths(texts))
        return TagPosterior(emissions, self.transitions_, self.start_, self.end_, labels=self.labels_)

    def unseen(self, sentences: Sequence[Sequence[str]]) -> Unseen:
        """Return for each sentence which of its words did not occur in training, (T,)."""
        vocabulary = set(self.words_)
        return [
            np.array([word not in vocabulary for word in words], dtype=bool) for words in check_sentences(sentences)
        ]

    def _fit_transitions(self, codes: Integers, lengths: Integers, k: int, pseudocount: float) -> None:
        """Set the log probabilities of transitions, starts and ends from counts of pairs (tag, next tag).

        The number k means the sentence start as the first of a pair, and the sentence end as the second.
        """
        ends = np.cumsum(lengths)
        following = np.append(codes[1:], k)
        following[ends - 1] = k
        first = codes[ends - lengths]
        counts = np.zeros((k + 1, k + 1))
        np.add.at(counts, (codes, following), 1)
        np.add.at(counts, (k, first), 1)
        inside = _log_share(counts[:k], pseudocount)
        self.transitions_, self.end_ = inside[:, :k], inside[:, k]
        self.start_ = _log_share(counts[k:, :k], pseudocount)[0]

    def _fit_emissions(self, words: list[str], codes: Integers, k: int, pseudocount: float) -> None:
        number: dict[str, int] = {}
        rows = np.array([number.setdefault(word, len(number)) for word in words])
        counts = np.zeros((len(number), k))
        np.add.at(counts, (rows, codes), 1)
        totals, size = counts.sum(axis=0), len(number)
        if self.unknown == "shape":
            unseen = UnknownWords.learnt_from(words, codes, k)
            of_known = (counts + pseudocount) / (totals + unseen.counts[0] + pseudocount * (size + 1))
            table, self.classes_ = unseen.emissions(pseudocount, totals, size), unseen.classes
        else:
            mass = np.zeros(k)
            if self.unknown == "uniform":
                mass += 1 / (len(words) + 1)
            elif self.unknown == "pseudocount":
                mass = pseudocount / (totals + pseudocount * (size + 1))
            of_known = (1 - mass) * (counts + pseudocount) / (totals + pseudocount * size)
            table, self.classes_ = mass[None], (ALL_WORDS,)
        self.words_ = tuple(number)
        self.emissions_ = _log(np.concatenate([of_known, table]))

    def _rows(self, texts: Sequence[Sequence[str]]) -> Integers:
        """Return the row of `emissions_` of every word."""
        row = {word: i for i, word in enumerate(self.words_)}
        rows = [row.get(word, -1) for words in texts for word in words]
        unseen = [(t, word) for t, word in enumerate(word for words in texts for word in words) if rows[t] < 0]
        if unseen and self.unknown == "error":
            names = shortened(repr(word) for word in dict.fromkeys(word for _, word in unseen))
            raise InputError(
                f"sentences contain words that did not occur in training: {names}. To allow them, train the tagger "
                "with `unknown='shape'`."
            )
        classes = {name: len(self.words_) + i for i, name in enumerate(self.classes_)}
        for t, word in unseen:
            rows[t] = next(classes[name] for name in word_classes(word) if name in classes)
        return np.array(rows, dtype=np.int64)

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the learned state: values for JSON, and arrays."""
        self._check_fitted()
        arrays = {name: getattr(self, f"{name}_") for name in ("transitions", "start", "end", "emissions")}
        return {"labels": self.labels_, "words": self.words_, "classes": self.classes_}, arrays

    def restore(self, content: dict[str, Any], arrays: Arrays) -> Self:
        """Restore the result of `state`; raise ValueError if the sizes are inconsistent."""
        labels, words, classes = (tuple(content[name]) for name in ("labels", "words", "classes"))
        if not all(isinstance(name, str) for name in (*words, *classes)):
            raise ValueError("words and classes must be strings")
        if ALL_WORDS not in classes:
            raise ValueError(f"its classes of unseen words must contain {ALL_WORDS!r}, the class of every word")
        k = len(labels)
        shapes = {"transitions": (k, k), "start": (k,), "end": (k,), "emissions": (len(words) + len(classes), k)}
        for name, size in shapes.items():
            if arrays[name].shape != size or np.isnan(arrays[name]).any():
                raise ValueError(f"{name} must be numbers of shape {size}")
            setattr(self, f"{name}_", arrays[name])
        self.labels_, self.words_, self.classes_ = labels, words, classes
        return self


def _log(values: Floats) -> Floats:
    with np.errstate(divide="ignore"):  # the logarithm of a probability of 0 is -inf
        logs: Floats = np.log(values)
    return logs


def _log_share(counts: Floats, pseudocount: float) -> Floats:
    return _log((counts + pseudocount) / (counts.sum(axis=1, keepdims=True) + pseudocount * counts.shape[1]))


# Probabilities of unknown words, estimated from rare words of the training text.
# Words seen once are the best model of words not seen at all (Good 1953). Rare words are therefore counted twice: as
# themselves, and as members of classes, which are shapes with suffixes ("Xx ness"). An unseen word has the emission
# probability of its most specific class that has enough rare words.

ALL_WORDS = ""  # the class of all rare words
MAX_SUFFIX_LENGTH = 4
MIN_CLASS_WORDS = 5  # number of rare words that a class needs


def word_classes(word: str) -> list[str]:
    """Return the classes of a word, most specific first: shape with suffixes of 4 to 1 letters, shape, all words.

    >>> word_classes("Happiness")
    ['Xx ness', 'Xx ess', 'Xx ss', 'Xx s', 'Xx', '']
    """
    (kind,) = shape(word)
    end = word[-MAX_SUFFIX_LENGTH:].lower()
    return [f"{kind} {end[-n:]}" for n in range(len(end), 0, -1)] + [kind, ALL_WORDS]


@dataclass(frozen=True, slots=True)
class UnknownWords:
    """Classes of rare words, and `counts` (classes, tags), the number of rare words of each class with each tag."""

    classes: tuple[str, ...]  # the first is the class of all rare words
    counts: Floats

    @classmethod
    def learnt_from(cls, words: Sequence[str], codes: Integers, n_labels: int) -> UnknownWords:
        """Count the rarest words by class and tag; they are the words that occur once, if there are any."""
        frequency = Counter(words)
        rarest = min(frequency.values())
        rare = [t for t, word in enumerate(words) if frequency[word] == rarest]
        classes_of_rare = [word_classes(words[t]) for t in rare]
        sizes = Counter(name for word_classes_ in classes_of_rare for name in set(word_classes_))
        classes = (
            ALL_WORDS,
            *sorted(name for name, size in sizes.items() if size >= MIN_CLASS_WORDS and name != ALL_WORDS),
        )
        row = {name: i for i, name in enumerate(classes)}
        counts = np.zeros((len(classes), n_labels))
        for t, word_classes_ in zip(rare, classes_of_rare, strict=True):
            for name in set(word_classes_) & row.keys():
                counts[row[name], codes[t]] += 1
        return cls(classes, counts)

    def emissions(self, pseudocount: float, totals: Floats, n_words: int) -> Floats:
        """Return P(an unseen word of the class | tag), (classes, tags).

        totals: the number n(k) of words with tag k. n_words: the number V of word types. All unseen words are one more
        word type. Its count is the number n₁(k) of rare words with tag k, and its pseudocount is a, as for the other
        types. Both are divided among the classes s like the rare words, by π(s) = n₁(s) / n₁:
        (n₁(k, s) + a π(s)) / (n(k) + n₁(k) + a (V + 1)).
        """
        share = self.counts.sum(axis=1, keepdims=True) / self.counts[0].sum()
        return np.asarray((self.counts + pseudocount * share) / (totals + self.counts[0] + pseudocount * (n_words + 1)))
