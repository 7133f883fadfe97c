"""From pairs to bins, and the sums that a bin keeps of its pairs."""
