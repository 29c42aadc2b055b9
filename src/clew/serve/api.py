"""The HTTP API, version 1, with the page beside it.

Routes hold no logic: they read a request, call the service and hand its reply on. `OpenAPI` is made from the records.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

import clew
from clew.errors import ClewError
from clew.serve import records
from clew.serve.guard import Guard, error_body, problem, status_of
from clew.serve.hosting import Host
from clew.serve.memory import trim
from clew.serve.observe import Metrics, note
from clew.serve.service import Answered, Service
from clew.serve.settings import ServeSettings
from clew.types import to_json

log = logging.getLogger("clew.serve")

PAGE = Path(__file__).parent / "page"
BEAT_S = 10.0  # between two signs of life in a stream
TRIM_S = 5.0  # between two returns of free memory

_PROBLEM = {"$ref": "#/components/schemas/Problem"}
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": what, "content": {"application/problem+json": {"schema": _PROBLEM}}}
    for status, what in (
        (401, "No token, or a wrong one."), (404, "No such graph, method or entity."),
        (413, "Too large."), (415, "No JSON."), (422, "Not what was expected."), (429, "Too many requests."),
        (500, "A fault of the server."), (503, "Busy."), (504, "Too slow."),
    )
}  # fmt: skip

GraphName = Annotated[str | None, Query(max_length=4_000, description="Name of the graph; default: the first one.")]


def json_reply(reply: BaseModel) -> Response:
    """A record as it is, without a second check."""
    return Response(reply.model_dump_json(), media_type="application/json")


def build_app(host: Host, settings: ServeSettings) -> ASGIApp:
    """The whole application: API, OpenAI-compatible endpoint, MCP, page, behind the guard."""
    settings.checked()
    metrics = Metrics()
    service = Service(host)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            mount_mcp = app.state.mcp
            if mount_mcp is not None:
                await stack.enter_async_context(mount_mcp.session_manager.run())
            opening = asyncio.create_task(_open_defaults(app, service))
            watching = asyncio.create_task(_watch(service, metrics, settings.reload_s))
            yield
            app.state.readiness = "stopping"
            for task in (opening, watching):
                task.cancel()
            await asyncio.gather(opening, watching, return_exceptions=True)
            await asyncio.to_thread(host.close, settings.grace_s)

    app = FastAPI(
        title="clew",
        version=clew.__version__,
        summary="Answers questions over knowledge graphs, with evidence.",
        description="Read-only. Errors are `application/problem+json`; each reply names its request in `x-request-id`.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        separate_input_output_schemas=False,
    )
    app.state.service, app.state.settings, app.state.metrics = service, settings, metrics
    app.state.readiness, app.state.mcp = "starting", None
    _errors(app, service)
    app.include_router(_routes())
    from clew.serve.openai import routes as openai_routes

    app.include_router(openai_routes())
    _mount_mcp(app, service)
    _describe(app)
    app.mount("/static", StaticFiles(directory=PAGE), name="static")
    return Guard(app, settings, metrics)


def _describe(app: FastAPI) -> None:
    """Put the shape of problems into the OpenAPI document in place of FastAPI's own errors."""
    made = app.openapi

    def openapi() -> dict[str, Any]:
        document = made()
        schemas = document["components"]["schemas"]
        if "Problem" not in schemas:
            schemas["Problem"] = records.Problem.model_json_schema()
            for unused in ("HTTPValidationError", "ValidationError"):
                schemas.pop(unused, None)
            for operations in document["paths"].values():
                for operation in operations.values():
                    refused = operation["responses"].get("422")
                    if refused is not None and "application/problem+json" not in refused.get("content", {}):
                        operation["responses"]["422"] = {"description": "Not what was expected."}
        return document

    app.openapi = openapi  # type: ignore[method-assign]  # as FastAPI's documentation says to


def _mount_mcp(app: FastAPI, service: Service) -> None:
    """MCP at /mcp where its package is installed."""
    from clew.extras import missing_modules

    if missing_modules("mcp"):
        return
    from clew.serve.agents import mcp_server

    server = mcp_server(service)
    mounted = server.streamable_http_app(
        streamable_http_path="/mcp", stateless_http=True, json_response=True, transport_security=_no_check()
    )
    app.state.mcp = server
    app.router.routes.extend(mounted.routes)


def _no_check() -> Any:
    """The guard has checked host and origin already, with the names of this process."""
    from mcp.server.transport_security import TransportSecuritySettings

    return TransportSecuritySettings(enable_dns_rebinding_protection=False)


async def _open_defaults(app: FastAPI, service: Service) -> None:
    """Open the default method of every graph, so that the first question finds it warm."""
    for name, hosted in service.host.graphs.items():
        try:
            await asyncio.to_thread(hosted.now.desk, hosted.now.default)
            await asyncio.to_thread(hosted.now.completion.suggest, "a", 1)
        except ClewError as error:  # whoever asks is told; other methods and the graph itself can be used
            log.warning("graph %s: %s", name, error)
    app.state.readiness = "ok"


async def _watch(service: Service, metrics: Metrics, pause_s: float) -> None:
    """Replace graphs that change on disk, and now and then return the memory that answers have freed."""
    loop, trimmed = asyncio.get_running_loop(), 0.0
    while True:
        await asyncio.sleep(pause_s)
        if loop.time() - trimmed >= TRIM_S:
            trimmed = loop.time()
            await asyncio.to_thread(trim)
        for name in await asyncio.to_thread(service.host.refresh):
            metrics.reloads.labels(name).inc()


def _errors(app: FastAPI, service: Service) -> None:
    """Every error as a problem, or in OpenAI's form below its paths."""

    def reply(request: Request, status: int, detail: str, allow: str = "") -> Response:
        body, kind = error_body(request.url.path, status, detail, request.state.id)
        headers = {"retry-after": "1"} if status == 503 else {"allow": allow} if allow else {}
        return Response(body, status, headers, media_type=kind)

    @app.exception_handler(ClewError)
    async def clew_error(request: Request, error: ClewError) -> Response:
        return reply(request, status_of(error), service.public(error))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        if isinstance(error.body, bytes):
            kind = request.headers.get("content-type", "")[:80]
            return reply(request, 415, f"content-type = {kind!r}, expected application/json: send it with the body")
        return reply(request, 422, "; ".join(_explained(each) for each in error.errors()[:5]))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        detail, path = error.detail, request.url.path[:200]
        allow = (error.headers or {}).get("Allow", "")  # as Starlette's router writes it
        if error.status_code == 404:
            detail = f"nothing at {path!r}; see /openapi.json"
        elif error.status_code == 405:
            detail = f"{request.method} {path!r} does not exist, expected {allow}; see /openapi.json"
        return reply(request, error.status_code, detail, allow)


def _explained(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"] if part != "body")
    if error["type"] == "json_invalid":
        return f"the body is no JSON: {error.get('ctx', {}).get('error', error['msg'])} at character {error['loc'][-1]}"
    value = repr(error.get("input"))
    shown = value if len(value) <= 80 else value[:77] + "…"
    return f"{where or 'body'} = {shown}: {error['msg'].removeprefix('Value error, ')}"


def service_of(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def noted_answer(request: Request, answered: Answered) -> None:
    """What an answered question adds to log and metrics; its text only where that was asked for."""
    metrics: Metrics = request.app.state.metrics
    state = "answered" if answered.answer.candidates else "abstained"
    metrics.questions.labels(answered.graph, answered.answer.method, state).inc()
    metrics.batch.observe(answered.batch)
    metrics.waited.observe(answered.waited_s)
    said: dict[str, Any] = {"question": answered.question} if request.app.state.settings.log_questions else {}
    note(
        graph=answered.graph,
        method=answered.answer.method,
        answers=len(answered.answer.candidates),
        batch=answered.batch,
        **said,
    )


def explained(request: Request, service: Service, error: Exception) -> tuple[int, str]:
    """Status and message of whatever ended a stream; what is no ClewError goes into the log."""
    if isinstance(error, ClewError):
        return status_of(error), service.public(error)
    log.exception("request %s failed", request.state.id, exc_info=error)
    return 500, f"something went wrong here; the server's log has it under {request.state.id}"


def event(name: str, data: Any) -> bytes:
    """One server-sent event."""
    text = data.model_dump_json() if isinstance(data, BaseModel) else json.dumps(to_json(data), ensure_ascii=False)
    return f"event: {name}\ndata: {text}\n\n".encode()


async def streamed(
    work: Callable[[Callable[[str, Any], None]], Any], failed: Callable[[Exception], bytes]
) -> AsyncIterator[bytes]:
    """What `work` tells while it runs, then what it returns (bytes each); ends with the client."""
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()

    async def run() -> None:
        try:
            for part in await work(lambda name, data: queue.put_nowait(event(name, data))):
                queue.put_nowait(part)
        except Exception as error:  # noqa: BLE001 - a stream that has begun can only say it inside
            queue.put_nowait(failed(error))
        finally:
            queue.put_nowait(None)

    task = asyncio.create_task(run())
    try:
        while True:
            try:
                part = await asyncio.wait_for(queue.get(), BEAT_S)
            except TimeoutError:
                part = b": still at work\n\n"
            if part is None:
                return
            yield part
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _routes() -> APIRouter:
    api = APIRouter(responses=_PROBLEMS)

    @api.post("/v1/ask", response_model=records.AskReply, tags=["questions"])
    async def ask(request: Request, body: records.AskRequest) -> Response:
        """Answer a question. With `stream` true, or `Accept: text/event-stream`, the stages linking, search, evidence
        and answer arrive as server-sent events."""
        service = service_of(request)
        if body.stream or "text/event-stream" in request.headers.get("accept", ""):
            return _stream(request, service, body)
        answered, reply = await _answered(service, body, None)
        noted_answer(request, answered)
        return json_reply(reply)

    @api.post("/v1/retrieve", response_model=records.RetrieveReply, tags=["questions"])
    async def retrieve(request: Request, body: records.AskRequest) -> Response:
        """Evidence for a question without an answer."""
        return json_reply(await service_of(request).retrieve(body))

    @api.post("/v1/link", response_model=records.LinkReply, tags=["questions"])
    async def link(request: Request, body: records.QuestionRequest) -> Response:
        """Which entities a question is about, and which others it may name."""
        return json_reply(await service_of(request).link(body))

    @api.post("/v1/why-not", response_model=records.WhyNotReply, tags=["questions"])
    async def why_not(request: Request, body: records.WhyNotRequest) -> Response:
        """Why an entity is not among the answers: the nearest paths to it and where they fell behind."""
        return json_reply(await service_of(request).why_not(body))

    @api.post("/v1/verify", response_model=records.VerifyReply, tags=["questions"])
    async def verify(request: Request, body: records.VerifyRequest) -> Response:
        """Whether the graph states every triple of an answer's evidence."""
        return json_reply(await service_of(request).verify(body))

    @api.get("/v1/entities", response_model=records.EntitiesReply, tags=["graph"])
    async def entities(
        request: Request,
        prefix: Annotated[str, Query(max_length=200, description="Beginning of a name.")],
        graph: GraphName = None,
        limit: Annotated[int, Query(ge=1, le=50)] = 10,
    ) -> Response:
        """Entities whose name begins so; then entities called nearly so."""
        return json_reply(await service_of(request).complete(records.plain(prefix), graph, limit))

    @api.get("/v1/entities/{id:path}", response_model=records.EntityReply, tags=["graph"])
    async def entity(
        request: Request,
        id: str,
        graph: GraphName = None,
        offset: Annotated[int, Query(ge=0, le=100_000_000)] = 0,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        relation: Annotated[str | None, Query(max_length=4_000)] = None,
        direction: Literal["out", "in", "both"] = "both",
    ) -> Response:
        """An entity and one page of its triples."""
        found = await service_of(request).entity(
            id, graph, offset=offset, limit=limit, relation=relation, direction=direction
        )
        return json_reply(found)

    @api.get("/v1/graphs", response_model=records.GraphsReply, tags=["graph"])
    async def graphs(request: Request) -> Response:
        """The graphs served here."""
        host = service_of(request).host
        return json_reply(records.GraphsReply(graphs=tuple(host.graphs), default=host.default))

    @api.get("/v1/graph", response_model=records.GraphReply, tags=["graph"])
    async def graph_info(request: Request, graph: GraphName = None) -> Response:
        """Counts, relations and degrees of a graph."""
        return json_reply(await service_of(request).info(graph))

    @api.get("/v1/methods", response_model=records.MethodsReply, tags=["graph"])
    async def methods(request: Request, graph: GraphName = None) -> Response:
        """The methods, which can answer over this graph, and what the others lack."""
        return json_reply(await service_of(request).methods(graph))

    @api.get("/healthz", response_model=records.Health, tags=["process"])
    async def healthz() -> Response:
        """The process is alive."""
        return json_reply(records.Health(state="ok"))

    @api.get("/readyz", response_model=records.Health, tags=["process"], responses={503: {"model": records.Health}})
    async def readyz(request: Request) -> Response:
        """Graphs and default methods are open; 503 until then."""
        state = request.app.state.readiness
        return JSONResponse({"state": state}, 200 if state == "ok" else 503)

    @api.get("/metrics", response_class=Response, tags=["process"])
    async def metrics(request: Request) -> Response:
        """Figures for Prometheus."""
        return Response(request.app.state.metrics.text(), media_type="text/plain; version=0.0.4")

    @api.get("/", include_in_schema=False)
    async def page() -> Response:
        return FileResponse(PAGE / "index.html")

    @api.get("/favicon.ico", include_in_schema=False)
    async def icon() -> Response:
        return FileResponse(PAGE / "icon.svg", media_type="image/svg+xml")

    return api


async def _answered(service: Service, body: records.AskRequest, on_stage: Any) -> tuple[Answered, records.AskReply]:
    answered = await service.ask(body, on_stage)
    return answered, service.reply(answered, limit=body.limit, threads=body.threads)


def _stream(request: Request, service: Service, body: records.AskRequest) -> Response:
    async def work(tell: Callable[[str, Any], None]) -> list[bytes]:
        answered, reply = await _answered(service, body, tell)
        noted_answer(request, answered)
        return [event("answer", reply)]

    def failed(error: Exception) -> bytes:
        status, detail = explained(request, service, error)
        return event("error", problem(status, detail, request.state.id))

    return StreamingResponse(streamed(work, failed), media_type="text/event-stream")
