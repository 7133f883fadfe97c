"""Judges: what a model's grades of answers say about the grades that people would give."""

from howsure.judges.agreement import judge_agreement
from howsure.judges.judged_scores import judged_scores
from howsure.judges.results import (
    JudgedDifference,
    JudgedRow,
    JudgedScores,
    RaterAgreement,
    RaterAgreementRow,
    Replacement,
)

__all__ = [
    "JudgedDifference",
    "JudgedRow",
    "JudgedScores",
    "RaterAgreement",
    "RaterAgreementRow",
    "Replacement",
    "judge_agreement",
    "judged_scores",
]
