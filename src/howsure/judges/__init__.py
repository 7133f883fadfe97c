"""Judges: what a model's grades of answers say about the grades that people would give."""

from howsure.judges.agreement import judge_agreement
from howsure.judges.judged_scores import judged_scores
from howsure.judges.planning import JudgePlan, JudgePlanRow, judge_plan
from howsure.judges.results import (
    JudgedDifference,
    JudgedRow,
    JudgedScores,
    RaterAgreement,
    RaterAgreementRow,
    Replacement,
)
from howsure.judges.sample import JudgeSample, judge_sample
from howsure.judges.transport import Transport, TransportRow, judge_transport

__all__ = [
    "JudgePlan",
    "JudgePlanRow",
    "JudgeSample",
    "JudgedDifference",
    "JudgedRow",
    "JudgedScores",
    "RaterAgreement",
    "RaterAgreementRow",
    "Replacement",
    "Transport",
    "TransportRow",
    "judge_agreement",
    "judge_plan",
    "judge_sample",
    "judge_transport",
    "judged_scores",
]
