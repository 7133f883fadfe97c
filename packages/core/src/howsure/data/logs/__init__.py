"""Readers for the logs of evaluation programs: every log becomes rows with named columns."""
