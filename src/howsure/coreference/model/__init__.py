"""The antecedent model: its features, weights and training."""
