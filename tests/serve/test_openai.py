"""The OpenAI-compatible endpoint with the real client, and with the calls that Open WebUI documents."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from .conftest import HOSTILE, Running, Start

openai = pytest.importorskip("openai", reason="the extra llm is not installed")

QUESTION = "What is the capital of France?"


@pytest.fixture
def client(service: Running) -> Any:
    with openai.OpenAI(base_url=f"{service.url}/v1", api_key="none", max_retries=0) as client:
        yield client


def chat(client: Any, *turns: str, model: str = "clew/films", **more: Any) -> Any:
    roles = ["user", "assistant"]
    messages = [{"role": roles[i % 2], "content": text} for i, text in enumerate(turns)]
    return client.chat.completions.create(model=model, messages=messages, **more)


def test_graphs_and_methods_are_models(client: Any) -> None:
    ids = [model.id for model in client.models.list()]
    assert ids[0] == "clew/films"
    assert {"clew/films:follow", "clew/films:walk"} <= set(ids)
    assert "clew/films:io" not in ids  # there is no language model here
    assert client.models.retrieve("clew/films:follow").owned_by == "clew"


def test_a_completion_cites_its_evidence(client: Any, service: Running) -> None:
    reply = chat(client, QUESTION, temperature=0.3, user="somebody", stop=["x"], presence_penalty=0.1)
    message = reply.choices[0].message
    assert message.content.startswith("**Paris** [1]")
    assert "1. France –capital→ Paris" in message.content
    citation = message.annotations[0].url_citation
    assert message.content[citation.start_index : citation.end_index] == "[1]"
    assert citation.url.startswith(f"{service.url}/#graph=films&entity=paris")
    assert message.model_extra["clew"]["candidates"][0]["text"] == "Paris"
    assert reply.choices[0].finish_reason == "stop"
    assert reply.usage.total_tokens == 0  # no language model was asked


def test_a_stream_holds_the_same(client: Any) -> None:
    whole = chat(client, QUESTION)
    chunks = list(chat(client, QUESTION, stream=True, stream_options={"include_usage": True}))
    text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
    assert text == whole.choices[0].message.content
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    assert chunks[-1].usage.total_tokens == 0
    assert chunks[-1].choices == []
    annotated = [c.choices[0].delta.model_extra for c in chunks if c.choices and c.choices[0].delta.model_extra]
    assert annotated[0]["annotations"][0]["type"] == "url_citation"


def test_pronouns_are_resolved_by_earlier_turns(client: Any) -> None:
    reply = chat(client, QUESTION, "**Paris**", "And Italy?")
    assert reply.choices[0].message.content.startswith("**Rome**")
    reply = chat(client, QUESTION, "**Paris**", "What is its currency?")
    assert reply.choices[0].message.content.startswith("**Euro**")
    alone = chat(client, "What is its currency?")
    assert "No answer found" in alone.choices[0].message.content


def test_content_may_be_parts(client: Any) -> None:
    parts = [{"type": "text", "text": QUESTION}]
    reply = client.chat.completions.create(model="clew/films", messages=[{"role": "user", "content": parts}])
    assert reply.choices[0].message.content.startswith("**Paris**")


def test_a_method_can_be_chosen(client: Any) -> None:
    reply = chat(client, QUESTION, model="clew/films:walk")
    assert reply.choices[0].message.model_extra["clew"]["method"] == "walk"


def test_labels_are_no_markdown(client: Any) -> None:
    text = chat(client, "What was directed by Terry?").choices[0].message.content
    assert "window" in text, "the hostile label is among the answers"
    assert HOSTILE not in text
    assert not re.search(r"(?<!\\)[<!]|\]\(|\x1b", text), "a live sign of Markdown"


@pytest.mark.parametrize(
    ("model", "turns", "status", "code"),
    [
        ("clew/nothing", (QUESTION,), 404, "model_not_found"),
        ("clew/films:nothing", (QUESTION,), 404, "model_not_found"),
        ("clew/films", (" ",), 422, None),
        ("clew/films", ("x" * 5000,), 422, None),
        ("clew/films", ("a\x00b",), 422, None),
    ],
)
def test_errors_have_openais_form(client: Any, model: str, turns: tuple[str, ...], status: int, code: Any) -> None:
    with pytest.raises(openai.APIStatusError) as caught:
        chat(client, *turns, model=model)
    assert caught.value.status_code == status
    error = caught.value.response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["code"] == code
    with pytest.raises(openai.APIError):
        list(chat(client, *turns, model=model, stream=True))


def test_a_wrong_key_is_refused_in_openais_form(start: Start) -> None:
    token = "correct horse battery"
    running = start(token=token, warm=False)
    with pytest.raises(openai.AuthenticationError) as caught:
        chat(openai.OpenAI(base_url=f"{running.url}/v1", api_key="wrong", max_retries=0), QUESTION)
    assert caught.value.response.json()["error"]["code"] == "invalid_api_key"
    right = openai.OpenAI(base_url=f"{running.url}/v1", api_key=token, max_retries=0)
    assert chat(right, QUESTION).choices[0].message.content.startswith("**Paris**")


def test_responses_whole_and_streamed(client: Any) -> None:
    reply = client.responses.create(model="clew/films", input=QUESTION)
    assert reply.output_text.startswith("**Paris** [1]")
    assert reply.output[0].content[0].annotations[0].type == "url_citation"
    events = list(client.responses.create(model="clew/films", input=QUESTION, stream=True))
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert events[-1].response.output_text.startswith("**Paris** [1]")
    turns = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "Paris"},
        {"role": "user", "content": "And Italy?"},
    ]
    assert client.responses.create(model="clew/films", input=turns).output_text.startswith("**Rome**")


def test_open_webui_gets_titles_and_tags(client: Any) -> None:
    """Open WebUI asks the model itself for a title; it is no question to the graph."""
    task = (
        '### Task:\nGenerate a concise, 3-5 word title.\nJSON format: { "title": "your title" }\n'
        f"### Chat History:\n<chat_history>\nUSER: {QUESTION}\nASSISTANT: Paris\n</chat_history>"
    )
    assert json.loads(chat(client, task).choices[0].message.content) == {"title": QUESTION}
    tags = '### Task:\nGenerate 1-3 broad tags.\nJSON format: { "tags": ["tag1"] }\n'
    assert json.loads(chat(client, tags).choices[0].message.content)["tags"]
    chunks = list(chat(client, task, stream=True))
    assert json.loads("".join(c.choices[0].delta.content or "" for c in chunks))["title"] == QUESTION
