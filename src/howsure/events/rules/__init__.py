"""Event definitions: rules over dependency trees."""
