"""Fields extracted from documents: their accuracy, and policies that file documents, that is, accept their values
without a check by a person."""

from howsure.fields.check_fields import check_fields
from howsure.fields.decisions import FilingDecision, FilingDecisions, file_documents
from howsure.fields.evaluation import evaluate_fields
from howsure.fields.field_results import FieldRow, FieldTable, WrongValue, WrongValues
from howsure.fields.policy import FilingPolicy, PolicyField

__all__ = [
    "FieldRow",
    "FieldTable",
    "FilingDecision",
    "FilingDecisions",
    "FilingPolicy",
    "PolicyField",
    "WrongValue",
    "WrongValues",
    "check_fields",
    "evaluate_fields",
    "file_documents",
]
