"""clew answers natural-language questions over a knowledge graph and hands over the thread it followed."""

__version__ = "0.1.0"
