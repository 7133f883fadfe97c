"""Figures of results for papers, saved as PDF, SVG or PNG."""

from howsure.lazy_imports import require

require("A figure", "cli", "matplotlib")
