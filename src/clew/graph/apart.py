"""Parsers of structured formats, in a process of their own: what ends it or eats its memory is one problem.

Kept apart because neither a crash nor a term that grows to gigabytes can be caught where it happens: a nested statement
of RDF 1.2 overflows the parser's stack, half a kilobyte of XML entities becomes a billion letters. The process has
limits on memory and on work without a result; what it read before counts, and the build goes on with the next file. It
is kept for half a minute, so that many small files do not each wait for Python to start.

Tables of triples and JSON lines are not among them: they are split block by block, in linear time and bounded memory
whatever the bytes are (`tabular`; a test holds them to it), and another process would only copy every row once more.

The protocol, over a socket: a line of JSON each way; behind one that announces arrays come their bytes. An open file is
handed over, not its name.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import queue
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from clew.graph.inputs import Batch, Notes, Problems, Rows, Stream, TableColumn

MEMORY = 4 << 30  # bytes of address space of the process
WORK_S = 60  # seconds of work without a result
IDLE_S = 30  # seconds that the process waits for another file
_REASONS = {
    signal.SIGXCPU: f"it worked {WORK_S} s without reading anything more",
    signal.SIGSEGV: "it crashed, as it does where statements or objects are nested without end",
    signal.SIGABRT: "it ran out of memory",
    signal.SIGKILL: "the system ended it, most likely for its memory",
}


class Apart:
    """A file that is read in the other process; like a `Stream`, it knows how far reading has come."""

    def __init__(self, file: Path, problems: Problems) -> None:
        self.file, self.problems = file, problems
        self.position, self.line = 0, 0
        self.prefixes: dict[str, str] = {}
        self.told: list[str] = []  # what the reader found out of the file, in lines
        self._handle: int | None = None
        if str(file) == "-":
            self._handle = _standard_input()
            return
        try:
            if file.is_dir():
                problems.add(
                    str(file),
                    None,
                    "unreadable",
                    "is a folder without a file of a known format",
                )
            else:
                self._handle = os.open(file, os.O_RDONLY)
        except OSError as error:
            problems.add(str(file), None, "unreadable", f"cannot be read: {error.strerror or error}")

    def batches(self, kind: str, **options: Any) -> Iterator[Batch]:
        """What the reader of `kind` makes of the file; options as that reader takes them."""
        for said, worker in self._said(kind, options):
            if "batch" in said:
                yield _batch(said, worker)

    def found(self, kind: str, **options: Any) -> tuple[dict[str, Any], list[NDArray[Any]]] | None:
        """What looking at the file found, where nothing ended it."""
        result = None
        for said, worker in self._said(kind, options):
            if "found" in said:
                result = said["found"], [worker.array(dtype, count) for dtype, count in said["arrays"]]
        return result

    def _said(self, kind: str, options: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], _Worker]]:
        """What the other process says but problems and the end; whoever takes it reads the arrays behind it."""
        if self._handle is None:
            return
        worker = _worker()
        done = False
        try:
            worker.ask({"file": str(self.file), "kind": kind, "options": options}, self._handle)
            while not done:
                said = worker.told()
                if said is None:
                    self.problems.add(str(self.file), self.line or None, "parser", worker.reason(kind))
                    return
                self.position = said.get("position", self.position)
                self.line = said.get("line", self.line)
                if "problem" in said:
                    line, kind_of, message, times = said["problem"]
                    self.problems.add(str(self.file), line, kind_of, message, times)
                elif "failed" in said:
                    raise RuntimeError(f"reading {self.file} failed:\n{said['failed']}")
                elif "end" in said:
                    done = True
                    self.prefixes = said["prefixes"]
                    self.told += said.get("told", ())
                else:
                    yield said, worker
        except EOFError:
            self.problems.add(str(self.file), self.line or None, "parser", worker.reason(kind))
        finally:
            if done:
                _keep(worker)
            else:
                worker.end()

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


# -- this side of the socket ---------------------------------------------------------------------------------------


class _Reading(io.RawIOBase):
    """A socket as a file to read."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._channel.recv_into(buffer)


class _Writing(io.RawIOBase):
    """A socket as a file to write."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return self._channel.send(data)


class _Worker:
    """The other process."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        root = str(Path(__file__).parents[2])
        code = f"import sys; sys.path.append({root!r}); from clew.graph.apart import serve; serve({theirs.fileno()})"
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env={**os.environ, "OMP_NUM_THREADS": "1", "RUST_BACKTRACE": "0"},
            )
        self._socket = ours
        self._file: io.BufferedReader = io.BufferedReader(_Reading(ours), 1 << 20)
        self.owner = os.getpid()

    @property
    def alive(self) -> bool:
        """Whether it waits for a file; what it says now can only be its end."""
        return not select.select([self._socket], [], [], 0)[0] and self._process.poll() is None

    def ask(self, request: Mapping[str, Any], handle: int) -> None:
        socket.send_fds(self._socket, [b"\0"], [handle])
        self._socket.sendall(json.dumps(request).encode() + b"\n")

    def told(self) -> dict[str, Any] | None:
        """What it says next, None when it has ended."""
        try:
            line = self._file.readline()
        except ConnectionError:
            return None
        return json.loads(line) if line.endswith(b"\n") else None

    def array(self, dtype: str, count: int) -> NDArray[Any]:
        array = np.empty(count, np.dtype(dtype))
        if count and self._file.readinto(array.view(np.uint8).data) != array.nbytes:
            raise EOFError
        return array

    def reason(self, kind: str) -> str:
        try:
            code = self._process.wait(10)
        except subprocess.TimeoutExpired:
            code = 0
        why = _REASONS.get(signal.Signals(-code) if code < 0 else signal.SIGABRT, f"it ended with code {code}")
        return f"the parser of {kind} gave up: {why}; what it read before counts, the rest of the file is not read"

    def end(self) -> None:
        if self._process.poll() is None and self.owner == os.getpid():
            self._process.kill()
            self._process.wait()
        with suppress(OSError):
            self._file.close()
            self._socket.close()


_kept: list[_Worker] = []
_lock = threading.Lock()


def _worker() -> _Worker:
    """The process that is kept, or a new one."""
    with _lock:
        while _kept:
            worker = _kept.pop()
            if worker.owner == os.getpid() and worker.alive:
                break
            worker.end()
        else:
            worker = _Worker()
    return worker


def _keep(worker: _Worker) -> None:
    with _lock:
        _kept.append(worker)


@atexit.register
def _end_all() -> None:
    while _kept:
        _kept.pop().end()


def _batch(said: Mapping[str, Any], worker: _Worker) -> Batch:
    """Raises EOFError when the other side ended in the middle."""
    arrays = [worker.array(dtype, count) for dtype, count in said["arrays"]]
    columns = [TableColumn(*arrays[i : i + 3]) for i in range(0, 3 * said["columns"], 3)]
    rest = arrays[3 * said["columns"] :]
    if said["batch"] != "rows":
        return Notes(said["batch"], columns[0], columns[1], rest[0])
    literal = rest[0].astype(bool) if rest else None
    return Rows(columns[0], columns[1], columns[2], literal, columns[3] if len(columns) > 3 else None)


def _standard_input() -> int:
    """A pipe through which this process's standard input goes to the other one."""
    end, start = os.pipe()

    def pump() -> None:
        with open(start, "wb", buffering=0) as pipe, suppress(BrokenPipeError):  # noqa: PTH123
            while block := sys.stdin.buffer.read(1 << 16):
                pipe.write(block)

    threading.Thread(target=pump, daemon=True).start()
    return end


# -- the other side ------------------------------------------------------------------------------------------------


class _Told(Problems):
    """Problems that are told to the process that builds, which counts them and may end everything."""

    def __init__(self, tell: Any) -> None:
        super().__init__()
        self._tell = tell

    def add(self, file: str, line: int | None, kind: str, message: str, times: int = 1) -> None:
        self._tell({"problem": [line, kind, message, times]})


def _limit_work() -> None:
    """From now on so many seconds more."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(usage.ru_utime + usage.ru_stime) + 1 + WORK_S
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard), hard))


def _limit_memory(limit: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(ValueError, OSError):  # a system that knows no such limit
        resource.setrlimit(resource.RLIMIT_AS, (limit if hard < 0 else min(limit, hard), hard))


def serve(descriptor: int) -> None:
    """Read files until nobody asks any more; the whole life of the other process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one that builds decides
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    channel = socket.socket(fileno=descriptor)
    out = io.BufferedWriter(_Writing(channel), 1 << 20)
    while select.select([channel], [], [], IDLE_S)[0]:
        mark, handles, _, _ = socket.recv_fds(channel, 1, 1)
        if not mark:
            return
        request = json.loads(_line(channel))
        _serve_one(request, handles[0], out)


def _line(channel: socket.socket) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        piece = channel.recv(1 << 16)
        if not piece:
            raise EOFError
        line += piece
    return line


class _Sender:
    """Messages on their way to the process that builds; `aside`, while the next one is already being made."""

    def __init__(self, out: IO[bytes], *, aside: bool) -> None:
        self._out = out
        self._waiting: queue.Queue[tuple[Mapping[str, Any], list[NDArray[Any]]] | None] = queue.Queue(1)
        self._failed: OSError | None = None
        self._thread = threading.Thread(target=self._send_all, daemon=True) if aside else None
        if self._thread is not None:
            self._thread.start()

    def tell(self, said: Mapping[str, Any], arrays: list[NDArray[Any]] | None = None) -> None:
        if self._thread is None:
            self._send(said, arrays or [])
        else:
            self._waiting.put((dict(said), arrays or []))
            if self._failed is not None:
                raise self._failed
        _limit_work()

    def end(self) -> None:
        if self._thread is not None:
            self._waiting.put(None)
            self._thread.join()

    def _send(self, said: Mapping[str, Any], arrays: list[NDArray[Any]]) -> None:
        self._out.write(json.dumps(said).encode() + b"\n")
        for array in arrays:
            if array.size:
                self._out.write(np.ascontiguousarray(array).view(np.uint8).data)
        self._out.flush()

    def _send_all(self) -> None:
        while (message := self._waiting.get()) is not None:
            try:
                if self._failed is None:
                    self._send(*message)
            except OSError as error:  # nobody listens any more
                self._failed = error


def _serve_one(request: Mapping[str, Any], handle: int, out: IO[bytes]) -> None:
    import traceback

    # Where a parser may crash, what it read before must be sent before it goes on.
    sender = _Sender(out, aside=request["kind"] in ("nt", "nq", "parquet", "parquet labels"))
    tell = sender.tell

    prefixes: dict[str, str] = {}
    told: list[str] = []
    problems = _Told(tell)
    _limit_work()
    try:
        with open(handle, "rb") as raw:
            stream = Stream(Path(request["file"]), problems, raw)
            if request["kind"] == "look":
                _look(stream, problems, request["options"], tell)
                tell({"end": True, "prefixes": prefixes})
                return
            if request["kind"] == "unpack":
                from clew.graph.unpacking import written

                _limit_memory(MEMORY)
                found = written(stream, problems, lambda: tell({"position": stream.position}), **request["options"])
                tell({"found": found, "arrays": []})
                tell({"end": True, "prefixes": prefixes, "position": stream.position})
                return
            for batch in _reader(request["kind"], stream, problems, prefixes, told, request["options"]):
                _tell_batch(batch, stream, tell)
            tell({"end": True, "prefixes": prefixes, "told": told, "position": stream.position})
    except MemoryError:
        tell({"problem": [None, "long", "holds more at once than fits into memory; the rest of it is not read", 1]})
        tell({"end": True, "prefixes": prefixes})
    except Exception:  # noqa: BLE001 - whatever it is, the process that builds must hear of it
        tell({"failed": traceback.format_exc()})
    finally:
        sender.end()


def _look(stream: Stream, problems: Problems, options: Mapping[str, Any], tell: Any) -> None:
    from clew.graph.relational_rows import looked_at

    _limit_memory(MEMORY)
    found, arrays = looked_at(stream=stream, problems=problems, **options)
    tell({"found": found, "arrays": [[array.dtype.str, len(array)] for array in arrays]}, arrays)


def _reader(
    kind: str,
    stream: Stream,
    problems: Problems,
    prefixes: dict[str, str],
    told: list[str],
    options: Mapping[str, Any],
) -> Iterator[Batch]:
    if kind in ("parquet", "parquet labels"):
        from clew.graph.tabular import parquet, parquet_labels

        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        _limit_memory(max(MEMORY, memory // 2))  # a row group is as large as whoever wrote it wished
        return parquet(stream, problems) if kind == "parquet" else parquet_labels(stream, problems)
    _limit_memory(MEMORY)
    from clew.graph.jsonld import SAMPLE, is_jsonld
    from clew.graph.node_link import DOCUMENTS

    if kind == "table":
        from clew.graph.property_graph import PropertyTable, read_table

        return read_table(stream.file, PropertyTable.of(options["table"]), problems, stream)
    if kind == "tables":
        from clew.graph.relational_rows import read_tables

        return read_tables(options["plans"], stream, problems)
    if kind == "objects":
        from clew.graph.json_documents import read_objects

        return read_objects(stream.file, problems, stream, told)
    if kind == "graphml":
        from clew.graph.property_files import graphml

        return graphml(stream.file, problems, stream)
    if kind in ("cypher", "cypherl", "cql"):
        from clew.graph.cypher_dump import cypher

        return cypher(stream.file, problems, stream)
    if kind == "gexf":
        from clew.graph.gexf import gexf

        return gexf(stream.file, problems, stream)
    if kind == "gml":
        from clew.graph.gml import gml

        return gml(stream.file, problems, stream)
    if kind == "json" and is_jsonld(stream.peek(SAMPLE)):
        kind = "jsonld"
    elif kind in DOCUMENTS:
        from clew.graph.node_link import node_link

        return node_link(stream.file, problems, stream, told)
    from clew.graph.dgraph import dgraph, is_dgraph

    if kind == "rdf" and is_dgraph(stream.peek(1 << 12)):
        return dgraph(stream.file, problems, stream)
    from clew.graph.rdf import rdf

    return rdf(stream.file, kind, problems, stream, prefixes=prefixes, **options)


def _tell_batch(batch: Batch, stream: Stream, tell: Any) -> None:
    rest: list[NDArray[Any]] = []
    if isinstance(batch, Notes):
        columns, rest = [batch.owners, batch.texts], [batch.ranks]
    else:
        columns = [batch.heads, batch.relations, batch.tails, *([batch.sources] if batch.sources is not None else [])]
        rest = [] if batch.literal_tails is None else [batch.literal_tails.astype(np.uint8)]
    arrays = [array for column in columns for array in _packed(column)] + rest
    tell(
        {
            "batch": batch.kind if isinstance(batch, Notes) else "rows",
            "columns": len(columns),
            "arrays": [[array.dtype.str, len(array)] for array in arrays],
            "position": stream.position,
            "line": stream.line,
        },
        arrays,
    )


def _packed(column: TableColumn) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """A column with that part of its bytes alone which it uses."""
    if not len(column.starts):
        return np.empty(0, np.uint8), column.starts, column.lengths
    low, high = int(column.starts.min()), int((column.starts + column.lengths).max())
    return column.data[low:high], column.starts - low, column.lengths
