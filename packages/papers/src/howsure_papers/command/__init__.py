"""`howsure reproduce`."""
