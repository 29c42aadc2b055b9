"""Turns configuration into objects: the only place where a name in a file becomes a graph, a model or a method."""
