"""The door `commands`: words on the command line, and what stands on stdin."""

from __future__ import annotations

import base64
import io
import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from clew.testing.fuzz.builds import BASES
from clew.testing.fuzz.inputs import Input, changed, corpus, draws

_WORDS = [
    "", " ", "-", "--", "a", "x.kg", "y.kg", "x.tsv", "n" * 300, "é" * 130, "\udcff", "\ud800", "a\0b", "\x1b[31m",
    "\u2028", "/", "/dev/null", "/proc/self/mem", ".", "..", "no/such/x.kg", "x.tsv/below", "9" * 5000, "-1",
    "[" * 2000, "(", "%s", "\n", "http://e/a", "--json", "--file", "-f", "-o", "--out", "--strict", "--delimiter",
    "||", "--mediator", "--set", "a.b=1", "method.beam=9", "graph.path=x", "--labels", "--format", "tsv", "nt",
    "--help", "--header", "r", "b", "--limit", "0", "1e9", "-m", "walk", "-t", "encoder.name=hash-16", "--config",
    "bad.toml", "--language", "en", "--verbose",
]  # fmt: skip
_COMMANDS = ("build", "info", "add", "remove", "compact", "repair", "link", "ask", "methods", "doctor", "nonsense")
_LIKELY = {"build": ["x.tsv", "-o", "y.kg"], "add": ["x.kg", "a", "r", "b"], "remove": ["x.kg", "a", "r", "b"],
           "ask": ["x.kg", "who is a?", "-m", "walk", "--set", "encoder.name=hash-16"],
           "link": ["x.kg", "who is a?"], "doctor": ["x.kg", "--set", "encoder.name=hash-16"]}  # fmt: skip


def inputs(seed: int, folder: Path, count: int) -> Iterator[Input]:  # noqa: ARG001
    for given in corpus("commands"):
        yield {"stdin": "", **given}
    for number, rng in draws("commands", seed, count):
        command = rng.choice(_COMMANDS)
        words = list(_LIKELY.get(command, ["x.kg"])) if rng.random() < 0.8 else []
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(words) + 1)
            words[at : at + rng.randrange(2)] = [rng.choice(_WORDS)]
        stdin = changed(BASES["x.tsv"], rng)
        yield {"arguments": [command, *words], "stdin": base64.b64encode(stdin).decode(), "number": number}


def attempt(given: Input, scratch: Path) -> str:
    from clew.cli import main
    from clew.graph import build

    (scratch / "x.tsv").write_text("a\tr\tb\nb\tr\tc\n")
    (scratch / "bad.toml").write_text("a = [" * 10)
    build(scratch / "x.tsv", scratch / "x.kg")
    before = Path.cwd()
    os.chdir(scratch)
    sys.argv = ["clew", *given["arguments"]]
    sys.stdin = io.TextIOWrapper(io.BytesIO(base64.b64decode(given["stdin"])), "utf-8", errors="surrogateescape")
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", errors="surrogateescape") for _ in range(2))
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
            code: object = 0
    except SystemExit as end:
        code = end.code
    finally:
        os.chdir(before)
    if any(ord(c) < 32 and c not in "\n\t" for c in _text(out)):
        return "FAILED control characters on the screen"
    return f"code {code}"


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    content: bytes = stream.buffer.getvalue()  # type: ignore[attr-defined]
    return content.decode("utf-8", "replace")
