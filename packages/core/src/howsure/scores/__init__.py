"""Mean scores and ranks of models, from scores per item or from pairwise battles."""

from howsure.lazy_imports import names_in

__getattr__, __dir__, __all__ = names_in(__name__, __file__)
