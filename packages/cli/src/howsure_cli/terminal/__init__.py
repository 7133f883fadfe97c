"""What commands share: options, output, progress, and how a command ends."""
