"""Figures for papers: PDF, SVG, PNG."""

from howsure.lazy_imports import require

require("A figure", "cli", "matplotlib")
