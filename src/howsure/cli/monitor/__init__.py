"""`howsure monitor`."""
