"""Regressions whose outcome is predicted by a model for all rows, and labelled by humans for a few rows."""

from howsure.regression.regress_predicted import regress_predicted
from howsure.regression.results import PredictedCoefficient, PredictedRegression

__all__ = ["PredictedCoefficient", "PredictedRegression", "regress_predicted"]
