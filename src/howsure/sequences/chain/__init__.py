"""The linear chain: marginals, pairs, samples and best paths from log-potentials."""
