"""Tables in files of any format, read by DuckDB."""
