"""Who may act: lexicons of names."""
