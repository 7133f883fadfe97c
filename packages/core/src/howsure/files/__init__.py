"""Reading and writing files: writes are atomic, reads have limits, and nothing is unpickled."""
