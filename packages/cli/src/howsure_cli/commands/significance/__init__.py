"""`howsure significance`."""
