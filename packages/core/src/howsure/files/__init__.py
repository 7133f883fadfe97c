"""Files: written whole or not at all, read with limits, and never unpickled."""
