"""The documentation site: pages collected from the repository, an API reference, and a check of what was built."""
