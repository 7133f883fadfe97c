"""The command line of howsure: commands, reports, checks from files, and the plugin of pytest."""
