"""Judges: models that grade answers, compared with the grades of human annotators."""

from howsure.judges.agreement import rater_agreement
from howsure.judges.bias import BiasRow, JudgeBias, judge_bias
from howsure.judges.correct_judge_scores import correct_judge_scores
from howsure.judges.judge_sample import JudgeSample, draw_judge_sample
from howsure.judges.planning import JudgePlan, JudgePlanRow, plan_judge_sample
from howsure.judges.prompts import PromptPart, PromptSensitivity, prompt_sensitivity
from howsure.judges.results import (
    JudgedDifference,
    JudgedRow,
    JudgedScores,
    JudgeReplacement,
    RaterAgreement,
    RaterAgreementRow,
)
from howsure.judges.span_agreement import SpanAgreement, SpanAgreementRow, span_agreement
from howsure.judges.transport import JudgeTransport, JudgeTransportRow, judge_transport
from howsure.judges.validation import (
    JudgeDisagreement,
    JudgeDisagreements,
    JudgeValidation,
    JudgeValidationRow,
    validate_judge,
)

__all__ = [
    "BiasRow",
    "JudgeBias",
    "JudgeDisagreement",
    "JudgeDisagreements",
    "JudgePlan",
    "JudgePlanRow",
    "JudgeReplacement",
    "JudgeSample",
    "JudgeTransport",
    "JudgeTransportRow",
    "JudgeValidation",
    "JudgeValidationRow",
    "JudgedDifference",
    "JudgedRow",
    "JudgedScores",
    "PromptPart",
    "PromptSensitivity",
    "RaterAgreement",
    "RaterAgreementRow",
    "SpanAgreement",
    "SpanAgreementRow",
    "correct_judge_scores",
    "draw_judge_sample",
    "judge_bias",
    "judge_transport",
    "plan_judge_sample",
    "prompt_sensitivity",
    "rater_agreement",
    "span_agreement",
    "validate_judge",
]
