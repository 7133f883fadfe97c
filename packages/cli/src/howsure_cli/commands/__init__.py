"""The commands of `howsure`, one file or folder each."""
