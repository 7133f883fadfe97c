"""What a reader sees: tables, numbers, and names made harmless."""
