"""Tables and figures of the papers, run again."""

from howsure.reproductions.binning import reproduce_binning
from howsure.reproductions.reproduction import Finding, Reproduction
from howsure.reproductions.synthetic import reproduce_synthetic, steps_of_synthetic

__all__ = [
    "Finding",
    "Reproduction",
    "reproduce_binning",
    "reproduce_synthetic",
    "steps_of_synthetic",
]
