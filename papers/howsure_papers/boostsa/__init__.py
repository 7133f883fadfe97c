"""Fornaciari et al. (2022): BooStSa's p against share and size of the sample."""
