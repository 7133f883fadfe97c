"""Structured answers: documents whose fields a model extracted, as JSON or tables, with probabilities of values."""
