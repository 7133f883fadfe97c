"""Reading and writing documents and tagged sentences in the field's formats."""
