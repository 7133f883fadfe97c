"""Who may ask the page: hosts, tokens, connections, and the headers of every answer."""
