"""Judges: what a model's grades of answers say about the grades that people would give."""

from howsure.judges.agreement import judge_agreement
from howsure.judges.bias import BiasRow, JudgeBias, judge_bias
from howsure.judges.judged_scores import judged_scores
from howsure.judges.planning import JudgePlan, JudgePlanRow, judge_plan
from howsure.judges.prompts import JudgePrompts, PromptPart, judge_prompts
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
    "BiasRow",
    "JudgeBias",
    "JudgePlan",
    "JudgePlanRow",
    "JudgePrompts",
    "JudgeSample",
    "JudgedDifference",
    "JudgedRow",
    "JudgedScores",
    "PromptPart",
    "RaterAgreement",
    "RaterAgreementRow",
    "Replacement",
    "Transport",
    "TransportRow",
    "judge_agreement",
    "judge_bias",
    "judge_plan",
    "judge_prompts",
    "judge_sample",
    "judge_transport",
    "judged_scores",
]
