"""`howsure check`: verdicts for users and for continuous integration."""
