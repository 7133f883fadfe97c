"""The posterior over entity clusterings, and every quantity that follows from it."""
