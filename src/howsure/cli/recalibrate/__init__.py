"""`howsure recalibrate`."""
