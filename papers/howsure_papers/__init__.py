"""Tables and figures of the papers, run again."""

from howsure_papers.binning import reproduce_binning
from howsure_papers.reproduction import Finding, Reproduction
from howsure_papers.synthetic import reproduce_synthetic, steps_of_synthetic

__all__ = [
    "Finding",
    "Reproduction",
    "reproduce_binning",
    "reproduce_synthetic",
    "steps_of_synthetic",
]
