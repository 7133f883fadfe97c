"""Series corrected by labels: what the model misses and invents, counted with the labels of a few hundred documents."""
