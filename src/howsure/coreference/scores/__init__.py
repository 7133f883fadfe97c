"""How good is a clustering? The metrics of the field."""
