"""Read files of predictions as prediction–label pairs, in memory or as a stream."""
