from howsure_events.explorer.access import Tokens as Tokens, Visitor as Visitor
from howsure_events.explorer.app import create_app as create_app
from howsure_events.explorer.labelling import Room as Room
from howsure_events.explorer.page_file import events_report as events_report
from howsure_events.explorer.server import Address as Address, Opening as Opening, serve as serve
