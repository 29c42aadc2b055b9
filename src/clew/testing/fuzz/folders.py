"""The door `folders`: files of runs, of trained models and of caches, changed.

A failure besides: another content than that of the sound folder without a message, from the reader or from what looks
every byte through. Rows, replies and vectors that are lost are none: those questions are asked again, and
`clew score` counts them as not answered. A kept pass over a graph may be made anew.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from clew.errors import ClewError, FormatError
from clew.testing.fuzz.inputs import Input, changed, corpus, draws

KINDS = ("run", "model", "vectors", "replies", "pass")


def inputs(seed: int, folder: Path, count: int) -> Iterator[Input]:
    sound = {kind: _sound(kind, _made(folder / kind)) for kind in KINDS}
    expected = {kind: _content(kind, path) for kind, path in sound.items()}
    files = {
        kind: sorted(f.relative_to(path).as_posix() for f in path.rglob("*") if f.is_file() and f.name != "lock")
        for kind, path in sound.items()
    }
    for given in corpus("folders"):
        inside = next(sound[given["kind"]].rglob(given["file"]))
        content = bytearray(inside.read_bytes())
        for at, patch in given.pop("patches"):
            content[at : at + len(patch) // 2] = bytes.fromhex(patch)
        given |= {"sound": str(sound[given["kind"]]), "expected": expected[given["kind"]]}
        given["file"] = inside.relative_to(given["sound"]).as_posix()
        yield given | {"content": base64.b64encode(content).decode()}
    for number, rng in draws("folders", seed, count):
        kind = rng.choice(KINDS)
        name = rng.choice(files[kind])
        damaged: bytes | None = (sound[kind] / name).read_bytes()
        how = rng.randrange(20)
        if how == 0:
            damaged = None
        elif how == 1:
            damaged = (sound[kind] / rng.choice(files[kind])).read_bytes()
        else:
            damaged = changed(damaged or b"", rng, numbers=not name.endswith((".json", ".jsonl")))
        yield {
            "kind": kind, "file": name, "sound": str(sound[kind]), "expected": expected[kind],
            "content": None if damaged is None else base64.b64encode(damaged).decode(), "number": number,
        }  # fmt: skip


def attempt(given: Input, scratch: Path) -> str:
    path, kind = scratch / "sound", given["kind"]
    shutil.copytree(given["sound"], path)
    file = path / given["file"]
    before = file.read_bytes()
    file.unlink()
    if given["content"] is not None:
        file.write_bytes(base64.b64decode(given["content"]))
        if file.read_bytes() == before:
            return "unchanged"
    try:
        found = _content(kind, path)
    except ClewError as error:
        return "FAILED a message without bound" if len(str(error)) > 20_000 else "refused"
    if found == given["expected"]:
        return "the same content"
    if kind in ("replies", "vectors", "run") and _all_among(found, given["expected"]):
        return "asked or made again"
    return "FAILED other content, silently"


def _all_among(found: str, expected: str) -> bool:
    """Whether a folder says nothing but what it said; what it has lost is asked for, or made, again."""
    return all(
        each in theirs for mine, theirs in zip(json.loads(found), json.loads(expected), strict=True) for each in mine
    )


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def _sound(kind: str, folder: Path) -> Path:
    path = folder / "sound"
    if kind == "run":
        _make_run(path)
    elif kind == "model":
        _make_model(path)
    elif kind == "vectors":
        from clew.encoding import HashEncoder
        from clew.encoding.vectors import vector_file

        file, encoder = vector_file(path, HashEncoder(16)), HashEncoder(16)
        for texts in (["one", "two", "three"], ["four"]):
            file.append(texts, encoder.encode(texts))
    elif kind == "replies":
        from clew.llm import ReplyCache
        from clew.protocols import LLMReply, LLMText
        from clew.types import Usage

        path.mkdir()
        store = ReplyCache(path / "replies.db")
        for key, request in _requests():
            store.put(key, "m", request, LLMReply((LLMText(f"reply to {key}", -1.5, 3),)))
            store.log("m", key, 0.1, Usage(1, 0, 5, 3))
        store.remember("m", {"json_mode": "prompt"})
        store.close()
    else:
        _kept_pass(path)
    return path


def _requests() -> Iterator[tuple[str, Any]]:
    from clew.protocols import LLMRequest, Message

    for i in range(3):
        yield f"key{i}", LLMRequest((Message("user", f"question {i}"),))


def _make_run(path: Path) -> None:
    from clew.api import predict_run
    from clew.protocols import Example
    from clew.types import Gold, Question

    examples = [
        Example(Question(f"q{i}", text, ("Ben",)), Gold(("Rome",)))
        for i, text in enumerate(["who does Ben know?", "where is Ben in?", "what of Ben?"])
    ]
    predict_run(_space(), examples, path)


@cache
def _space() -> Any:
    import tempfile

    from clew.graph import Graph
    from clew.settings import configure
    from clew.testing.fuzz.graphs import sound_graph
    from clew.workspace import Workspace

    with tempfile.TemporaryDirectory() as name:
        graph = Graph.open(sound_graph(Path(name)))
        flags = {"method": {"name": "walk"}, "encoder": {"name": "hash-16"}}
        return Workspace(configure(flags=flags, environment={}), graph=graph)


def _make_model(path: Path) -> None:
    """As `clew train scr` leaves it, of a network of a few hundred numbers."""
    from clew.encoding import HashEncoder
    from clew.protocols import Example
    from clew.settings import configure
    from clew.types import Gold, Question
    from clew.workspace import Workspace

    tiny = {"network": {"width": 8, "layers": 1}, "fit": {"steps": 2}, "hops": 1}
    space = Workspace(
        configure(flags={"method": {"name": "scr"}, "train": tiny}, environment={}),
        graph=_space().graph, encoder=HashEncoder(16),
    )  # fmt: skip
    examples = [Example(Question("q", "who does Ben know?", ("Ben",)), Gold(("http://e/cem",), ("http://e/cem",)))]
    space.train(examples, examples, path)


def _kept_pass(path: Path) -> str:
    """The numbers of a kept pass, which is made where it is not there or not whole."""
    from clew.encoding import HashEncoder
    from clew.methods.scr.stored_encoding import kept_view

    graph = _space().graph
    seen, _ = kept_view(_model(), HashEncoder(16), graph.whole, graph.name, path)
    return hashlib.sha256(seen.vectors.tobytes() + seen.tables.entities.numpy().tobytes()).hexdigest()


@cache
def _model() -> Any:
    import tempfile

    from clew.encoding import HashEncoder
    from clew.methods.scr.model import load_model

    with tempfile.TemporaryDirectory() as name:
        _make_model(Path(name) / "model")
        return load_model(Path(name) / "model", HashEncoder(16))


def _content(kind: str, path: Path) -> str:
    """What a folder's readers find, each byte of it that means anything."""
    if kind == "run":
        from clew.runs import Run
        from clew.scores import score_run

        run = Run.open(path)
        rows = [json.dumps(row.to_json(), sort_keys=True) for row in run.rows()]
        assert len(rows) == len(run.examples()) or score_run(path).metrics  # reads, and counts what is missing
        return json.dumps([rows, [json.dumps(run.manifest)], [repr(example) for example in run.examples()]])
    if kind == "model":
        from clew.encoding import HashEncoder
        from clew.methods.scr.config import Config
        from clew.methods.scr.method import Scr
        from clew.protocols import Tools
        from clew.trained import check_trained, read_trained

        trained = read_trained(path)
        Scr(Config(), Tools(encoder=HashEncoder(16), model=path))
        if problems := check_trained(path):
            raise FormatError("; ".join(problems))
        return repr((trained.method, trained.config, trained.encoder, trained.graph, trained.seed, trained.metrics))
    if kind == "vectors":
        from clew.encoding import HashEncoder
        from clew.encoding.vectors import vector_file

        file = vector_file(path, HashEncoder(16))
        texts = ["one", "two", "three", "four"]
        known = [(text, row) for text, row in zip(texts, file.rows(texts).tolist(), strict=True) if row >= 0]
        return json.dumps([[f"{text} {file.vectors[row].tolist()}" for text, row in known]])
    if kind == "replies":
        from clew.llm import ReplyCache

        store = ReplyCache(path / "replies.db")
        try:
            replies = [repr(reply) for key, _ in _requests() if (reply := store.get(key)) is not None]
            calls = [repr(replace(call, prompt=(), texts=())) for call in store.calls()]
            said = [repr((call.prompt, call.texts)) for call in store.calls() if call.texts]
            return json.dumps([replies, calls, said, list(store.findings("m").items())])
        finally:
            store.close()
    return _kept_pass(path)
