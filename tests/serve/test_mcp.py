"""MCP with the SDK's own client: in memory, over streamable HTTP and over stdio."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from clew.serve.agents import mcp_server
from clew.serve.service import Service

from .conftest import Running

TOOLS = {"ask", "retrieve", "find_entity", "neighbors", "schema", "verify"}
QUESTION = "What is the capital of France?"


@asynccontextmanager
async def connected(service: Running, how: str) -> AsyncIterator[Client]:
    if how == "memory":
        async with Client(mcp_server(Service(service.host))) as client:
            yield client
    elif how == "http":
        async with Client(f"{service.url}/mcp") as client:
            yield client
    else:
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
        command = ["-m", "clew", "mcp", f"films={service.folder}", "--method", "walk", "--set", "encoder.name=hash-256"]
        parameters = StdioServerParameters(command=sys.executable, args=command, env=environment)
        async with Client(stdio_client(parameters)) as client:
            yield client


def run(work: Any) -> None:
    anyio.run(work)


@pytest.mark.parametrize("how", ["memory", "http", "stdio"])
def test_every_tool_over_every_transport(service: Running, how: str) -> None:
    async def work() -> None:
        async with connected(service, how) as client:
            listed = (await client.list_tools()).tools
            assert {tool.name for tool in listed} == TOOLS
            assert all(tool.annotations and tool.annotations.read_only_hint for tool in listed)
            assert all(tool.output_schema for tool in listed)
            found = (await client.call_tool("find_entity", {"name": "Terry"})).structured_content
            assert found["entities"][0]["label"] == "Terry Gilliam"
            page = (await client.call_tool("neighbors", {"entity": "festival", "limit": 20})).structured_content
            assert (len(page["triples"]), page["total"], page["next_offset"]) == (20, 150, 20)
            schema = (await client.call_tool("schema", {})).structured_content
            assert schema["relations"][0]["label"] == "shown at"
            triples = [["france", "capital", "paris"], ["france", "capital", "rome"]]
            proof = (await client.call_tool("verify", {"triples": triples})).structured_content
            assert not proof["proven"]
            assert len(proof["problems"]) == 1
            asked = {"question": QUESTION} | ({} if how == "stdio" else {"method": "follow"})
            answer = (await client.call_tool("ask", asked)).structured_content
            if how != "stdio":
                assert answer["answers"][0]["text"] == "Paris"
                assert answer["answers"][0]["evidence"] == ["France –capital→ Paris"]
            evidence = (await client.call_tool("retrieve", asked)).structured_content
            for triple in evidence["triples"]:
                checked = (await client.call_tool("verify", {"triples": [triple]})).structured_content
                assert checked["proven"]
            resource = await client.read_resource("clew://films/schema")
            assert "shown at" in resource.contents[0].text

    run(work)


def test_errors_say_what_to_try(service: Running) -> None:
    async def work() -> None:
        async with connected(service, "http") as client:
            for tool, arguments, says in (
                ("ask", {"question": QUESTION, "graph": "flims"}, "nearest: 'films'"),
                ("ask", {"question": QUESTION, "topics": ["Franse"]}, "France"),
                ("ask", {"question": "a\x00b"}, "control character"),
                ("neighbors", {"entity": "Pariss"}, "Paris"),
                ("neighbors", {"entity": "paris", "limit": 10**6}, "limit"),
                ("ask", {}, "question"),
            ):
                result = await client.call_tool(tool, arguments)
                text = result.content[0].text
                assert result.is_error, tool
                assert says in text, text
                assert str(service.folder) not in text
                assert "Traceback" not in text

    run(work)


def test_outputs_stay_small(service: Running) -> None:
    async def work() -> None:
        async with connected(service, "http") as client:
            asked = {"question": "What was shown at the Festival?", "method": "follow", "limit": 50}
            result = await client.call_tool("ask", asked)
            assert len(result.structured_content["answers"]) == 50
            assert result.structured_content["total"] == 150
            assert len(result.content[0].text) < 20_000

    run(work)
