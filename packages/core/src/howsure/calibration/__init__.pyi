from howsure.calibration.calibration_errors import (
    calibration_error as calibration_error,
)
from howsure.calibration.calibration_summary import (
    CalibrationSummaries as CalibrationSummaries,
)
from howsure.calibration.calibration_summary import (
    CalibrationSummary as CalibrationSummary,
)
from howsure.calibration.calibration_tests import (
    CalibrationTest as CalibrationTest,
)
from howsure.calibration.calibration_tests import (
    calibration_test as calibration_test,
)
from howsure.calibration.comparison import (
    compare_calibration as compare_calibration,
)
from howsure.calibration.corp import (
    ConsistencyBand as ConsistencyBand,
)
from howsure.calibration.corp import (
    CorpCurve as CorpCurve,
)
from howsure.calibration.corp import (
    CorpSteps as CorpSteps,
)
from howsure.calibration.curve import (
    calibration_curve as calibration_curve,
)
from howsure.calibration.curve_choice import (
    CurveChoice as CurveChoice,
)
from howsure.calibration.curve_choice import (
    LocalPoint as LocalPoint,
)
from howsure.calibration.curve_choice import (
    LocalRegression as LocalRegression,
)
from howsure.calibration.curve_choice import (
    TriedCurve as TriedCurve,
)
from howsure.calibration.curve_choice import (
    cross_validate_curve as cross_validate_curve,
)
from howsure.calibration.curve_choice import (
    local_regression as local_regression,
)
from howsure.calibration.decomposition import (
    ScoreDecomposition as ScoreDecomposition,
)
from howsure.calibration.from_logits import (
    logit_calibration as logit_calibration,
)
from howsure.calibration.miscalibrated_groups import (
    MiscalibratedGroup as MiscalibratedGroup,
)
from howsure.calibration.miscalibrated_groups import (
    MiscalibratedGroups as MiscalibratedGroups,
)
from howsure.calibration.miscalibrated_groups import (
    find_miscalibrated_groups as find_miscalibrated_groups,
)
from howsure.calibration.multicalibration import (
    MulticalibrationError as MulticalibrationError,
)
from howsure.calibration.multicalibration import (
    multicalibration_error as multicalibration_error,
)
from howsure.calibration.ordinal import (
    OrdinalCalibration as OrdinalCalibration,
)
from howsure.calibration.ordinal import (
    ordinal_calibration as ordinal_calibration,
)
from howsure.calibration.quantiles import (
    QuantileCalibration as QuantileCalibration,
)
from howsure.calibration.quantiles import (
    quantile_calibration as quantile_calibration,
)
from howsure.calibration.results import (
    Bins as Bins,
)
from howsure.calibration.results import (
    CalibrationComparison as CalibrationComparison,
)
from howsure.calibration.results import (
    CalibrationCurve as CalibrationCurve,
)
from howsure.calibration.scores import (
    MulticlassScores as MulticlassScores,
)
from howsure.calibration.scores import (
    ProperLoss as ProperLoss,
)
from howsure.calibration.scores import (
    ScoreParts as ScoreParts,
)
from howsure.calibration.scores import (
    decompose_score as decompose_score,
)
from howsure.calibration.scores_by_label import (
    LabelScore as LabelScore,
)
from howsure.calibration.scores_by_label import (
    ScoreByLabel as ScoreByLabel,
)
from howsure.calibration.scores_by_label import (
    decompose_score_by_label as decompose_score_by_label,
)
from howsure.calibration.simulation import (
    simulate_pairs as simulate_pairs,
)
from howsure.calibration.structures import (
    structure_pairs as structure_pairs,
)
from howsure.calibration.table import (
    CalibrationTable as CalibrationTable,
)
from howsure.calibration.table import (
    GroupCalibration as GroupCalibration,
)
from howsure.calibration.table import (
    calibration_table as calibration_table,
)
from howsure.worst_rows import (
    LowItem as LowItem,
)
from howsure.worst_rows import (
    WorstRows as WorstRows,
)
from howsure.worst_rows import (
    WrongRow as WrongRow,
)
