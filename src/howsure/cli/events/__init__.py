"""`howsure events`."""
