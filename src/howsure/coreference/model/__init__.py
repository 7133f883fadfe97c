"""The antecedent model: its features, its weights, and how they are learned."""
