"""Probabilities of coreference mended by gold entities: sharpening, and the confidence in entities."""
