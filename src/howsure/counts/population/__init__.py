"""The population of units: scores, cells, features, labels of some, and how these were drawn."""
