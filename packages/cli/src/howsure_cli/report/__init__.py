"""One HTML file that holds everything about a result and needs no network."""

from howsure.first_use import names_in, require

require("A report", "cli", "jinja2", "matplotlib")

__getattr__, __dir__, __all__ = names_in(__name__, __file__)
