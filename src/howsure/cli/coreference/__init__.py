"""`howsure coreference`."""
