"""The commands `howsure sequences` and `howsure coreference`."""
