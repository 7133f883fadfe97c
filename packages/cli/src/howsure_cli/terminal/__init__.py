"""Common parts of commands: options, output, progress, and exit codes."""
