"""Training the weights of a conditional random field."""
