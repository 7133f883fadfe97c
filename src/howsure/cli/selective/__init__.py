"""`howsure selective`."""
