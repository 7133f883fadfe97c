"""Readers for the logs of evaluation programs, which convert every log to rows with named columns."""
