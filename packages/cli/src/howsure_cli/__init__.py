"""The command line of howsure: commands, reports, checks from files, and the plugin of pytest."""

HELP_OPTIONS = ("--help", "-h")
TRACEBACK = "--traceback"  # an option of every command
