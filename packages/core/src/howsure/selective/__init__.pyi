from howsure.selective.curve import selective_curve as selective_curve, selective_table as selective_table
from howsure.selective.results import (
    AtAccuracy as AtAccuracy,
    AtCoverage as AtCoverage,
    Candidates as Candidates,
    RiskCoverage as RiskCoverage,
    SelectiveCurve as SelectiveCurve,
    SelectiveTable as SelectiveTable,
    SelectiveThreshold as SelectiveThreshold,
)
from howsure.selective.threshold import selective_threshold as selective_threshold
