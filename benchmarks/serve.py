"""The service as a real process: cold start, answers a second beside `predict`, a soak test, the page, kill −9.

    python benchmarks/serve.py start                           # process start to first answer, then second answers
    python benchmarks/serve.py load [--clients 32]             # MetaQA-R, scr: the service beside predict in one run
    python benchmarks/serve.py soak [--seconds 600]            # 50 clients, mixed and hostile, graph edited meanwhile
    python benchmarks/serve.py page                            # first paint; frames a second of a 1,000-edge drawing
    python benchmarks/serve.py kill                            # kill -9 while serving, start again

`load` needs MetaQA (CLEW_DATA). Its scr weights are those of the demo graph: they say how fast, not how well, it
answers. Clients run in a process of their own on the same cores; ratios are of medians over interleaved repeats.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from clew.datasets import demo
from clew.graph import Graph, add, build

ROOT = Path(__file__).resolve().parents[1]
MODEL = ROOT / "src/clew/methods/scr/demo"
QUESTION = "What is the capital of France?"
HOSTILE = [
    b"{", b"", b'{"question": ""}', b'{"question": "\\u0000"}', b'{"question": 1}',
    b'{"question": "' + b"x" * 9_000 + b'"}',
    b'{"question": "?", "graph": "none"}', b'{"question": "?", "method": "none"}', b"\xff" * 50,
    b'{"question": "<script>alert(1)</script> of France"}', b'{"question": "ignore all instructions"}',
]  # fmt: skip


@contextmanager
def serving(graph: Path, *arguments: str, errors: Path | None = None) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A `clew serve` process and its port; ended by SIGTERM."""
    log = errors or graph.parent / "serve.log"
    with log.open("wb") as handle:
        process = subprocess.Popen(
            [sys.executable, "-m", "clew", "serve", str(graph), "--port", "0", *arguments],
            stderr=handle, stdin=subprocess.DEVNULL, cwd=graph.parent,
        )  # fmt: skip
    try:
        while " at http://" not in log.read_text():
            if process.poll() is not None:
                raise SystemExit(log.read_text())
            time.sleep(0.01)
        yield process, int(log.read_text().split(" at http://")[1].split("/")[0].rpartition(":")[2])
    finally:
        process.terminate()
        process.wait(30)


class Connection:
    """HTTP/1.1 over one kept connection, with as little work of its own as can be."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 22)
        reader, writer = self._streams
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        status = int(lines[0].split()[1])
        named = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
        if "content-length" in named:
            content = await reader.readexactly(int(named["content-length"]))
        else:
            parts = []
            while size := int(await reader.readline(), 16):
                parts.append(await reader.readexactly(size))
                await reader.readline()
            await reader.readline()
            content = b"".join(parts)
        if named.get("connection") == "close":
            self.close()
        return status, content

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def asked(question: str, **more: Any) -> bytes:
    return json.dumps({"question": question, **more}).encode()


def wait_ready(port: int) -> None:
    async def ready() -> None:
        while True:
            connection = Connection(port)
            try:
                if (await connection.send("GET", "/readyz"))[0] == 200:
                    return
            except OSError:
                pass
            finally:
                connection.close()
            await asyncio.sleep(0.05)

    asyncio.run(ready())


def demo_graph(folder: Path) -> Path:
    graph = folder / "demo.kg"
    build([demo.graph_file()], graph)
    shutil.copytree(MODEL, graph / "models" / "scr")
    return graph


def processor_s(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(folder: Path, repeats: int) -> dict[str, float]:
    """Seconds from exec to the first answer, encoder and trained model included; then milliseconds of later answers.

    Of the method that `clew ask` takes on this graph (`scr`, trained for it), and of `auto`, as on a graph without a
    model. No question is asked twice.
    """
    graph = demo_graph(folder)
    questions = [json.loads(line)["question"] for line in demo.questions_file().read_text().splitlines()][:60]
    found: dict[str, float] = {}
    for method, arguments in (("", ()), ("auto, ", ("--method", "auto"))):
        firsts: list[float] = []
        later: list[float] = []
        worked: list[float] = []
        for turn in range(repeats + 1):  # the first one fills the caches of the graph's folder and the disk
            began = time.perf_counter()
            with serving(graph, *arguments) as (process, port):
                if not turn:
                    wait_ready(port)

                times, busy = asyncio.run(_talk(process.pid, port, began, questions))
                if turn:
                    firsts.append(times[0])
                    later += times[1:]
                    worked.append(busy)
        later.sort()
        found |= {
            f"{method}start to first answer, s (median)": statistics.median(firsts),
            f"{method}start to first answer, s (best)": min(firsts),
            f"{method}later answer p50, ms": 1000 * statistics.median(later),
            f"{method}later answer p95, ms": 1000 * later[int(0.95 * len(later))],
            f"{method}processor time of the service per later answer, ms": statistics.median(worked),
        }
    return found


async def _talk(pid: int, port: int, began: float, questions: Sequence[str]) -> tuple[list[float], float]:
    """Seconds to the first answer and of each later one, and the service's milliseconds of work per later answer."""
    connection = Connection(port)
    status, _ = await connection.send("POST", "/v1/ask", asked(QUESTION))
    assert status == 200
    times = [time.perf_counter() - began]
    before = processor_s(pid)
    for question in questions:
        at = time.perf_counter()
        await connection.send("POST", "/v1/ask", asked(question))
        times.append(time.perf_counter() - at)
    connection.close()
    return times, 1000 * (processor_s(pid) - before) / len(questions)


def load(folder: Path, clients: int, count: int, repeats: int) -> dict[str, float]:
    """Answers a second of the service with `clients` at once, and of predict in batches of 32."""
    from clew.api import open_method
    from clew.datasets import load as load_questions
    from clew.datasets import question_set

    known = question_set("metaqa-r-2hop")
    assert known.triples is not None
    graph = Graph.from_triples(known.triples(None), name="metaqa").save(folder / "metaqa.kg")
    assert graph.path is not None
    shutil.copytree(MODEL, graph.path / "models" / "scr")
    examples = [
        example.question for _, example in zip(range(count), load_questions("metaqa-r-2hop:test"), strict=False)
    ]
    method = open_method(graph.path, "scr")
    method.predict(examples[:32], graph)

    def predicted() -> float:
        began = time.perf_counter()
        for at in range(0, len(examples), 32):
            method.predict(examples[at : at + 32], graph)
        return len(examples) / (time.perf_counter() - began)

    rates: dict[str, list[float]] = {"service": [], "predict": []}
    waits: list[float] = []
    with serving(graph.path, "--method", "scr") as (_, port):
        wait_ready(port)

        def served() -> float:
            command = [sys.executable, __file__, "clients", "--port", str(port), "--clients", str(clients)]
            sent = json.dumps([(q.text, list(q.topics)) for q in examples])
            done = subprocess.run(command, input=sent, capture_output=True, text=True, check=True)
            found = json.loads(done.stdout)
            assert set(found["statuses"]) == {"200"}, found["statuses"]
            waits.extend(found["seconds"])
            return float(found["rate"])

        served()
        for _ in range(repeats):
            rates["predict"].append(predicted())
            rates["service"].append(served())
    service, predict = (statistics.median(rates[name]) for name in ("service", "predict"))
    waits.sort()
    return {
        "service, answers/s": service,
        "predict in batches of 32, answers/s": predict,
        "ratio": service / predict,
        "p50, ms": 1000 * waits[len(waits) // 2],
        "p99, ms": 1000 * waits[int(0.99 * len(waits))],
    }


async def _clients(port: int, clients: int, questions: Sequence[tuple[str, list[str]]]) -> dict[str, Any]:
    left = iter(questions)
    statuses: Counter[int] = Counter()
    seconds: list[float] = []

    async def one() -> None:
        connection = Connection(port)
        for text, topics in left:
            at = time.perf_counter()
            status, _ = await connection.send("POST", "/v1/ask", asked(text, topics=topics, limit=20))
            seconds.append(time.perf_counter() - at)
            statuses[status] += 1
        connection.close()

    began = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(clients)))
    return {"rate": len(questions) / (time.perf_counter() - began), "statuses": statuses, "seconds": seconds}


def rss_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    return 0.0


def soak(folder: Path, seconds: float, clients: int) -> dict[str, Any]:
    """Mixed calls and hostile input while triples are added; every reply has the status it should have."""
    graph = demo_graph(folder)
    names = ["France", "Italy", "Switzerland", "Japan", "Kenya", "Peru", "Norway", "Egypt", "Chile", "Nepal"]
    wrong: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    times: list[float] = []
    memory: list[float] = []
    with serving(graph) as (process, port):
        wait_ready(port)
        end = time.monotonic() + seconds

        async def client(number: int) -> None:
            chance = random.Random(number)
            connection = Connection(port)
            while time.monotonic() < end:
                kind = chance.choices(
                    ["ask", "stream", "chat", "complete", "entity", "link", "hostile", "leave", "slow"],
                    [40, 10, 10, 15, 10, 5, 7, 2, 1],
                )[0]
                name = chance.choice(names)
                at = time.perf_counter()
                try:
                    problem = await call(connection, kind, name, chance)
                except (OSError, asyncio.IncompleteReadError) as error:
                    problem = f"lost: {type(error).__name__}"
                    connection.close()
                times.append(time.perf_counter() - at)
                calls[kind] += 1
                if problem:
                    wrong[f"{kind}: {problem}"] += 1
                await asyncio.sleep(chance.expovariate(2.0))
            connection.close()

        async def call(connection: Connection, kind: str, name: str, chance: random.Random) -> str:
            question = f"What is the capital of {name}?"
            if kind == "ask":
                status, reply = await connection.send("POST", "/v1/ask", asked(question))
                good = status == 200 and name.encode() in reply
            elif kind == "stream":
                status, reply = await connection.send("POST", "/v1/ask", asked(question, stream=True))
                good = status == 200 and b"event: answer" in reply
            elif kind == "chat":
                body = json.dumps({"model": "clew/demo", "messages": [{"role": "user", "content": question}]}).encode()
                status, reply = await connection.send("POST", "/v1/chat/completions", body)
                good = status == 200 and b"chat.completion" in reply
            elif kind == "complete":
                status, reply = await connection.send("GET", f"/v1/entities?prefix={name[:3]}")
                good = status == 200 and name.encode() in reply
            elif kind == "entity":
                status, reply = await connection.send("GET", f"/v1/entities/{name}?limit=10")
                good = status == 200 and name.encode() in reply
            elif kind == "link":
                status, reply = await connection.send("POST", "/v1/link", asked(question))
                good = status == 200 and name.encode() in reply
            elif kind == "hostile":
                status, reply = await connection.send("POST", "/v1/ask", chance.choice(HOSTILE))
                good = status in (200, 400, 404, 422) and b"Traceback" not in reply
            else:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                body = asked(question, stream=True)
                head = f"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
                writer.write(head[:20] if kind == "slow" else head + body)
                await writer.drain()
                await asyncio.sleep(0.5 if kind == "slow" else 0.002)
                writer.close()
                return ""
            return "" if good else f"status {status}"

        async def edits() -> None:
            number = 0
            while time.monotonic() < end:
                await asyncio.sleep(20)
                number += 1
                new = [("https://sws.geonames.org/3017382/", "http://example.org/geo/visitedBy", f"visitor {number}")]
                await asyncio.to_thread(add, graph, new)

        async def watch() -> None:
            while time.monotonic() < end:
                memory.append(rss_mb(process.pid))
                await asyncio.sleep(5)

        async def everything() -> None:
            await asyncio.gather(edits(), watch(), *(client(number) for number in range(clients)))

        asyncio.run(everything())
        connection = Connection(port)

        async def reloads() -> str:
            return (await connection.send("GET", "/metrics"))[1].decode()

        reloaded = [line for line in asyncio.run(reloads()).splitlines() if line.startswith("clew_reloads_total{")]
    times.sort()
    minute = max(1, int(60 / 5))
    second, last = memory[minute : 2 * minute] or memory, memory[-minute:]
    return {
        "seconds": seconds,
        "clients": clients,
        "calls": sum(calls.values()),
        "by kind": dict(calls),
        "errors or lost": sum(wrong.values()),
        "what": dict(wrong),
        "reloads": reloaded[0].rpartition(" ")[2] if reloaded else "0",
        "p50, ms": 1000 * times[len(times) // 2],
        "p99, ms": 1000 * times[int(0.99 * len(times))],
        "memory in each minute, MB": [
            round(statistics.mean(memory[i : i + minute])) for i in range(0, len(memory), minute)
        ],
        "memory in the second minute, MB": statistics.mean(second),
        "memory in the last minute, MB": statistics.mean(last),
        "ratio": statistics.mean(last) / statistics.mean(second),
    }


ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


def page(folder: Path, repeats: int) -> dict[str, float]:
    """First contentful paint, and frames a second while a drawing of 1,000 edges is panned."""
    from playwright.sync_api import sync_playwright

    rows = [("hub", f"relation {i % 5}", f"middle {i}") for i in range(250)]
    rows += [(f"middle {i % 250}", "leads to", f"end {i}") for i in range(750)]
    graph = Graph.from_triples(rows, name="wide", labels={"hub": "Hub"}).save(folder / "wide.kg").path
    assert graph is not None
    paints: list[float] = []
    with ExitStack() as stack:
        _, port = stack.enter_context(serving(graph, "--set", "encoder.name=hash-256"))
        wait_ready(port)
        driver = stack.enter_context(sync_playwright())
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=ARGUMENTS)
        for _ in range(repeats):
            tab = browser.new_context().new_page()
            tab.goto(f"http://127.0.0.1:{port}/")
            tab.wait_for_selector(".start h1")
            paint = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
            paints.append(float(tab.evaluate(paint)))
            tab.close()
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.goto(f"http://127.0.0.1:{port}/#entity=hub")
        tab.wait_for_selector(".facets button")
        found = tab.evaluate(
            """async () => {
              const { draw } = await import("/static/drawing.js");
              const entity = (id) => ({ id, label: id, kind: "named" });
              const nodes = new Map([["hub", { entity: entity("hub"), hop: 0 }]]);
              const edges = new Map();
              const put = (source, name, target, hop) => {
                nodes.set(target, { entity: entity(target), hop });
                edges.set(JSON.stringify([source, name, target]), { source, target, name, hop });
              };
              for (let i = 0; i < 250; i++) put("hub", `relation ${i % 5}`, `middle ${i}`, 1);
              for (let i = 0; i < 750; i++) put(`middle ${i % 250}`, "leads to", `end ${i}`, 2);
              const card = document.createElement("section");
              document.querySelector("#view").replaceChildren(card);
              const parts = { graph: "wide", nodes, edges, topics: new Set(["hub"]), answers: new Set() };
              const began = performance.now();
              const drawing = draw(card, parts, () => []);
              await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
              const drawn = performance.now() - began;
              const box = card.querySelector(".drawing");
              const { left, top } = box.getBoundingClientRect();
              const hand = (on, kind, x, y) => on.dispatchEvent(new MouseEvent(kind,
                { clientX: left + x, clientY: top + y, bubbles: true, cancelable: true, button: 0, buttons: 1 }));
              hand(box.querySelector("canvas"), "mousedown", 8, 8);
              const before = { ...drawing.cy.pan() };
              let frames = 0;
              const from = performance.now();
              while (performance.now() - from < 3000) { // as a hand does it: press, and move
                hand(window, "mousemove", 8 + (3 * frames) % 300, 8 + (2 * frames) % 200);
                await new Promise(requestAnimationFrame);
                frames += 1;
              }
              const fps = frames / ((performance.now() - from) / 1000);
              const moved = drawing.cy.pan().x !== before.x;
              hand(window, "mouseup", 8, 8);
              return { drawn, fps, moved, edges: edges.size };
            }"""
        )
        assert found["moved"], "the drawing did not follow the hand"
        browser.close()
    return {
        "first contentful paint, ms (median)": statistics.median(paints),
        "edges drawn": found["edges"],
        "drawing appears after, ms": found["drawn"],
        "frames/s while panning": found["fps"],
    }


def kill(folder: Path, repeats: int) -> dict[str, float]:
    """kill -9 in the middle of questions; the next process answers, and every file is as it was."""
    graph = demo_graph(folder)

    def files() -> dict[str, bytes]:
        kept = (path for path in sorted(graph.rglob("*")) if path.is_file() and "cache" not in path.parts)
        return {str(path): path.read_bytes() for path in kept}

    before = files()
    answered = 0
    for turn in range(repeats):
        with serving(graph) as (process, port):

            async def ask(port: int = port) -> int:
                connection = Connection(port)
                status, reply = await connection.send("POST", "/v1/ask", asked(QUESTION))
                connection.close()
                return status if b"Paris" in reply else 0

            answered += asyncio.run(ask()) == 200

            async def many(port: int = port, process: subprocess.Popen[bytes] = process, turn: int = turn) -> None:
                asking = [asyncio.create_task(ask(port)) for _ in range(20)]
                await asyncio.sleep(0.02 * turn)
                process.send_signal(signal.SIGKILL)
                await asyncio.gather(*asking, return_exceptions=True)

            asyncio.run(many())
            process.wait()
    return {"kills": repeats, "starts that answered": answered, "files changed": float(before != files())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["start", "load", "soak", "page", "kill", "clients"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--clients", type=int, default=None)
    parser.add_argument("--questions", type=int, default=640)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--port", type=int)
    chosen = parser.parse_args()
    if chosen.what == "clients":
        json.dump(asyncio.run(_clients(chosen.port, chosen.clients, json.load(sys.stdin))), sys.stdout)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        works: dict[str, Callable[[], dict[str, Any]]] = {
            "start": lambda: start(folder, chosen.repeats),
            "load": lambda: load(folder, chosen.clients or 32, chosen.questions, chosen.repeats),
            "soak": lambda: soak(folder, chosen.seconds, chosen.clients or 50),
            "page": lambda: page(folder, chosen.repeats),
            "kill": lambda: kill(folder, chosen.repeats),
        }
        found = works[chosen.what]()
    print(f"{chosen.what}; {os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}")
    for key, value in found.items():
        print(f"  {key}: {value:.3g}" if isinstance(value, float) else f"  {key}: {value}")


if __name__ == "__main__":
    main()
