"""Output for people: tables, numbers, and escaped names."""
