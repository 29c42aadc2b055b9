"""The OpenAI-compatible endpoint: a graph, or a graph and a method, is a "model".

Kept apart from the API because it speaks another's language: lenient about what it is sent, exact in what it sends.
Graph text is untrusted and chat clients render Markdown, so labels are escaped: none becomes a link, an image or HTML.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Sequence
from secrets import token_hex
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse, Response, StreamingResponse

from clew.errors import InputError, NotFoundError, unknown
from clew.serve.api import explained, noted_answer, service_of, streamed
from clew.serve.guard import openai_problem
from clew.serve.records import MOST_TEXT, plain
from clew.serve.replies import one_line, said
from clew.serve.service import Answered, Service

ANSWERS = 10  # shown in the text of a reply
THREADS = 2  # citations of each
TASK = "### Task:"  # how Open WebUI begins requests for titles, tags and follow-ups
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>&$:@/])")


class _Lenient(BaseModel):
    """Whatever else a client sends is accepted and has no effect."""

    model_config = ConfigDict(extra="ignore")


class ChatMessage(_Lenient):
    role: str
    content: str | list[dict[str, Any]] | None = None


class StreamOptions(_Lenient):
    include_usage: bool = False


class ChatRequest(_Lenient):
    model: str = Field(max_length=1_000)
    messages: list[ChatMessage] = Field(min_length=1, max_length=1_000)
    stream: bool = False
    stream_options: StreamOptions | None = None


class ResponsesRequest(_Lenient):
    model: str = Field(max_length=1_000)
    input: str | list[dict[str, Any]]
    stream: bool = False


class ModelCard(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: Literal["clew"] = "clew"


class ModelList(BaseModel):
    object: Literal["list"] = "list"
    data: list[ModelCard]


def escaped(text: str) -> str:
    """`text` so that Markdown shows it as it is."""
    return _MARKDOWN.sub(r"\\\1", one_line(text))


def model_of(name: str, service: Service) -> tuple[str, str | None]:
    """The graph and the method that "clew/movies:scr" names. Raises NotFoundError."""
    graph, _, method = name.removeprefix("clew/").partition(":")
    if graph not in service.host.graphs:
        raise NotFoundError(unknown("model", name, [f"clew/{known}" for known in service.host.graphs]))
    return graph, method or None


def text_of(content: str | Sequence[dict[str, Any]] | None) -> str:
    """The text of a message, whose content may be parts."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return " ".join(str(part.get("text", "")) for part in content if part.get("type") in ("text", "input_text"))


def turns_of(messages: Sequence[ChatMessage]) -> list[str]:
    """What the user has said, oldest first. Raises InputError where there is nothing to answer."""
    texts = [text_of(message.content) for message in messages if message.role == "user"]
    if not texts or not texts[-1].strip():
        raise InputError("the last user message is empty; ask for example  'what is the capital of France?'")
    try:
        return [plain(text[:MOST_TEXT]) for text in texts if text.strip()]
    except ValueError as error:
        raise InputError(str(error)) from None


def chore(text: str) -> str | None:
    """The reply to a chat front end's own request (title, tags, follow-ups); None for a question of a person."""
    if not text.startswith(TASK):
        return None
    first = re.search(r"USER:\s*(.+?)(?:\s+ASSISTANT:|\s*</chat_history>|$)", text, re.IGNORECASE)
    title = (first.group(1) if first else "Questions to a graph")[:60]
    if "follow_ups" in text:
        return json.dumps({"follow_ups": []})
    if '"tags"' in text:
        return json.dumps({"tags": ["knowledge graph"]})
    if '"queries"' in text:
        return json.dumps({"queries": []})
    return json.dumps({"title": title}, ensure_ascii=False)


def written(answered: Answered, page: str) -> tuple[list[str], list[dict[str, Any]]]:
    """The reply as pieces of Markdown, and its citations as annotations that point at the page."""
    answer = answered.answer
    if not answer.candidates:
        return [f"No answer found\\. {escaped(answer.note.removeprefix('no answer found: '))}"], []
    numbers: dict[int, int] = {}
    pieces: list[str] = []
    annotations: list[dict[str, Any]] = []
    length = 0

    def put(text: str) -> None:
        nonlocal length
        pieces.append(text)
        length += len(text)

    for i, candidate in enumerate(answer.candidates[:ANSWERS]):
        put(f"{', ' if i else ''}**{escaped(candidate.text)}**")
        for position in candidate.paths[:THREADS]:
            number = numbers.setdefault(position, len(numbers) + 1)
            start = length + 1
            put(f" [{number}]")
            path = answer.evidence.paths[position]
            annotations.append(
                {
                    "type": "url_citation",
                    "url_citation": {
                        "url": _link(page, answered, candidate.entity.id if candidate.entity else None),
                        "title": said(path),
                        "start_index": start,
                        "end_index": length,
                    },
                }
            )
        if not candidate.supported:
            put(" (the graph holds no path to it)")
    if len(answer.candidates) > ANSWERS:
        put(f" and {len(answer.candidates) - ANSWERS} more")
    best = answer.candidates[0].score
    put(f"\n\nScore of the best: {best:.2f}\n\nEvidence\n\n")
    for position, number in numbers.items():
        put(f"{number}. {escaped(said(answer.evidence.paths[position]))}\n")
    if answer.note:
        put(f"\n{escaped(answer.note)}\n")
    return pieces, annotations


def _link(page: str, answered: Answered, entity: str | None) -> str:
    from urllib.parse import urlencode

    values = {"graph": answered.graph}
    values |= {"entity": entity} if entity else {"q": answered.question}
    return f"{page}#{urlencode(values)}"


def usage_of(answered: Answered) -> dict[str, int]:
    """Tokens of a language model; none where none was asked."""
    used = answered.answer.usage
    return {
        "prompt_tokens": used.prompt_tokens,
        "completion_tokens": used.completion_tokens,
        "total_tokens": used.prompt_tokens + used.completion_tokens,
    }


def routes() -> APIRouter:
    api = APIRouter(tags=["openai"])

    @api.get("/v1/models", response_model=ModelList)
    async def models(request: Request) -> Response:
        """Every graph, and every graph with a method that is ready, as a model."""
        service = service_of(request)
        cards = []
        for name in service.host.graphs:
            known = await service.methods(name)
            cards.append(f"clew/{name}")
            cards += [f"clew/{name}:{method.name}" for method in known.methods if method.ready]
        data = ModelList(data=[ModelCard(id=id, created=_started) for id in cards])
        return Response(data.model_dump_json(), media_type="application/json")

    @api.get("/v1/models/{id:path}", response_model=ModelCard)
    async def model(request: Request, id: str) -> Response:
        service = service_of(request)
        graph, method = model_of(id, service)
        service.host.method(service.host.graph(graph).now, method)
        return Response(ModelCard(id=id, created=_started).model_dump_json(), media_type="application/json")

    @api.post("/v1/chat/completions")
    async def chat(request: Request, body: ChatRequest) -> Response:
        """A chat completion: the last user turn is the question, earlier ones resolve its pronouns."""
        service = service_of(request)
        graph, method = model_of(body.model, service)
        turns = turns_of(body.messages)
        head = {"id": f"chatcmpl-{token_hex(12)}", "created": int(time.time()), "model": body.model}
        words = chore(text_of(body.messages[-1].content))
        page = str(request.base_url)
        if body.stream:
            usage = body.stream_options is not None and body.stream_options.include_usage
            return _chat_stream(request, service, turns, graph, method, head, words, page, usage)
        if words is not None:
            return JSONResponse(_completion(head, [words], [], None, {}))
        answered = await service.conversation(turns, graph=graph, method=method)
        noted_answer(request, answered)
        pieces, annotations = written(answered, page)
        return JSONResponse(_completion(head, pieces, annotations, _structured(service, answered), usage_of(answered)))

    @api.post("/v1/responses")
    async def responses(request: Request, body: ResponsesRequest) -> Response:
        """The newer form of the same, whole or streamed; nothing is stored."""
        service = service_of(request)
        graph, method = model_of(body.model, service)
        given = [{"role": "user", "content": body.input}] if isinstance(body.input, str) else body.input
        turns = turns_of([ChatMessage.model_validate({"role": "user", **each}) for each in given])
        answered = await service.conversation(turns, graph=graph, method=method)
        noted_answer(request, answered)
        pieces, annotations = written(answered, str(request.base_url))
        reply = _response(body.model, pieces, annotations, answered, _structured(service, answered))
        if not body.stream:
            return JSONResponse(reply)
        return StreamingResponse(_response_events(reply), media_type="text/event-stream")

    return api


_started = int(time.time())


def _structured(service: Service, answered: Answered) -> Any:
    return service.reply(answered, limit=20, threads=3).model_dump(mode="json")


def _completion(
    head: dict[str, Any], pieces: list[str], annotations: list[Any], structured: Any, usage: dict[str, int]
) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": "".join(pieces), "refusal": None}
    message["annotations"] = annotations
    if structured is not None:
        message["clew"] = structured
    none = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    return {
        **head,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}],
        "usage": usage or none,
    }


def _chat_stream(
    request: Request,
    service: Service,
    turns: list[str],
    graph: str,
    method: str | None,
    head: dict[str, Any],
    words: str | None,
    page: str,
    usage: bool,
) -> Response:
    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
        value = {**head, "object": "chat.completion.chunk", "choices": [choice], **more}
        return f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()

    async def work(_: Any) -> list[bytes]:
        parts = [chunk({"role": "assistant", "content": ""})]
        if words is not None:
            spent: dict[str, int] = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
            parts.append(chunk({"content": words}))
            parts.append(chunk({}, "stop"))
        else:
            answered = await service.conversation(turns, graph=graph, method=method)
            noted_answer(request, answered)
            pieces, annotations = written(answered, page)
            spent = usage_of(answered)
            parts += [chunk({"content": piece}) for piece in pieces]
            parts.append(chunk({"annotations": annotations, "clew": _structured(service, answered)}))
            parts.append(chunk({}, "stop"))
        if usage:
            last = {**head, "object": "chat.completion.chunk", "choices": [], "usage": spent}
            parts.append(f"data: {json.dumps(last)}\n\n".encode())
        return [*parts, b"data: [DONE]\n\n"]

    def failed(error: Exception) -> bytes:
        value = openai_problem(*explained(request, service, error))
        return f"data: {json.dumps(value)}\n\n".encode()

    return StreamingResponse(streamed(work, failed), media_type="text/event-stream")


def _response(
    model: str, pieces: list[str], annotations: list[dict[str, Any]], answered: Answered, structured: Any
) -> dict[str, Any]:
    flat = [{"type": "url_citation", **each["url_citation"]} for each in annotations]
    content = {"type": "output_text", "text": "".join(pieces), "annotations": flat, "logprobs": []}
    message = {
        "id": f"msg_{answered.id}", "type": "message", "role": "assistant", "status": "completed", "content": [content],
    }  # fmt: skip
    used = answered.answer.usage
    return {
        "id": f"resp_{answered.id}",
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "model": model,
        "output": [message],
        "parallel_tool_calls": False,
        "tool_choice": "none",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "usage": {
            "input_tokens": used.prompt_tokens,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": used.completion_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": used.prompt_tokens + used.completion_tokens,
        },
        "clew": structured,
    }


async def _response_events(reply: dict[str, Any]) -> AsyncIterator[bytes]:
    """The events in which a response is streamed."""
    message = reply["output"][0]
    part = message["content"][0]
    place = {"item_id": message["id"], "output_index": 0, "content_index": 0}
    empty = {**reply, "status": "in_progress", "output": [], "usage": None}
    events: list[tuple[str, dict[str, Any]]] = [
        ("response.created", {"response": empty}),
        ("response.in_progress", {"response": empty}),
        (
            "response.output_item.added",
            {"output_index": 0, "item": {**message, "status": "in_progress", "content": []}},
        ),
        ("response.content_part.added", {**place, "part": {**part, "text": "", "annotations": []}}),
        ("response.output_text.delta", {**place, "delta": part["text"], "logprobs": []}),
        ("response.output_text.done", {**place, "text": part["text"], "logprobs": []}),
        ("response.content_part.done", {**place, "part": part}),
        ("response.output_item.done", {"output_index": 0, "item": message}),
        ("response.completed", {"response": reply}),
    ]
    for number, (name, data) in enumerate(events):
        yield f"event: {name}\ndata: {json.dumps({'type': name, 'sequence_number': number, **data})}\n\n".encode()
