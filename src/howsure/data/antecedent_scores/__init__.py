"""The scores with which any coreference model chooses antecedents: what they are, and their files."""
