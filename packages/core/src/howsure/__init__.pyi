__version__: str

from howsure.calibration.calibration_errors import calibration_error as calibration_error
from howsure.calibration.calibration_summary import (
    CalibrationSummaries as CalibrationSummaries,
    CalibrationSummary as CalibrationSummary,
)
from howsure.calibration.calibration_tests import (
    CalibrationTest as CalibrationTest,
    calibration_test as calibration_test,
)
from howsure.calibration.comparison import compare_calibration as compare_calibration
from howsure.calibration.corp import ConsistencyBand as ConsistencyBand, CorpCurve as CorpCurve, CorpSteps as CorpSteps
from howsure.calibration.curve import calibration_curve as calibration_curve
from howsure.calibration.curve_choice import (
    CurveChoice as CurveChoice,
    LocalPoint as LocalPoint,
    LocalRegression as LocalRegression,
    TriedCurve as TriedCurve,
    cross_validate_curve as cross_validate_curve,
    local_regression as local_regression,
)
from howsure.calibration.curves import (
    CalibrationCurves as CalibrationCurves,
    calibration_curves as calibration_curves,
    worst_predictions as worst_predictions,
)
from howsure.calibration.decomposition import ScoreDecomposition as ScoreDecomposition
from howsure.calibration.from_logits import logit_calibration as logit_calibration
from howsure.calibration.miscalibrated_groups import (
    MiscalibratedGroup as MiscalibratedGroup,
    MiscalibratedGroups as MiscalibratedGroups,
    find_miscalibrated_groups as find_miscalibrated_groups,
)
from howsure.calibration.multicalibration import (
    MulticalibrationError as MulticalibrationError,
    multicalibration_error as multicalibration_error,
)
from howsure.calibration.ordinal import (
    OrdinalCalibration as OrdinalCalibration,
    ordinal_calibration as ordinal_calibration,
)
from howsure.calibration.quantiles import (
    QuantileCalibration as QuantileCalibration,
    quantile_calibration as quantile_calibration,
)
from howsure.calibration.results import (
    Bins as Bins,
    CalibrationComparison as CalibrationComparison,
    CalibrationCurve as CalibrationCurve,
)
from howsure.calibration.scores import (
    MulticlassScores as MulticlassScores,
    ProperLoss as ProperLoss,
    ScoreParts as ScoreParts,
    decompose_score as decompose_score,
)
from howsure.calibration.scores_by_label import (
    LabelScore as LabelScore,
    ScoreByLabel as ScoreByLabel,
    decompose_score_by_label as decompose_score_by_label,
)
from howsure.calibration.simulation import simulate_pairs as simulate_pairs
from howsure.calibration.structures import structure_pairs as structure_pairs
from howsure.calibration.table import (
    CalibrationTable as CalibrationTable,
    GroupCalibration as GroupCalibration,
    calibration_table as calibration_table,
)
from howsure.check.calibration import check_calibration as check_calibration
from howsure.check.scores import check_score as check_score, check_score_so_far as check_score_so_far
from howsure.check.selective import check_selective as check_selective
from howsure.check.verdicts import Check as Check, Verdict as Verdict
from howsure.counts.draw_label_sample import draw_label_sample as draw_label_sample
from howsure.counts.estimation import (
    correct_annotation_errors as correct_annotation_errors,
    estimate_counts as estimate_counts,
)
from howsure.counts.label_sample import LabelSample as LabelSample
from howsure.counts.learn_score import learn_score as learn_score
from howsure.counts.planning import LabelPlan as LabelPlan, plan_label_sample as plan_label_sample
from howsure.counts.results import CountEstimate as CountEstimate, CountEstimates as CountEstimates
from howsure.data.documents.document import Document as Document, Mention as Mention, Sentence as Sentence
from howsure.data.documents.read_documents import read_documents as read_documents
from howsure.data.column_roles import SeenColumn as SeenColumn
from howsure.data.signature import Signature as Signature, read_signature as read_signature
from howsure.data.sources import Files as Files, read as read
from howsure.errors import (
    HowsureError as HowsureError,
    InputError as InputError,
    MissingExtraError as MissingExtraError,
)
from howsure.fields.check_fields import check_fields as check_fields
from howsure.fields.decisions import (
    FilingDecision as FilingDecision,
    FilingDecisions as FilingDecisions,
    file_documents as file_documents,
)
from howsure.fields.evaluation import evaluate_fields as evaluate_fields
from howsure.fields.field_results import (
    FieldRow as FieldRow,
    FieldTable as FieldTable,
    WrongValue as WrongValue,
    WrongValues as WrongValues,
)
from howsure.fields.policy import FilingPolicy as FilingPolicy, PolicyField as PolicyField
from howsure.inputs.classes import pairs_from_classes as pairs_from_classes
from howsure.inputs.pairs import Pairs as Pairs, Probabilities as Probabilities
from howsure.judges.agreement import rater_agreement as rater_agreement
from howsure.judges.bias import BiasRow as BiasRow, JudgeBias as JudgeBias, judge_bias as judge_bias
from howsure.judges.correct_judge_scores import correct_judge_scores as correct_judge_scores
from howsure.judges.planning import (
    JudgePlan as JudgePlan,
    JudgePlanRow as JudgePlanRow,
    plan_judge_sample as plan_judge_sample,
)
from howsure.judges.prompts import (
    PromptPart as PromptPart,
    PromptSensitivity as PromptSensitivity,
    prompt_sensitivity as prompt_sensitivity,
)
from howsure.judges.results import (
    JudgedDifference as JudgedDifference,
    JudgedRow as JudgedRow,
    JudgedScores as JudgedScores,
    JudgeReplacement as JudgeReplacement,
    RaterAgreement as RaterAgreement,
    RaterAgreementRow as RaterAgreementRow,
)
from howsure.judges.judge_sample import JudgeSample as JudgeSample, draw_judge_sample as draw_judge_sample
from howsure.judges.span_agreement import (
    SpanAgreement as SpanAgreement,
    SpanAgreementRow as SpanAgreementRow,
    span_agreement as span_agreement,
)
from howsure.judges.transport import (
    JudgeTransport as JudgeTransport,
    JudgeTransportRow as JudgeTransportRow,
    judge_transport as judge_transport,
)
from howsure.judges.validation import (
    JudgeDisagreement as JudgeDisagreement,
    JudgeDisagreements as JudgeDisagreements,
    JudgeValidation as JudgeValidation,
    JudgeValidationRow as JudgeValidationRow,
    validate_judge as validate_judge,
)
from howsure.monitoring.calibration_monitor import CalibrationMonitor as CalibrationMonitor
from howsure.monitoring.results import (
    GroupStatus as GroupStatus,
    MonitorSeries as MonitorSeries,
    MonitorStatus as MonitorStatus,
    MonitorUpdate as MonitorUpdate,
)
from howsure.propagation.posterior_draws import WeightedSamples as WeightedSamples
from howsure.propagation.posterior_values import (
    PropagatedSamples as PropagatedSamples,
    SampledQuantity as SampledQuantity,
    propagate_samples as propagate_samples,
)
from howsure.propagation.variance_by_stage import (
    VarianceShare as VarianceShare,
    VarianceShares as VarianceShares,
    decompose_variance as decompose_variance,
)
from howsure.recalibration.evaluate_recalibration import (
    evaluate_recalibration as evaluate_recalibration,
    recalibration_table as recalibration_table,
)
from howsure.recalibration.evaluation_results import (
    RecalibrationEvaluation as RecalibrationEvaluation,
    RecalibrationTable as RecalibrationTable,
)
from howsure.recalibration.recalibrate import recalibrate as recalibrate, recalibrate_file as recalibrate_file
from howsure.recalibration.results import RecalibrationMap as RecalibrationMap
from howsure.regression.regress_predicted import regress_predicted as regress_predicted
from howsure.regression.results import (
    PredictedCoefficient as PredictedCoefficient,
    PredictedRegression as PredictedRegression,
)
from howsure.result import Estimate as Estimate
from howsure.scores.agent_results import AgentRow as AgentRow, AgentTable as AgentTable
from howsure.scores.agents import score_agents as score_agents
from howsure.scores.battles import rank_battles as rank_battles
from howsure.scores.item_results import BenchmarkItem as BenchmarkItem, BenchmarkItems as BenchmarkItems
from howsure.scores.items import score_items as score_items
from howsure.scores.model_scores import (
    mean_scores as mean_scores,
    pass_at_k as pass_at_k,
    score_models as score_models,
    worst_items as worst_items,
)
from howsure.scores.results import (
    BattleRow as BattleRow,
    BattleTable as BattleTable,
    ScoreRow as ScoreRow,
    ScoreTable as ScoreTable,
)
from howsure.selective.curve import selective_curve as selective_curve, selective_table as selective_table
from howsure.selective.results import (
    SelectiveCurve as SelectiveCurve,
    SelectiveTable as SelectiveTable,
    SelectiveThreshold as SelectiveThreshold,
)
from howsure.selective.threshold import selective_threshold as selective_threshold
from howsure.sequential.comparison import (
    SequentialComparison as SequentialComparison,
    SequentialScore as SequentialScore,
)
from howsure.sequential.evaluation_order import ItemOrder as ItemOrder, draw_order as draw_order
from howsure.sequential.planning import ComparisonPlan as ComparisonPlan, plan_comparison as plan_comparison
from howsure.sequential.race import Race as Race, race_models as race_models
from howsure.sequential.sequence import SequentialStatus as SequentialStatus
from howsure.significance.model_comparison import (
    compare_models as compare_models,
    compare_scores as compare_scores,
    resample_models as resample_models,
)
from howsure.significance.experiments import Experiments as Experiments
from howsure.significance.metrics.metric import Metric as Metric
from howsure.significance.power import ComparisonPower as ComparisonPower, comparison_power as comparison_power
from howsure.significance.results import Comparison as Comparison, Difference as Difference
from howsure.significance.systems import Runs as Runs
from howsure.significance.trend import Trend as Trend, TrendPoint as TrendPoint
from howsure_cli.look import Look as Look, look as look
from howsure_events.lexicon import Lexicon as Lexicon
from howsure_events.rule import Rule as Rule
from howsure_events.series.actor_comparison import compare_actors as compare_actors
from howsure_events.series.event_series import event_series as event_series
from howsure_events.store.event_store import EventStore as EventStore
from howsure_text.coreference.antecedent_model import AntecedentModel as AntecedentModel
from howsure_text.coreference.coref_posterior import CorefPosterior as CorefPosterior
from howsure_text.coreference.metrics import coreference_scores as coreference_scores
from howsure_text.sequences.calibration_pairs import tag_pairs as tag_pairs, transition_pairs as transition_pairs
from howsure_text.sequences.crf import CRFTagger as CRFTagger
from howsure_text.sequences.hmm import HMMTagger as HMMTagger
from howsure_text.sequences.tag_posterior import TagPosterior as TagPosterior
