"""The exact posterior over the tag sequences of sentences, under a linear chain."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, generator_from
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike
from howsure_text.notebooks import MAX_SENTENCES, more_html, tags_html
from howsure_text.sequences.messages import (
    Chain,
    Number,
    Workspace,
    below_one,
    compute_expectations,
    forward_messages,
    log_partition,
)
from howsure_text.sequences.paths import (
    MAX_PATHS,
    BestPaths,
    Streams,
    all_pairs_of_sentences,
    best_sentence_paths,
    checked_span,
    entropies_of_sentences,
    number_of_paths,
    pairs_of_sentences,
    sample,
    span_probabilities,
)
from howsure_text.sequences.potentials import (
    Potentials,
    TemperatureInput,
    check_count,
    check_possible,
    temper_potentials,
)
from howsure_text.sequences.sentences import Tag, TagSet, check_lists
from howsure_text.sequences.token_labels import token_potentials

MAX_SAMPLED_TAGS = 1 << 24  # maximum number of sampled tags in memory


class TagPosterior:
    """The distribution over tag sequences y of each sentence: P(y) = exp(score(y)) / Z, where

        score(y) = start(y_1) + Σ_t emissions[t, y_t] + Σ_t transitions[y_t, y_t+1] + end(y_T).

    All results are exact; `sample` returns independent draws from exactly this distribution.

    emissions: an array (T, K) of log-potentials per sentence, in a list or another sequence, whose elements are read
    when needed, some hundreds at a time. transitions: one array (K, K), from tag to next tag; or a list of arrays
    (T - 1, K, K), one per sentence. start, end: (K,), optional. labels: the names of the K tags, optional. Potentials
    are finite or -inf (forbidden); results are computed in float64.

    Results are lists with one element per sentence. They contain tags as integers from 0, which `names` converts to
    labels. Tags in arguments may be integers or labels. A sentence without tokens has one tag sequence, the empty one,
    with log Z and entropy 0 and arrays of length 0.

    >>> posterior = TagPosterior([np.log([[2, 1], [1, 3]])], np.log([[1, 2], [4, 1]]), labels=["N", "V"])
    >>> posterior
    TagPosterior(1 sentence, 2 tokens, 2 tags: N, V)
    >>> posterior.marginals()[0].round(3)
    array([[0.667, 0.333],
           [0.286, 0.714]])
    >>> posterior.names(posterior.viterbi())
    [['N', 'V']]

    Raises InputError for incompatible shapes, NaN and +inf (naming sentence and row, counted from 0), and, when
    queried, for a sentence in which every tag sequence is forbidden.

    Source: Rabiner 1989; Lafferty, McCallum & Pereira 2001; Nguyen & O'Connor 2015, section 4.2.
    """

    def __init__(
        self,
        emissions: Sequence[ArrayLike],
        transitions: ArrayLike,
        start: ArrayLike | None = None,
        end: ArrayLike | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        self._set(Potentials.checked(emissions, transitions, start, end), labels)

    @classmethod
    def from_logits(
        cls,
        logits: ArrayLike,
        *,
        labels: Sequence[str],
        label_ids: ArrayLike | None = None,
        word_ids: ArrayLike | None = None,
        mask: ArrayLike | None = None,
        grammar: str | None = None,
        transitions: ArrayLike | None = None,
        start: ArrayLike | None = None,
        end: ArrayLike | None = None,
    ) -> TagPosterior:
        """Return the posterior of a token classifier, from logits (sentences, tokens, K) and the names of K `labels`.

        One of these arguments determines the rows that are used: label_ids (not -100), word_ids (the first subword of
        each word), or mask (1). Tokens are independent, unless a grammar ("BIO", "IOB1", "BIOES") or the potentials of
        a CRF are given: transitions (K, K), start and end (K,).

        >>> labels, logits = ["O", "B-PER", "I-PER"], [[[2.0, 1.0, 0.0], [0.0, 0.0, 3.0]]]
        >>> posterior = TagPosterior.from_logits(logits, labels=labels, grammar="BIO")
        >>> posterior.names(posterior.viterbi())
        [['B-PER', 'I-PER']]
        """
        counting: dict[str, Any] = {"label_ids": label_ids, "word_ids": word_ids, "mask": mask}
        chain: dict[str, Any] = {"grammar": grammar, "transitions": transitions, "start": start, "end": end}
        return cls(*token_potentials(logits, labels=labels, **counting, **chain), labels)

    def _set(self, potentials: Potentials, labels: Sequence[str] | None) -> None:
        self._potentials, self._tagset = potentials, TagSet(labels, potentials.n_tags)

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The names of the K tags, if they have any."""
        return self._tagset.labels

    @property
    def n_tags(self) -> int:
        """The number K of tags."""
        return self._potentials.n_tags

    @property
    def lengths(self) -> Integers:
        """(sentences,): the number of tokens of each."""
        return self._potentials.lengths

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, sentences: slice | Sequence[int] | Integers) -> TagPosterior:
        """Return the posterior of some of the sentences, given by a slice or a list of indices."""
        try:
            chosen = np.arange(len(self))[sentences]
        except IndexError as error:
            raise InputError(f"sentences must be indices up to {len(self) - 1}; {error}.") from None
        if chosen.ndim != 1:
            raise InputError(f"sentences must be a slice or a list of indices; write posterior[[{sentences}]].")
        return self._with(self._potentials.part(chosen))

    def _with(self, potentials: Potentials) -> TagPosterior:
        other = TagPosterior.__new__(TagPosterior)
        other._set(potentials, self.labels)
        return other

    def parts(self, sentences: int = 4096) -> Iterator[TagPosterior]:
        """Yield posteriors of this number of sentences each, for results that are too large for memory.

        To sample from them, pass the same Generator as `rng` to all of them; with a seed, all would use the same random
        numbers.
        """
        for begin in range(0, len(self), check_count(sentences, "sentences")):
            yield self[begin : begin + sentences]

    def tempered(self, temperature: TemperatureInput, *, transitions: TemperatureInput | None = None) -> TagPosterior:
        """Return the posterior with emissions divided by `temperature`, and transitions, start and end by `transitions`
        (default: `temperature`).

        A temperature above 1 makes the posterior flatter, below 1 sharper; forbidden tags (-inf) stay forbidden. If
        both temperatures are equal, the most probable sequences do not change. Both may also be one number per
        sentence, and `temperature` a list of arrays (T,), one number per token.

        >>> posterior = TagPosterior([np.log([[0.9, 0.1]])], np.zeros((2, 2)))
        >>> posterior.tempered(0.5).marginals()[0].round(3), posterior.tempered(2).marginals()[0].round(3)
        (array([[0.988, 0.012]]), array([[0.75, 0.25]]))

        Raises InputError for a temperature that is not a finite number above 0.
        """
        return self._with(
            temper_potentials(self._potentials, temperature, temperature if transitions is None else transitions)
        )

    @cached_property
    def log_z(self) -> Floats:
        """(sentences,): the logarithm of the sum of exp(score) over all tag sequences."""

        def compute_batch(chain: Chain, workspace: Workspace) -> list[float]:
            log_z = log_partition(chain, workspace)
            check_possible(chain.batch, log_z)
            return list(log_z)

        log_zs = self._potentials.each(compute_batch, 0.0)
        return np.array(log_zs, dtype=np.float64)

    def marginals(self) -> list[Floats]:
        """Return P(y_t = k), an array (T, K) per sentence whose rows sum to 1."""
        return self._map_marginals(below_one, np.empty((0, self.n_tags)))

    def pair_marginals(self, pairs: Sequence[tuple[Tag, Tag]] | None = None) -> list[Floats]:
        """Return P(y_t = j, y_t+1 = k) for P requested tag pairs (j, k), an array (T - 1, P) per sentence.

        Without `pairs`, all pairs are returned, as (T - 1, K, K). This takes 8 K² bytes per token, or 19 KB with 49
        tags; see `parts`.

        >>> posterior = TagPosterior([np.zeros((3, 2))], np.zeros((2, 2)), labels=["N", "V"])
        >>> posterior.pair_marginals([("N", "V")])
        [array([[0.25],
               [0.25]])]
        """
        if pairs is None:
            return all_pairs_of_sentences(self._potentials)
        first, second = self._tagset.pairs(pairs)
        return pairs_of_sentences(self._potentials, first, second)

    def sample(self, n: int, *, rng: Randomness = None) -> list[Integers]:
        """Draw n independent tag sequences of each sentence, an integer array (n, T) per sentence.

        The method is forward filtering, backward sampling. The draws of a sentence depend only on `rng`, and on the
        index and the length of the sentence. Therefore, a larger n adds draws to the same first ones, and
        `posterior[:10]` has the same draws as the first ten sentences of `posterior`.

        >>> posterior = TagPosterior([np.log([[1, 3], [1, 1]])], np.log([[9, 1], [1, 9]]))
        >>> posterior.sample(3, rng=0)[0].shape
        (3, 2)
        """
        streams = Streams(rng)

        def compute_batch(chain: Chain, workspace: Workspace) -> Sequence[Integers]:
            forward, log_z = forward_messages(chain, workspace)
            check_possible(chain.batch, log_z)
            return sample(chain, forward, n, streams)

        return self._potentials.each(compute_batch, np.empty((check_count(n, "n"), 0), dtype=np.int64))

    def iter_samples(self, n: int, *, rng: Randomness = None) -> Iterator[list[Integers]]:
        """Yield n independent draws, each a list with the tags (T,) of every sentence.

        >>> posterior = TagPosterior([np.log([[1, 3], [1, 1]])], np.log([[9, 1], [1, 9]]))
        >>> [[len(tags) for tags in draw] for draw in posterior.iter_samples(2, rng=0)]
        [[2], [2]]
        """
        total, generator = check_count(n, "n"), generator_from(rng)
        step = max(1, MAX_SAMPLED_TAGS // max(int(self.lengths.sum()), 1))
        for start in range(0, total, step):
            yield from map(list, zip(*self.sample(min(step, total - start), rng=generator), strict=True))

    def viterbi(self) -> list[Integers]:
        """Return the most probable tag sequence of each sentence, (T,); of equal ones, that with lower last tags."""
        return [best.tags[0] for best in self.k_best(1)]

    def k_best(self, k: int) -> list[BestPaths]:
        """Return the k most probable tag sequences of each sentence: `tags` (k, T) and `log_probs` (k,), best first.

        A sentence with fewer than k possible sequences has only these. k is at most 100,000.

        >>> posterior = TagPosterior([np.log([[0.1, 0.9], [0.6, 0.4]])], np.zeros((2, 2)))
        >>> best = posterior.k_best(2)[0]
        >>> best.tags, np.exp(best.log_probs).round(9)
        (array([[1, 0],
               [1, 1]]), array([0.54, 0.36]))

        Source: Soong & Huang 1991.
        """
        empty = BestPaths(np.empty((1, 0), dtype=np.int64), np.zeros(1))
        k = min(check_count(k, "k", most=MAX_PATHS), number_of_paths(self.n_tags, self.lengths))
        width = self.n_tags * k
        log_z = self.log_z

        def compute_batch(chain: Chain, workspace: Workspace) -> Sequence[BestPaths]:
            return best_sentence_paths(chain, k, log_z[chain.batch.sentences])

        return self._potentials.each(compute_batch, empty, width=width)

    def posterior_decode(self) -> list[Integers]:
        """Return the most probable tag of each token, (T,) per sentence.

        These tags maximise the expected number of correct tags, but not the probability of the sequence.
        """
        return self._map_marginals(lambda marginals: marginals.argmax(axis=1), np.empty(0, dtype=np.int64))

    def entropy(self) -> Floats:
        """(sentences,): the entropy −Σ P(y) log P(y) of each sentence's distribution over tag sequences, in nats.

        It is computed by the chain rule, H(y_1) + Σ_t H(y_t+1 | y_t). Source: Hernando, Crespi & Cybenko 2005.
        """
        return entropies_of_sentences(self._potentials)

    def log_prob(self, tags: Sequence[Sequence[Tag]]) -> Floats:
        """(sentences,): log P of one tag sequence per sentence; −inf if it is forbidden.

        >>> posterior = TagPosterior([np.zeros((2, 2)), np.zeros((1, 2))], np.zeros((2, 2)), labels=["N", "V"])
        >>> np.exp(posterior.log_prob([["N", "V"], ["N"]]))
        array([0.25, 0.5 ])
        """
        sequences = check_lists(tags, name="tags", of="tags")
        if len(sequences) != len(self):
            raise InputError(
                f"tags must have a list for each of the {len(self):,} sentences; there are {len(sequences):,}."
            )
        scores = np.zeros(len(self))
        for i, sequence in enumerate(sequences):
            numbers = self._tagset.numbers(sequence, f"tags[{i}]")
            if len(numbers) != self.lengths[i]:
                raise InputError(
                    f"tags[{i}] must have a tag for each of the {self.lengths[i]} tokens of the "
                    f"sentence; it has {len(numbers)}."
                )
            scores[i] = self._potentials.score(i, numbers)
        return np.minimum(scores - self.log_z, 0.0)  # rounding may end above log 1

    def span_probability(self, sentence: int, start: int, tags: Sequence[Tag]) -> float:
        """Return the probability that tokens start, start + 1, … of a sentence have these tags.

        Every call takes a forward–backward pass over the sentence; use `span_probabilities` for many spans.

        >>> posterior = TagPosterior([np.zeros((5, 4))], np.zeros((4, 4)), labels=["B", "I", "O", "S"])
        >>> round(posterior.span_probability(0, 1, ["B", "I"]), 12)
        0.0625
        """
        return float(self.span_probabilities([(sentence, start, tags)])[0])

    def span_probabilities(self, spans: Sequence[tuple[int, int, Sequence[Tag]]]) -> Floats:
        """Return the probability of each span (sentence, start, tags); see `span_probability`."""
        checked = [checked_span(span, self.lengths, self._tagset, where=f"spans[{i}]") for i, span in enumerate(spans)]
        return span_probabilities(self._potentials, checked)

    def names(self, tags: ArrayLike) -> Any:
        """Convert integer tags, in an array or a list of arrays as returned by the methods, to nested lists of labels.

        >>> posterior = TagPosterior([np.zeros((1, 2))], np.zeros((2, 2)), labels=["N", "V"])
        >>> posterior.names([np.array([0, 1]), np.array([[1], [0]])])
        [['N', 'V'], [['V'], ['N']]]
        """
        return self._tagset.names(tags)

    def __repr__(self) -> str:
        tags = "" if self.labels is None else f": {shortened(self.labels)}"
        counts = [(len(self), "sentence"), (int(self.lengths.sum()), "token"), (self.n_tags, "tag")]
        return f"TagPosterior({', '.join(counted(*count) for count in counts)}{tags})"

    def to_html(self, words: Sequence[Sequence[str]] | None = None) -> str:
        """Return HTML with the most probable tags of the first ten sentences, shaded by their probability.

        Probabilities are shown on hover. words: the words of each sentence, shown next to the tags.

        >>> posterior = TagPosterior([np.log([[3, 1]])], np.zeros((2, 2)), labels=["N", "V"])
        >>> "Ada" in posterior.to_html([["Ada"]]), "P(N) = 0.7500" in posterior.to_html()
        (True, True)

        Raises InputError if the words do not match the sentences.
        """
        shown = self[:MAX_SENTENCES]
        named = [[None] * int(n) for n in shown.lengths] if words is None else words[:MAX_SENTENCES]
        if [len(sentence) for sentence in named] != shown.lengths.tolist():
            raise InputError("words must have a list for each sentence, with one word for each token of the sentence.")
        best, marginals = shown.viterbi(), shown.marginals()
        labels = self.labels or tuple(map(str, range(self.n_tags)))
        sentences = (
            [(word, labels[tag], float(row[tag])) for word, tag, row in zip(*sentence, strict=True)]
            for sentence in zip(named, best, marginals, strict=True)
        )
        return "".join([tags_html(sentences), *more_html(len(self))])

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self.to_html()}"

    def _map_marginals(
        self, answer: Callable[[Floats], npt.NDArray[Number]], empty: npt.NDArray[Number]
    ) -> list[npt.NDArray[Number]]:
        """Apply a function to the marginals of tokens (N, K), and return the result sentence by sentence."""

        def compute_batch(chain: Chain, workspace: Workspace) -> Sequence[npt.NDArray[Number]]:
            expectations = compute_expectations(chain, workspace, pairs=False)
            check_possible(chain.batch, expectations.log_z)
            return chain.batch.unpack(answer(expectations.marginals))

        return self._potentials.each(compute_batch, empty)
