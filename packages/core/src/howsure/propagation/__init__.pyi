from howsure.propagation.posterior_draws import Sampler as Sampler, WeightedSamples as WeightedSamples
from howsure.propagation.posterior_values import (
    PropagatedSamples as PropagatedSamples,
    SampledQuantity as SampledQuantity,
    propagate_samples as propagate_samples,
)
from howsure.propagation.variance_by_stage import (
    VarianceShare as VarianceShare,
    VarianceShares as VarianceShares,
    decompose_variance as decompose_variance,
)
