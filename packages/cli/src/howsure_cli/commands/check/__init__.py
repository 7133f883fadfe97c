"""`howsure check`: verdicts for people and for continuous integration."""
