"""What counts as an event: rules over dependency trees."""
