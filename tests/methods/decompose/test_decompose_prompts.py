"""The prompts as they leave the house."""

from __future__ import annotations

from clew.llm import load_prompt

ROOM = "clew.methods.decompose"


def test_the_question_is_split_by_example() -> None:
    prompt = load_prompt(ROOM, "decompose", slots=("question",))
    messages = prompt.render(question="Who wrote the anthem of Norway?")
    assert [m.role for m in messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert messages[-1].content == "Question: Who wrote the anthem of Norway?"
    assert messages[2].content.startswith('["Which country did Ada Example govern?"')


def test_answers_are_asked_for_from_the_graph() -> None:
    graph = "node id,node attr\n0,Paris\nsrc,edge attr,dst\n"
    sub = load_prompt(ROOM, "subanswer", slots=("graph", "earlier", "question"))
    (message,) = sub.render(graph=graph, earlier="Question: a?\nAnswer: b\n", question="c?")
    assert message.content == (
        f"{graph}\nQuestion: a?\nAnswer: b\nQuestion: c?\n"
        "Answer with names from the graph only, as a JSON array of strings; an empty array if it does not say. "
        "Ids such as m.0abc are no names: such a node joins the facts around it.\nAnswer:"
    )
    final = load_prompt(ROOM, "answer", slots=("graph", "question"))
    (message,) = final.render(graph=graph, question="c?")
    assert message.content == (
        f"{graph}Question: c?\n"
        "Give every entity that answers the question, the surest first, as a JSON array of strings; an empty array if "
        "there is none. Ids such as m.0abc are no names: such a node joins the facts around it.\n"
        "Answer:"
    )
