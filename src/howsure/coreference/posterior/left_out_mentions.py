"""The posterior of some of the mentions: what it is, given that no other is an antecedent."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from howsure.coreference.posterior.antecedents import Antecedents
from howsure.errors import InputError
from howsure.inputs.pairs import Integers


def without_mentions(antecedents: Antecedents, kept: npt.NDArray[np.bool_]) -> tuple[Antecedents, float]:
    """The distributions of the `kept` mentions (M,) over these and "new", and the largest probability that was lost.

    Each is divided by what remains of it: that is the posterior given that no kept mention refers to one left out.

    Raises InputError naming the mention that has no other antecedent, and is not new.
    """
    sources = antecedents.sources()
    links = kept[sources] & kept[antecedents.antecedents]
    remaining = antecedents.new + np.bincount(sources[links], antecedents.probabilities[links], len(antecedents))
    bare = np.flatnonzero(kept & ~(remaining > 0.0))
    if len(bare):
        raise InputError(f"mention {int(bare[0])} refers with probability 1 to mentions that are left out.")
    places: Integers = np.cumsum(kept) - 1
    counts = np.bincount(places[sources[links]], minlength=int(kept.sum()))
    found = Antecedents(
        antecedents.new[kept] / remaining[kept],
        np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)]),
        places[antecedents.antecedents[links]],
        antecedents.probabilities[links] / remaining[sources[links]],
    )
    lost = np.bincount(sources[~links], antecedents.probabilities[~links], len(antecedents))
    return found, min(float(lost[kept].max(initial=0.0)), 1.0)
