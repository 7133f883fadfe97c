"""Regressions whose outcome is predicted by a model, and labelled by people for a few rows."""

from howsure.regression.regress_predicted import regress_predicted
from howsure.regression.results import PredictedCoefficient, PredictedRegression

__all__ = ["PredictedCoefficient", "PredictedRegression", "regress_predicted"]
