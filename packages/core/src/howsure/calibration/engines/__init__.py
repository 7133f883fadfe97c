"""Sums of a lazy frame's pairs, computed by the frame's own engine (Polars, DuckDB, Ibis, Spark, Dask)."""
