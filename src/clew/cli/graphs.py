"""Commands on graphs."""
