"""The explorer, a page that shows an events store: served on this machine, or as one file that needs no network."""

from howsure.lazy_imports import names_in, require

require("The page of events", "events", "jinja2")

__getattr__, __dir__, __all__ = names_in(__name__, __file__)
