from howsure.calibration.comparison import compare_calibration as compare_calibration
from howsure.calibration.corp.decomposition import ScoreDecomposition as ScoreDecomposition
from howsure.calibration.corp.results import (
    ConsistencyBand as ConsistencyBand,
    CorpCurve as CorpCurve,
    CorpSteps as CorpSteps,
)
from howsure.calibration.curve import calibration_curve as calibration_curve
from howsure.calibration.estimates.calibration_error import calibration_error as calibration_error
from howsure.calibration.hypothesis_tests.calibration_test import (
    CalibrationTest as CalibrationTest,
    calibration_test as calibration_test,
)
from howsure.calibration.hypothesis_tests.quantiles import (
    QuantileCalibration as QuantileCalibration,
    posterior_quantiles as posterior_quantiles,
)
from howsure.calibration.results import (
    Bins as Bins,
    CalibrationComparison as CalibrationComparison,
    CalibrationCurve as CalibrationCurve,
)
from howsure.calibration.scores.multiclass import MulticlassScores as MulticlassScores
from howsure.calibration.scores.score_parts import (
    ProperLoss as ProperLoss,
    ScoreParts as ScoreParts,
    score_parts as score_parts,
)
from howsure.calibration.simulation import simulate_pairs as simulate_pairs
from howsure.calibration.subgroups.find_groups import find_groups as find_groups
from howsure.calibration.subgroups.multicalibration import (
    MulticalibrationError as MulticalibrationError,
    multicalibration_error as multicalibration_error,
)
from howsure.calibration.subgroups.results import FoundGroups as FoundGroups, MiscalibratedGroup as MiscalibratedGroup
from howsure.calibration.summary.calibration_summaries import CalibrationSummaries as CalibrationSummaries
from howsure.calibration.summary.calibration_summary import CalibrationSummary as CalibrationSummary
from howsure.calibration.table import (
    CalibrationTable as CalibrationTable,
    GroupCalibration as GroupCalibration,
    calibration_table as calibration_table,
)
