"""Question sets: where they come from, what they hold, and how they are split."""
