"""Sums of pairs that lie in an engine: a lazy frame of Polars, DuckDB, Ibis, Spark or Dask adds where its data are."""
