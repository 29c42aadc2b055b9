"""Texts to vectors: encoders, vectors cached on disk, and nearest-neighbour search over them."""
