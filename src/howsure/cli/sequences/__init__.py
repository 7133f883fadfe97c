"""`howsure sequences`."""
