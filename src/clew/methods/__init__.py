"""The methods, one room each. A room is complete and imports no other room."""
