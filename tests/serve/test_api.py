"""The HTTP API over a real socket: what it answers, what it refuses, and that its own description is true."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

import httpx2
import jsonschema
import pytest

from clew.graph import Graph, add
from clew.graph.verify import verify
from clew.types import answer_from_json

from .conftest import HOSTILE, Running, Start, until

QUESTION = "What is the capital of France?"


@pytest.fixture
def client(service: Running) -> Any:
    with service.client() as client:
        yield client


def ask(client: httpx2.Client, question: str = QUESTION, **more: Any) -> httpx2.Response:
    return client.post("/v1/ask", json={"question": question, **more})


def test_an_answer_is_whole_and_proven(client: httpx2.Client, service: Running) -> None:
    reply = ask(client).json()
    assert reply["state"] == "answered"
    assert [c["text"] for c in reply["candidates"]] == ["Paris"]
    assert reply["topics"][0]["entity"]["label"] == "France"
    assert reply["plan"]["words"] == [
        "Start at France.",
        "Follow “capital” from there.",
        "What is reached is the answer.",
    ]
    assert reply["plan"]["sparql"] is None  # the ids of this graph are no IRIs
    graph = Graph.open(service.folder)
    assert reply["version"] == graph.name
    record = {
        "question": {"id": reply["id"], "text": reply["asked"], "topics": []}, "method": reply["method"],
        "candidates": [{k: c[k] for k in ("text", "score", "entity", "paths")} for c in reply["candidates"]],
        **{k: reply[k] for k in ("evidence", "topics", "note", "reply", "usage", "seconds", "details")},
    }  # fmt: skip
    assert verify(answer_from_json(record), graph) == []
    proof = client.post("/v1/verify", json={"evidence": reply["evidence"], "candidates": reply["candidates"]}).json()
    assert proof["proven"], proof


def test_a_forged_triple_is_not_proven(client: httpx2.Client) -> None:
    good, bad = ["france", "capital", "paris"], ["france", "capital", "rome"]
    assert client.post("/v1/verify", json={"triples": [good]}).json()["proven"]
    reply = client.post("/v1/verify", json={"triples": [good, bad]}).json()
    assert not reply["proven"]
    assert "rome" in reply["problems"][0]


def test_answers_and_threads_are_cut_to_what_was_asked_for(client: httpx2.Client) -> None:
    reply = ask(client, "What was shown at the Festival?", limit=7, threads=1).json()
    assert (len(reply["candidates"]), reply["total"]) == (7, 150)
    assert len(reply["evidence"]["paths"]) == 7
    assert [c["paths"] for c in reply["candidates"]] == [[i] for i in range(7)]
    for candidate in reply["candidates"]:
        path = reply["evidence"]["paths"][candidate["paths"][0]]
        last = path["hops"][-1]["triple"]
        assert candidate["entity"] in (last["head"], last["tail"])


def test_an_abstention_says_why(client: httpx2.Client) -> None:
    reply = ask(client, "Who painted the Mona Lisa?").json()
    assert (reply["state"], reply["candidates"], reply["plan"]) == ("abstained", [], None)
    assert reply["note"]


def test_the_stream_tells_its_stages(client: httpx2.Client) -> None:
    with client.stream("POST", "/v1/ask", json={"question": QUESTION, "stream": True}) as reply:
        assert reply.headers["content-type"].startswith("text/event-stream")
        events = re.findall(r"event: (\w+)\ndata: (.*)\n\n", reply.read().decode())
    assert [name for name, _ in events] == ["linking", "search", "evidence", "answer"]
    assert json.loads(events[0][1])["topics"][0]["entity"]["label"] == "France"
    whole = ask(client).json()
    streamed = json.loads(events[-1][1])
    assert streamed["candidates"] == whole["candidates"]


def test_a_stream_that_fails_says_so_inside(client: httpx2.Client) -> None:
    reply = client.post("/v1/ask", json={"question": QUESTION, "method": "no such", "stream": True})
    assert '"status": 404' in reply.text
    assert reply.text.startswith("event: error")


def test_topics_can_be_corrected(client: httpx2.Client) -> None:
    both = ask(client, "What is the capital of Brazil?", method="follow").json()
    right = ask(client, "What is the capital of Brazil?", topics=["brazil2"]).json()
    assert [c["text"] for c in right["candidates"]] == ["Brasília"]
    assert right["topics"][0]["entity"]["id"] == "brazil2"
    assert both["topics"]


def test_a_follow_up_refers_to_the_earlier_turn(client: httpx2.Client) -> None:
    first = ask(client).json()
    turn = {
        "question": QUESTION,
        "topics": [topic["entity"]["id"] for topic in first["topics"]],
        "answers": [candidate["entity"]["id"] for candidate in first["candidates"]],
    }
    reply = ask(client, "And Italy?", history=[turn]).json()
    assert [c["text"] for c in reply["candidates"]] == ["Rome"]
    assert reply["question"] == "And Italy?"
    assert reply["asked"] == "What is the capital of Italy?"
    reply = ask(client, "What is its currency?", history=[turn]).json()
    assert [c["text"] for c in reply["candidates"]] == ["Euro"]
    assert "read as France" in reply["note"]


def test_retrieve_gives_evidence_and_no_answers(client: httpx2.Client) -> None:
    reply = client.post("/v1/retrieve", json={"question": "Who starred in Brazil?", "limit": 5}).json()
    assert "candidates" not in reply
    assert len(reply["text"]) == len(reply["evidence"]["paths"])
    assert all("starred" in text for text in reply["text"])


def test_link_names_the_namesakes(client: httpx2.Client) -> None:
    reply = client.post("/v1/link", json={"question": "Who starred in Brazil?"}).json()
    ids = {topic["entity"]["id"] for topic in reply["candidates"]}
    assert {"brazil", "brazil2"} <= ids
    assert {topic["entity"]["id"] for topic in reply["topics"]} <= ids


def test_completion_begins_with_what_was_typed(client: httpx2.Client) -> None:
    found = client.get("/v1/entities", params={"prefix": "ter"}).json()["entities"]
    assert found[0]["entity"]["label"] == "Terry Gilliam"
    assert found[0]["degree"] == 5
    exact = client.get("/v1/entities", params={"prefix": "film 1", "limit": 5}).json()["entities"]
    assert exact[0]["entity"]["label"] == "Film 1"
    assert len(exact) == 5
    typo = client.get("/v1/entities", params={"prefix": "Jonathan Price"}).json()["entities"]
    assert typo[0]["entity"]["label"] == "Jonathan Pryce"


def test_an_entity_is_paged_without_gaps(client: httpx2.Client) -> None:
    seen: list[Any] = []
    offset: int | None = 0
    while offset is not None:
        page = client.get("/v1/entities/festival", params={"offset": offset, "limit": 40}).json()
        seen += page["triples"]
        offset = page["next"]
    assert len(seen) == len({json.dumps(triple) for triple in seen}) == page["total"] == 150
    assert page["relations"] == [
        {"relation": {"id": "shown at", "label": "shown at"}, "direction": "in", "triples": 150}
    ]
    one = client.get("/v1/entities/brazil", params={"relation": "starred"}).json()
    assert one["total"] == 2
    assert client.get("/v1/entities/brazil", params={"direction": "in"}).json()["total"] == 0


def test_ids_with_slashes_and_marks_are_found(start: Start) -> None:
    running = start()
    odd = "http://example.org/a b?c=1#d%2F"
    add(running.folder, [("france", "neighbour", odd)])
    with running.client() as client:
        until(lambda: client.get(f"/v1/entities/{quote(odd, safe='')}").status_code == 200)


def test_the_graph_and_its_methods_are_described(client: httpx2.Client, service: Running) -> None:
    graph = client.get("/v1/graph").json()
    assert graph["triples"] == len(Graph.open(service.folder).whole.heads)
    assert graph["default_method"] == "follow"
    assert graph["examples"][0] == "Brazil"
    methods = {m["name"]: m for m in client.get("/v1/methods").json()["methods"]}
    assert methods["follow"]["ready"]
    assert methods["follow"]["default"]
    assert not methods["io"]["ready"]
    assert "language model" in methods["io"]["lacks"][-1]


def test_why_not_names_path_and_place(client: httpx2.Client) -> None:
    body = {"question": "Who starred in Brazil?", "entity": "Terry Gilliam", "topics": ["brazil"]}
    reply = client.post("/v1/why-not", json=body).json()
    assert reply["rank"] is None
    assert reply["paths"][0]["words"] == "Brazil –directed by→ Terry Gilliam"
    assert "directed by" in reply["paths"][0]["differs"]
    assert reply["followed"].startswith("Brazil –starred→")
    inside = client.post("/v1/why-not", json={**body, "entity": "pryce"}).json()
    assert inside["rank"] in (1, 2)
    apart = client.post("/v1/why-not", json={**body, "entity": "Paris"}).json()
    assert "no path" in apart["reason"]


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"question": ""}, 422, "empty"),
        ({"question": "   "}, 422, "empty"),
        ({}, 422, "question"),
        ({"question": 7}, 422, "string"),
        ({"question": "a\x00b"}, 422, "control character"),
        ({"question": "a\x1b[31mb"}, 422, "control character"),
        ({"question": "x" * 3000}, 422, "at most 2,000"),
        ({"question": QUESTION, "graph": "flims"}, 404, "nearest: 'films'"),
        ({"question": QUESTION, "method": "walkk"}, 404, "nearest: 'walk'"),
        ({"question": QUESTION, "method": "io"}, 422, "language model"),
        ({"question": QUESTION, "topics": ["Franse"]}, 404, "France"),
        ({"question": QUESTION, "limit": 0}, 422, "limit"),
        ({"question": QUESTION, "limit": 10**9}, 422, "limit"),
        ({"question": QUESTION, "colour": "red"}, 422, "colour"),
    ],
)
def test_bad_requests_get_one_message(client: httpx2.Client, body: Any, status: int, says: str) -> None:
    reply = client.post("/v1/ask", json=body)
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    problem = reply.json()
    assert set(problem) == {"type", "title", "status", "detail", "id"}
    assert says in problem["detail"]
    assert problem["id"] == reply.headers["x-request-id"]
    assert "Traceback" not in reply.text


@pytest.mark.parametrize("raw", [b"{", b"", b"[]", b"\xff\xfe", b'{"question": "\\ud800"}', b"nul"])
def test_broken_json_is_said(client: httpx2.Client, raw: bytes) -> None:
    reply = client.post("/v1/ask", content=raw, headers={"content-type": "application/json"})
    assert reply.status_code == 422, reply.text
    assert reply.headers["content-type"] == "application/problem+json"


def test_a_body_of_another_type_is_refused(client: httpx2.Client) -> None:
    reply = client.post("/v1/ask", content=b'{"question": "?"}', headers={"content-type": "text/plain"})
    assert reply.status_code == 415
    assert "expected application/json" in reply.json()["detail"]


def test_unknown_places_and_verbs(client: httpx2.Client) -> None:
    assert client.get("/v1/nothing").status_code == 404
    refused = client.get("/v1/ask")
    assert refused.status_code == 405
    assert refused.headers["allow"] == "POST"
    assert "expected POST" in refused.json()["detail"]
    assert client.delete("/v1/entities/brazil").status_code == 405
    assert client.get("/v1/entities/no such entity").json()["status"] == 404
    assert client.get("/static/../conftest.py").status_code == 404
    assert client.get("/static/%2e%2e/api.py").status_code == 404


def test_no_reply_names_a_folder(client: httpx2.Client, service: Running) -> None:
    replies = [
        client.get("/v1/graph"), client.get("/v1/methods"), client.get("/openapi.json"), ask(client),
        ask(client, method="scr"), ask(client, method="stem"), client.get("/metrics"), client.get("/v1/nothing"),
    ]  # fmt: skip
    for reply in replies:
        assert str(service.folder.parent) not in reply.text
        assert "/site-packages" not in reply.text


def test_the_openapi_document_is_valid_and_true(client: httpx2.Client) -> None:
    validate = pytest.importorskip("openapi_spec_validator").validate
    document = client.get("/openapi.json").json()
    validate(document)

    def check(reply: httpx2.Response, path: str, verb: str) -> None:
        content = document["paths"][path][verb]["responses"][str(reply.status_code)]["content"]
        schema = content[reply.headers["content-type"].partition(";")[0]]["schema"]
        jsonschema.validate(reply.json(), {**schema, "components": document["components"]})

    check(ask(client), "/v1/ask", "post")
    check(ask(client, ""), "/v1/ask", "post")
    check(ask(client, graph="none"), "/v1/ask", "post")
    check(client.post("/v1/retrieve", json={"question": QUESTION}), "/v1/retrieve", "post")
    check(client.post("/v1/link", json={"question": QUESTION}), "/v1/link", "post")
    check(client.post("/v1/verify", json={"triples": [["a", "b", "c"]]}), "/v1/verify", "post")
    why = {"question": QUESTION, "entity": "rome"}
    check(client.post("/v1/why-not", json=why), "/v1/why-not", "post")
    check(client.get("/v1/entities", params={"prefix": "b"}), "/v1/entities", "get")
    check(client.get("/v1/entities/brazil"), "/v1/entities/{id}", "get")
    for path in ("/v1/graphs", "/v1/graph", "/v1/methods", "/healthz", "/readyz", "/v1/models"):
        check(client.get(path), path, "get")


def test_labels_travel_as_data(client: httpx2.Client) -> None:
    reply = ask(client, "What was directed by Gilliam?", topics=["gilliam"])
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert HOSTILE in {c["text"] for c in reply.json()["candidates"]}


def test_metrics_count_questions_and_requests(start: Start) -> None:
    with start().client() as client:
        ask(client)
        ask(client, "Who painted the Mona Lisa?")
        counted = 'clew_requests_total{route="/v1/ask",status="200"} 2.0'
        until(lambda: counted in client.get("/metrics").text)  # a request is counted after its reply
        text = client.get("/metrics").text
    assert 'clew_questions_total{graph="films",method="follow",state="answered"} 1.0' in text
    assert 'clew_questions_total{graph="films",method="follow",state="abstained"} 1.0' in text


def test_an_operator_question_shows_its_plan(client: httpx2.Client) -> None:
    reply = ask(client, "How many films were directed by Terry Gilliam?", method="walk").json()
    assert reply["plan"]["source"] == "method"
    assert reply["candidates"][0]["text"] == "3"
    assert reply["candidates"][0]["computed"]
    assert reply["plan"]["text"].startswith("count(")
    assert "COUNT(" in reply["plan"]["sparql"]
