"""Infer from a column's name what the column measures: quality (and whether lower is better), a cost, or a count."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ends = tuple[float, float]
WORD = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that occur in names. QUALITY takes precedence: the accuracy of a toxicity classifier is an accuracy.
QUALITY = _words(
    "acc accuracy f1 auc auroc map precision recall match em correct pass passed success similarity win won efficiency "
    "bleu chrf rouge"
)
COSTS = _words("runtime latency duration elapsed time seconds cost costs price emissions co2 tokens")
COUNTS = _words("num stderr truncated logprob logprobs loglikelihood")
COUNT_NAMES = _words("batch_size max_prob predicted_index class_mass text_probability text_tokens")
LOWER_IS_BETTER = _words(
    "perplexity ppl bpb bpc wer cer ter mer mae mse rmse nll loss brier ece distance toxicity toxic hallucination bias "
    "stereotype stereotypes nsfw nudity leakage imbalance"
)
LOWER_NAMES = re.compile(r"bits_per_(byte|char|character|word)|(^|_)error(_rate)?$|^(kernel_inception_distance|fid)$")


@dataclass(frozen=True, slots=True)
class Measure:
    """What a score measures.

    is_quality: whether the score measures how good an answer is; False for a cost or a count. lower_is_better: None for
    a count, since neither direction is better. bounds: the lowest and highest possible value; None if unknown.
    """

    is_quality: bool = True
    lower_is_better: bool | None = False
    bounds: Ends | None = None

    def known_bounds(self, *scores: npt.NDArray[np.float64]) -> Ends | None:
        """Return the bounds if they are known and contain all scores; otherwise None."""
        if self.bounds is None:
            return None
        low, high = self.bounds
        return self.bounds if all(low <= values.min() and values.max() <= high for values in scores) else None


def measure_named(name: str, bounds: Mapping[str, Ends] | None = None) -> Measure:
    """Infer what a score measures from its name; by default, a quality of which higher values are better.

    bounds: the possible values of scores, by name.

    >>> measure_named("exact_match")
    Measure(is_quality=True, lower_is_better=False, bounds=None)
    >>> measure_named("inference_runtime"), measure_named("batch_size")
    (Measure(is_quality=False, lower_is_better=True, bounds=None), Measure(is_quality=False, lower_is_better=None, \
bounds=None))
    >>> [measure_named(n).lower_is_better for n in ("bits_per_byte", "WER", "toxicity_accuracy", "wordPerplexity")]
    [True, True, False, True]
    """
    words = {word.casefold() for word in WORD.findall(name)}
    ends = (bounds or {}).get(name)
    if words & QUALITY and "stderr" not in words:
        return Measure(bounds=ends)
    if words & COUNTS or name in COUNT_NAMES or name.startswith("finish_reason"):
        return Measure(is_quality=False, lower_is_better=None, bounds=ends)
    if words & COSTS:
        return Measure(is_quality=False, lower_is_better=True, bounds=ends)
    lower = bool(words & LOWER_IS_BETTER) or LOWER_NAMES.search(name.casefold()) is not None
    return Measure(lower_is_better=lower, bounds=ends)
