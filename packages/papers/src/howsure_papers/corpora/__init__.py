"""The data sets of the experiments, as they are read."""
