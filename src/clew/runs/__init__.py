"""One folder per run: manifest, append-only rows, resume."""
