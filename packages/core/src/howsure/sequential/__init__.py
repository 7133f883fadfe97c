"""Sequential evaluation: scores arrive item by item in random order, and verdicts are valid at any time."""

from howsure.lazy_imports import names_in

__getattr__, __dir__, __all__ = names_in(__name__, __file__)
