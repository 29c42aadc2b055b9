"""One process that answers for everybody: HTTP API, page, OpenAI-compatible endpoint, MCP.

Above the workspace and beside the adapters: it opens graphs and methods as the command line does, keeps one of each in
memory, and lets questions that arrive together share a batch. Nothing imports it but the command line, which needs the
extra `serve` for it; `followup` needs no extra and also serves `clew chat`.

Read `service.py` first: every door (`api`, `openai`, `agents`) is a thin shell around it.
"""
