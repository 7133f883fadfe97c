"""What evaluation programs log, read by their own names: every log becomes rows in named columns."""
