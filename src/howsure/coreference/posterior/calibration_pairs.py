"""From posteriors and gold clusters to prediction–label pairs: do two mentions corefer?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from howsure.coreference.posterior.coref_posterior import CorefPosterior
from howsure.coreference.posterior.sampling import pair_frequency
from howsure.errors import InputError
from howsure.inputs.checks import listed
from howsure.inputs.numbers import check_whole
from howsure.inputs.pairs import Pairs
from howsure.stats.randomness import Randomness, generator_from


def pairs_from_posteriors(
    posteriors: Iterable[CorefPosterior], gold: Iterable[Any], *, samples: int | None = None, rng: Randomness = None
) -> Pairs:
    """All pairs of mentions i < j of every document, with P(i ~ j) as the prediction and the document as the cluster.

    `gold` contains, for every document, the clusters of the posterior's mentions (omitted mentions are singletons), or
    labels (M,). The label of a pair is whether both are in the same gold cluster. P(i ~ j) is exact or, with `samples`,
    the frequency among that many sampled clusterings, as in the paper; every document then has its own random numbers
    from `rng`, by position.

    >>> pairs = pairs_from_posteriors([CorefPosterior([[1, 0], [0.7, 0.3]])], [[[0, 1]]])
    >>> pairs.labels, pairs.probabilities, pairs.clusters
    (array([1], dtype=uint8), array([0.7]), array([0]))

    Raises InputError if there are not as many documents on both sides, if gold contains a mention that is not in the
    posterior, or if no document has two mentions. Source: Nguyen & O'Connor (2015), section 5.3.
    """
    if isinstance(posteriors, CorefPosterior):
        raise InputError("posteriors must be a list, one per document; of one: [posterior], and [clusters] for gold.")
    held, golden = listed(posteriors, name="posteriors", of="posteriors"), listed(gold, name="gold", of="clusterings")
    if len(held) != len(golden):
        raise InputError(f"posteriors and gold must be of the same documents; they have {len(held)}, {len(golden)}.")
    times = None if samples is None else check_whole(samples, name="samples")
    labels, probabilities, sizes = [], [], []
    for number, (posterior, generator) in enumerate(zip(held, generator_from(rng).spawn(len(held)), strict=True)):
        if not isinstance(posterior, CorefPosterior):
            raise InputError(
                f"posteriors must hold CorefPosterior; document {number} is {type(posterior).__name__}. Of a matrix: "
                "CorefPosterior(matrix)."
            )
        try:
            codes = posterior.labels(golden[number])
        except InputError as error:
            raise InputError(f"document {number}: {error}") from None
        together = (
            posterior.pair_probability() if times is None else pair_frequency(posterior.sample(times, rng=generator))
        )
        below = np.tri(len(posterior), k=-1, dtype=np.bool_)
        probabilities.append(together[below])
        labels.append((codes[:, None] == codes)[below])
        sizes.append(len(labels[-1]))
    if not sum(sizes):
        raise InputError("no document has two mentions: there is no pair to evaluate.")
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    return Pairs(np.concatenate(labels).view(np.uint8), np.concatenate(probabilities), clusters=clusters)
