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
from howsure.worst_rows import LowItem as LowItem, WorstRows as WorstRows, WrongRow as WrongRow
