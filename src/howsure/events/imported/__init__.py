"""Events that another model found: its probabilities or samples for dated documents, as a store."""
