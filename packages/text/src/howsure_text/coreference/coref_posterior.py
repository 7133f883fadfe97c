"""The posterior over entity clusterings defined by an antecedent distribution."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, quote
from howsure.inputs.arguments import Randomness, generator_from, with_seed
from howsure.inputs.checks import as_array
from howsure.inputs.numbers_and_names import MAX_SIMULATIONS, check_integer, check_level
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike
from howsure.propagation.posterior_draws import recipe as sampling_recipe
from howsure.propagation.posterior_values import mean_estimate, quantile_estimates
from howsure.result import Estimate, Result
from howsure.show.table import NUMBER, WORDS, Column
from howsure.stats.proportions import CountDistribution, poisson_binomial
from howsure_text.coreference import antecedents as reading
from howsure_text.coreference import clusterings, pair_probabilities
from howsure_text.coreference.antecedents import Antecedents, from_listed_scores, from_scores
from howsure_text.coreference.clusterings import Clusters, checked_mentions, clusters_from, labels_from

MAX_SAMPLED_LABELS = 1 << 24  # maximum number of sampled labels in memory


class CorefPosterior:
    """The posterior over the clusterings of M mentions, each of which independently has an antecedent or is new.

    probabilities (M, M): row j contains P(a_j = k) of the antecedents k < j and, on the diagonal, P(j is new); zeros
    above. Rows that sum to 1 within 0.001 are divided by their sum. mentions: names of the mentions, in text order, for
    the methods that take or return clusters; by default, mentions are numbered from 0.

    The clusters are the connected components of the links from mentions to their antecedents. Because each mention
    joins one cluster and never merges two, most quantities can be computed exactly.

    >>> posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]], mentions=["Ann", "Eve", "she"])
    >>> posterior.pair_probability().round(2).tolist()
    [[1.0, 0.4, 0.62], [0.4, 1.0, 0.5], [0.62, 0.5, 1.0]]
    >>> posterior.best_antecedent_clusters()
    [['Ann', 'she'], ['Eve']]
    >>> print(posterior.number_of_entities().estimate())
    1.8000 [1.0000, 3.0000]

    Raises InputError naming the row that is not a distribution over earlier mentions and "new".
    Source: Nguyen & O'Connor (2015), section 5; the distribution is that of Durrett & Klein (2013).
    """

    __slots__ = ("antecedents", "mentions")

    antecedents: Antecedents
    mentions: Sequence[Hashable]

    def __init__(self, probabilities: object, *, mentions: Iterable[Hashable] | None = None) -> None:
        self.antecedents = (
            probabilities if isinstance(probabilities, Antecedents) else reading.from_matrix(probabilities)
        )
        self.mentions = checked_mentions(mentions, len(self.antecedents))

    @classmethod
    def from_scores(
        cls, scores: object, *, null: object, antecedents: object = None, mentions: Iterable[Hashable] | None = None
    ) -> CorefPosterior:
        """Compute the posterior from logits, by a softmax of each row over the antecedents k < j and "new".

        null: the score of "new": a number or an array (M,); or where it is in `scores`: the "first" column (M, 1 + M,
        as in e2e-coref and wl-coref), the "last" column (M, M + 1, as in s2e) or the "diagonal" (M, M). Masked scores
        are -inf, or so low that their probability is 0. The scores of a mention itself and of later mentions must be
        masked. antecedents (M, A): the antecedents that the model kept, if it prunes antecedents (e2e-coref, AllenNLP,
        wl-coref); scores are then (M, A), or (M, A + 1) with the null score in the "first" or "last" column.

        >>> posterior = CorefPosterior.from_scores([[-np.inf, -np.inf], [2.0, -np.inf]], null=0.0)
        >>> posterior.pair_probability(pairs=[(0, 1)]).round(3)
        array([0.881])

        Raises InputError for NaN, +inf, a row without a finite score, or a link to a later mention.
        """
        if antecedents is not None:
            return cls(from_listed_scores(scores, antecedents=antecedents, null=null), mentions=mentions)
        return cls(from_scores(scores, null=null), mentions=mentions)

    @classmethod
    def from_rows(
        cls,
        antecedents: Sequence[ArrayLike],
        probabilities: Sequence[ArrayLike],
        new: ArrayLike,
        *,
        mentions: Iterable[Hashable] | None = None,
    ) -> CorefPosterior:
        """Build the posterior from a few antecedents per mention (indices), their probabilities, and P(new) (M,).

        >>> CorefPosterior.from_rows([[], [0], [1]], [[], [0.4], [0.8]], [1.0, 0.6, 0.2])
        posterior over the clusterings of 3 mentions: 1.8 entities (1 to 3)

        Raises InputError naming the row that is not a distribution.
        """
        return cls(reading.from_rows(antecedents, probabilities, new), mentions=mentions)

    def __len__(self) -> int:
        return len(self.antecedents)

    def __repr__(self) -> str:
        entities = self.number_of_entities()
        low, high = entities.interval()
        return (
            f"posterior over the clusterings of {len(self):,} mentions: {entities.mean:.1f} entities ({low} to {high})"
        )

    def sample(self, n: int, *, rng: Randomness = None) -> Integers:
        """Draw n independent clusterings, (n, M); the label of a mention is the index of its cluster's first mention.

        >>> CorefPosterior([[1, 0], [0.5, 0.5]]).sample(4, rng=0).tolist()
        [[0, 1], [0, 0], [0, 0], [0, 0]]
        """
        return clusterings.draw_labels(
            self.antecedents, check_integer(n, name="n", most=MAX_SIMULATIONS), generator_from(rng)
        ).T

    def iter_samples(self, n: int, *, rng: Randomness = None) -> Iterator[Integers]:
        """Yield the clusterings of `sample` one after the other, for numbers of samples that do not fit in memory.

        >>> [labels.tolist() for labels in CorefPosterior([[1, 0], [0.5, 0.5]]).iter_samples(3, rng=0)]
        [[0, 1], [0, 0], [0, 0]]
        """
        total, generator = check_integer(n, name="n", most=MAX_SIMULATIONS), generator_from(rng)
        step = max(1, MAX_SAMPLED_LABELS // max(len(self), 1))
        for start in range(0, total, step):
            yield from self.sample(min(step, total - start), rng=generator)

    def pair_probability(self, pairs: npt.ArrayLike | None = None) -> Floats:
        """Return the exact probability P(i ~ j) that two mentions are in one cluster.

        pairs (N, 2): indices of the mentions of N pairs, for a result (N,); None: all pairs, (M, M).

        P(i ~ j) = Σ_{k<j} P(a_j = k) P(k ~ i), with P(i ~ i) = 1, is solved for all pairs by linear algebra, which
        takes M³/3 multiplications and at most 5,000 mentions. Chosen pairs take M/2 multiplications per link and 4 kB
        per mention: 3 s for 10,000 mentions with 50 antecedents each.

        Raises InputError for too many mentions, or an index that does not exist.
        """
        if pairs is None:
            return pair_probabilities.pair_matrix(self.antecedents)
        chosen = self._positions(pairs)
        return pair_probabilities.chosen_pairs(self.antecedents, chosen[:, 0], chosen[:, 1])

    def best_antecedent_clusters(self) -> Clusters:
        """Return the clusters if every mention has its most probable antecedent.

        This is not necessarily the most probable clustering.
        """
        return clusters_from(clusterings.best_antecedents(self.antecedents), self.mentions)

    def minimum_risk_clusters(self, *, threshold: float = 0.5) -> Clusters:
        """Return clusters with a small expected loss over pairs of mentions.

        A wrong pair in a cluster costs `threshold`, and a missing pair costs 1 - threshold. A pair therefore decreases
        the loss if P(i ~ j) > threshold, and a lower threshold gives larger clusters. The problem is NP-hard. A local
        search, which starts from the best antecedents and from singletons, moves single mentions and merges clusters;
        it may miss the optimum.

        Raises InputError unless 0 < threshold < 1, or for more than 5,000 mentions.
        """
        threshold = check_level(threshold, name="threshold")
        starts = [clusterings.best_antecedents(self.antecedents), np.arange(len(self))]
        labels = clusterings.minimise_loss(self.pair_probability(), starts, threshold=threshold)
        return clusters_from(labels, self.mentions)

    def expected_pair_loss(self, clusters: object, *, threshold: float = 0.5) -> float:
        """Return the expected loss that `minimum_risk_clusters` minimises; at 0.5, half the expected number of errors.

        Raises InputError if the clusters do not consist of the mentions.
        """
        threshold = check_level(threshold, name="threshold")
        return clusterings.expected_loss(self.pair_probability(), self.labels(clusters), threshold=threshold)

    def labels(self, clusters: object) -> Integers:
        """Convert clusters of mentions to labels (M,), as in `sample`; omitted mentions are singletons.

        Raises InputError if a mention is unknown or in two clusters.
        """
        return labels_from(clusters, self.mentions)

    def log_prob(self, clusters: object) -> float:
        """Return the exact log-probability of a clustering; -inf if it is impossible.

        clusters: lists of mentions (omitted mentions are singletons), or integer labels (M,).

        This is a sum over mentions j: of log P(j is new) if j is the first mention of its cluster, otherwise of
        log Σ_k P(a_j = k) over the earlier mentions k of the cluster.

        >>> round(CorefPosterior([[1, 0], [0.5, 0.5]]).log_prob([[0, 1]]), 4)
        -0.6931

        Raises InputError if the clusters do not consist of the mentions.
        """
        labels, antecedents = self.labels(clusters), self.antecedents
        sources = antecedents.sources()
        inside = labels[sources] == labels[antecedents.antecedents]
        p = np.bincount(sources[inside], antecedents.probabilities[inside], len(self)).astype(np.float64)
        first = labels == np.arange(len(self))
        p[first] = antecedents.new[first]
        return float(np.log(p).sum()) if bool((p > 0.0).all()) else -np.inf

    def number_of_entities(self) -> CountDistribution:
        """Return the exact distribution of the number of clusters, that is, of new mentions (a Poisson-binomial)."""
        return poisson_binomial(self.antecedents.new)

    def singleton_probability(self) -> Floats:
        """Return the exact probability that mention i is a singleton, (M,): P(i is new) Π_{j>i} (1 - P(a_j = i))."""
        antecedents, alone = self.antecedents, self.antecedents.new.copy()
        np.multiply.at(alone, antecedents.antecedents, 1.0 - antecedents.probabilities)
        return alone

    def first_mention_probability(self) -> Floats:
        """Return the exact probability that the entity of mention j (row) begins with mention r (column), (M, M).

        It is (I - P)⁻¹ diag(P(new)), where P is the matrix of P(a_j = k).

        Raises InputError for more than 5,000 mentions.
        """
        return pair_probabilities.path_matrix(self.antecedents) * self.antecedents.new

    def expected_cluster_size(self) -> Floats:
        """Return the exact expected size of the cluster of each mention i, (M,): Σ_j P(i ~ j)."""
        return pair_probabilities.expected_sizes(self.antecedents)

    def antecedent_entropy(self) -> float:
        """Return the exact entropy of the choices of antecedents in nats, −Σ_j Σ_k P(a_j = k) log P(a_j = k).

        "New" is one of the choices k. Several choices give the same clustering, so this is at least the entropy of the
        clusterings.

        >>> posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]])
        >>> round(posterior.antecedent_entropy(), 4)
        1.7027
        """
        return clusterings.antecedent_entropy(self.antecedents)

    def clustering_entropy(self, n: int = 1_000, *, level: float = 0.95, rng: Randomness = None) -> Estimate:
        """Estimate the entropy of the posterior over clusterings, in nats, with the interval of its Monte Carlo error.

        The entropy is Σ_j E H(entity of j | clustering of the mentions before j). E is the mean over n samples; the
        entropy H given each sample is exact. This takes M² n / 2 additions.

        >>> posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]])
        >>> print(posterior.clustering_entropy(1_000, rng=0))
        1.5053 [1.4894, 1.5211]

        Raises InputError if n is not a positive number, or unless 0 < level < 1.
        """
        times, generator = check_integer(n, name="n", most=MAX_SIMULATIONS), generator_from(rng)
        return clusterings.clustering_entropy(self.antecedents, times, generator, level=check_level(level))

    def query(
        self, function: Callable[[Clusters], object], n: int = 1_000, *, rng: Randomness = None
    ) -> QueryPosterior:
        """Estimate the posterior of any function of a clustering from n samples, with its Monte Carlo error.

        function: takes a list of clusters (lists of mentions, in the order of their first mentions), and returns a
        number, a boolean or any hashable value. Sums over pairs have an exact expectation (`pair_probability`); use
        samples for other quantities, such as whether three mentions are one entity, or whether an entity has two
        properties.

        >>> posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]])
        >>> print(posterior.query(lambda clusters: [0, 1, 2] in clusters, 10_000, rng=0).estimate())
        0.3214 [0.3123, 0.3306]

        Raises InputError if n is not a positive number.
        """
        if not callable(function):
            raise InputError(f"function must be a function of a clustering, such as len; it is {quote(function)}.")
        rng = with_seed(rng)
        answers = [function(clusters_from(labels, self.mentions)) for labels in self.iter_samples(n, rng=rng)]
        return QueryPosterior(tuple(answers), sampling_recipe(function, rng, mentions=len(self), n=len(answers)))

    def _positions(self, pairs: npt.ArrayLike) -> Integers:
        chosen = as_array(pairs)
        if chosen.size == 0:
            return np.empty((0, 2), dtype=np.int64)
        if chosen.ndim != 2 or chosen.shape[1] != 2 or chosen.dtype.kind not in "iu":
            raise InputError(f"pairs must be indices of mentions, of the shape (N, 2); it is {quote(chosen.tolist())}.")
        outside = np.flatnonzero(((chosen < 0) | (chosen >= len(self))).any(axis=1))
        if len(outside):
            row = int(outside[0])
            raise InputError(
                f"pairs must be indices from 0 to {len(self) - 1}; `matrix row {row}` is {chosen[row].tolist()}."
            )
        return chosen.astype(np.int64)


# The result of `CorefPosterior.query`.


@dataclass(frozen=True, slots=True, repr=False)
class QueryPosterior(Result):
    """The values of a function for n sampled clusterings, which are samples from the posterior of the function.

    values (n,): the values in the order of the samples. Numbers and booleans have a mean, a standard deviation and
    quantiles; other values have a probability each. recipe: the function, and how it was sampled.
    """

    values: tuple[Any, ...]
    recipe: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def n(self) -> int:
        """The number of samples."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """The posterior mean; for booleans, the probability."""
        return float(self._numbers().mean())

    @property
    def sd(self) -> float:
        """The posterior standard deviation, from n - 1; undefined for one sample."""
        with np.errstate(invalid="ignore"):  # infinite answers have no standard deviation
            return float(self._numbers().std(ddof=1)) if self.n > 1 else math.nan

    @property
    def standard_error(self) -> float:
        """The Monte Carlo standard error of the mean, sd / √n. It is 0 if all samples agree: see `estimate`."""
        return self.sd / math.sqrt(self.n)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval of the value itself, from the quantiles of the samples."""
        low, high = quantile_estimates(self._numbers(), check_level(level))
        return low.value, high.value

    def estimate(self, level: float = 0.95) -> Estimate:
        """The mean with an interval for the exact posterior mean, as in `howsure.propagate_samples`."""
        return mean_estimate(self._numbers(), check_level(level))

    def probabilities(self) -> dict[Hashable, tuple[float, float]]:
        """Each distinct value, the most frequent first, with its probability and its Monte Carlo standard error."""
        try:
            counts = Counter(self.values)
        except TypeError as error:
            raise InputError(
                f"the function must return hashable answers, such as tuples, so that they can be counted ({error})."
            ) from None
        shares = {value: count / self.n for value, count in counts.most_common()}
        return {value: (p, math.sqrt(p * (1.0 - p) / self.n)) for value, p in shares.items()}

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: the recipe, the estimate (None for values that are not numbers), and each distinct value.

        A value that JSON cannot represent is given as a string.
        """
        answers = [{"answer": plain_answer(a), "probability": p, "standard_error": e} for a, p, e in self.table_rows()]
        estimate = self._estimate_or_none()
        shown = None if estimate is None else estimate.to_dict()
        return {"recipe": dict(self.recipe), "n": self.n, "estimate": shown, "answers": answers}

    def table_rows(self) -> list[tuple[Any, float, float]]:
        """Each distinct answer, its probability and the standard error of the probability."""
        return [(answer, p, error) for answer, (p, error) in self.probabilities().items()]

    def columns(self) -> Sequence[Column]:
        """A row per distinct answer, as text."""
        return [
            Column("answer", WORDS, get=lambda row: str(plain_answer(row[0]))),
            Column("probability", NUMBER, get=lambda row: row[1]),
            Column("standard_error", NUMBER, get=lambda row: row[2]),
        ]

    @property
    def description(self) -> str:
        """The estimate, or the number of different answers."""
        summary_text = self._estimate_or_none() or f"{len(set(map(repr, self.values))):,} different answers"
        return f"{summary_text} from {self.n:,} sampled clusterings"

    def _estimate_or_none(self) -> Estimate | None:
        try:
            return self.estimate()
        except InputError:
            return None

    def _numbers(self) -> Floats:
        try:
            numbers = np.asarray(self.values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            numbers = np.empty((0, 0))
        none = [value for value in self.values if value is None or isinstance(value, str)]
        if numbers.ndim != 1 or none:
            raise InputError(
                "only numbers and truth values have a mean; the function returned "
                f"{quote((none or self.values)[0])}. See probabilities()."
            )
        return numbers


def plain_answer(answer: object) -> object:
    """Convert a value to JSON: a number, a boolean, a string or None; anything else to a string.

    >>> plain_answer(np.int64(3)), plain_answer((1, 2)), plain_answer(math.inf)
    (3, '(1, 2)', 'inf')
    """
    plain = answer.item() if isinstance(answer, np.generic) else answer
    if isinstance(plain, float) and not math.isfinite(plain):
        return str(plain)
    return plain if plain is None or isinstance(plain, (bool, int, float, str)) else str(plain)
