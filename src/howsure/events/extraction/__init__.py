"""From a corpus to a store: what each document says, in one process or several."""
