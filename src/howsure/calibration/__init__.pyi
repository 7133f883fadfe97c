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
    calibration_test as calibration_test,
)
from howsure.calibration.comparison import (
    compare_calibration as compare_calibration,
)
from howsure.calibration.corp import (
    ConsistencyBand as ConsistencyBand,
    CorpCurve as CorpCurve,
    CorpSteps as CorpSteps,
)
from howsure.calibration.curve import (
    calibration_curve as calibration_curve,
)
from howsure.calibration.decomposition import (
    ScoreDecomposition as ScoreDecomposition,
)
from howsure.calibration.found_groups import (
    find_groups as find_groups,
)
from howsure.calibration.found_groups import (
    FoundGroups as FoundGroups,
    MiscalibratedGroup as MiscalibratedGroup,
)
from howsure.calibration.logit_calibration import (
    calibration_of_logits as calibration_of_logits,
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
    posterior_quantiles as posterior_quantiles,
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
    score_parts as score_parts,
)
from howsure.calibration.simulation import (
    simulate_pairs as simulate_pairs,
)
from howsure.calibration.table import (
    CalibrationTable as CalibrationTable,
    GroupCalibration as GroupCalibration,
    calibration_table as calibration_table,
)
from howsure.worst_rows import (
    LowItem as LowItem,
    WorstRows as WorstRows,
    WrongRow as WrongRow,
)
