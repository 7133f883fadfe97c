"""Reports: one self-contained HTML file per result."""

from howsure.lazy_imports import names_in, require

require("A report", "cli", "jinja2", "matplotlib")

__getattr__, __dir__, __all__ = names_in(__name__, __file__)
