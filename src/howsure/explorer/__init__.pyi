from howsure.explorer.access import Tokens as Tokens, Visitor as Visitor
from howsure.explorer.app import create_app as create_app
from howsure.explorer.labelling import Room as Room
from howsure.explorer.one_file import events_report as events_report
from howsure.explorer.server import Address as Address, Opening as Opening, serve as serve
