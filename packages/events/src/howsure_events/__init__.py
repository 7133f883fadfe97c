"""Events: which actors act, and how often, with the uncertainty of coreference."""

from howsure.lazy_imports import names_in, require

require("An events store", "events", "duckdb", "nanoarrow")

__getattr__, __dir__, __all__ = names_in(__name__, __file__)
