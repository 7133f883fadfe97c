"""The maps: one file each."""
