"""`howsure calibration`."""
