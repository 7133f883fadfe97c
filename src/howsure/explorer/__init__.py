"""The page of an events store: served on this machine, or as one file that needs no network."""

from howsure.explorer.access import Tokens
from howsure.explorer.app import create_app
from howsure.explorer.labelling import Room
from howsure.explorer.monitor_page import monitor_report
from howsure.explorer.one_file import Included, events_report
from howsure.explorer.server import Address, Opening, serve

__all__ = ["Address", "Included", "Opening", "Room", "Tokens", "create_app", "events_report", "monitor_report", "serve"]
