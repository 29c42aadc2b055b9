"""clew inside other frameworks: thin adapters, each in a module of its own that needs that framework and nothing else.

Import the one you need, such as `clew.adapters.langchain`; this package imports none of them.
"""
