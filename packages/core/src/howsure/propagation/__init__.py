"""Posteriors of functions of structures: a function, such as a count of events, of samples from a posterior."""

from howsure.propagation.posterior_draws import Sampler, WeightedSamples
from howsure.propagation.posterior_values import PropagatedSamples, SampledQuantity, propagate_samples
from howsure.propagation.variance_by_stage import VarianceShare, VarianceShares, decompose_variance

__all__ = [
    "PropagatedSamples",
    "SampledQuantity",
    "Sampler",
    "VarianceShare",
    "VarianceShares",
    "WeightedSamples",
    "decompose_variance",
    "propagate_samples",
]
