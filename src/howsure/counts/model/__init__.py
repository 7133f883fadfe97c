"""The statistical model of counts: a proxy for unread labels, and levels that say how far it is off in a cell."""
