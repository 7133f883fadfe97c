"""Files: written atomically, read with limits, and never unpickled."""
