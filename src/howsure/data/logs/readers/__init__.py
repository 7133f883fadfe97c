"""One reader for each format of logs."""
