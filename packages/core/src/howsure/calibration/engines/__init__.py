"""Sums of the pairs of a lazy frame, computed by its engine (Polars, DuckDB, Ibis, Spark, Dask) where the data are."""
