"""Figures for papers: PDF, SVG, PNG."""

from howsure.first_use import require

require("A figure", "cli", "matplotlib")
