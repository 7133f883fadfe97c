"""Figures that only the reproductions draw."""
