"""A graph of the shape of Freebase, of any size: built in bounded memory from a dump, and what it answers then.

Makes the dump where it is not there yet, builds it in a process of its own while memory (anonymous and all of it, over
every process of the build), disk and time are watched, and asks the graph in another fresh process: opening, names
exactly and with a typo, neighbourhoods of random entities and of hubs, `walk` and `auto`. The first answer of each in a
process that has asked nothing else, with nothing of the graph in memory, is told apart ("walk, cold"). Vectors of the
names of relations are kept beside the graph: how many there were before is told. With `--group` the build runs in a
control group of the kernel with exactly the limit, file cache included, where this user may make one.

    python benchmarks/freebase.py --triples 126_000_000 --format nt.gz --memory 8GB --folder /tmp/freebase
    python benchmarks/freebase.py --triples 10_000_000 --format parquet --memory 600MB --group
    python benchmarks/freebase.py --triples 20_000_000 --kills 30
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import freebase_data

NS = freebase_data.NS


def build_child(given: dict[str, Any]) -> None:
    """One build, told as JSON."""
    from clew.graph import build
    from clew.types import to_json

    start = time.perf_counter()

    def told(progress: Any) -> None:
        print(f"  {time.perf_counter() - start:6.0f} s  {progress}", file=sys.stderr)

    last = [0.0]

    def sometimes(progress: Any) -> None:
        if progress.seconds - last[0] > 15:
            last[0] = progress.seconds
            told(progress)

    report = build(on_progress=sometimes, **given)
    said = to_json(report)
    print(json.dumps({"wall": time.perf_counter() - start, "report": {**said, "path": str(report.path)}}))


def family(pid: int) -> list[int]:
    """A process and those it started."""
    found, parents = [pid], {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
    for known in found:
        found += [child for child, parent in parents.items() if parent == known]
    return found


def memory_of(pid: int) -> tuple[int, int]:
    """Bytes of anonymous and of all memory that a process has now."""
    try:
        fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        return int(fields["RssAnon"].split()[0]) << 10, int(fields["VmRSS"].split()[0]) << 10
    except (OSError, KeyError, ValueError):
        return 0, 0


def disk_of(folder: Path) -> int:
    total = 0
    for place, _, files in os.walk(folder):
        for name in files:
            try:
                total += (Path(place) / name).stat().st_blocks * 512
            except OSError:
                continue
    return total


class Group:
    """A control group of the kernel (version 1 or 2) with a limit on memory, file cache included."""

    def __init__(self, limit: int) -> None:
        top = Path("/sys/fs/cgroup")
        self.old = (top / "memory").is_dir()
        self.place = (top / "memory" if self.old else top) / f"clew-benchmark-{os.getpid()}"
        self.place.mkdir()
        (self.place / ("memory.limit_in_bytes" if self.old else "memory.max")).write_text(str(limit))

    def enter(self) -> None:
        (self.place / "cgroup.procs").write_text(str(os.getpid()))

    def peak(self) -> int:
        file = self.place / ("memory.max_usage_in_bytes" if self.old else "memory.peak")
        return int(file.read_text()) if file.exists() else 0

    def end(self) -> None:
        for _ in range(50):
            try:
                self.place.rmdir()
                return
            except OSError:
                time.sleep(0.2)


def watched(given: dict[str, Any], out: Path, group: Group | None) -> dict[str, Any]:
    """Build in a process of its own; what it took at most."""
    command = [sys.executable, __file__, "--child", json.dumps(given)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=group.enter if group else None)
    anonymous = everything = disk = 0
    looked = 0.0
    while process.poll() is None:
        each = [memory_of(pid) for pid in family(process.pid)]
        anonymous = max(anonymous, sum(a for a, _ in each))
        everything = max(everything, sum(b for _, b in each))
        if time.monotonic() - looked > 2:
            looked = time.monotonic()
            disk = max(disk, sum(disk_of(folder) for folder in out.parent.glob(f".{out.name}.*")))
        time.sleep(0.1)
    said = process.stdout.read() if process.stdout else ""
    if process.returncode:
        raise SystemExit(f"the build ended with {process.returncode}")
    found = json.loads(said.splitlines()[-1])
    return {**found, "anonymous": anonymous, "resident": everything, "disk": disk, "graph": disk_of(out),
            "group": group.peak() if group else 0}  # fmt: skip


def build_killed(given: dict[str, Any], out: Path, kills: int) -> None:
    """Build once undisturbed, then kill -9 builds of the same at random moments and let the next go on; compare.

    A build that ends before its moment is taken away and begun anew. Says how many kills there were, and raises where
    a killed build leaves half a graph or the graph in the end is not the same in every file.
    """
    whole = out.with_name(f"whole-{out.name}")
    seconds = watched({**given, "out": str(whole)}, whole, None)["wall"]
    print(f"undisturbed: {seconds:,.0f} s", flush=True)
    rng, killed, finished = random.Random(4), 0, 0
    command = [sys.executable, __file__, "--child", json.dumps({**given, "out": str(out)})]
    while killed < kills or not out.exists():
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        try:
            said = process.communicate(timeout=rng.uniform(0, seconds) if killed < kills else None)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            killed += 1
            continue
        if process.returncode:
            raise SystemExit(f"after {killed} kills the build ended with {process.returncode}: {said.decode()[-2000:]}")
        finished += 1
        if checksums(out) != checksums(whole):
            raise SystemExit(f"after {killed} kills the graph is another")
        if killed < kills:
            shutil.rmtree(out)
    print(f"{killed} kills at random moments, {finished} builds ended: the same checksum of every file each time")


def checksums(path: Path) -> dict[str, str]:
    """Of each file of a graph as it lies there, compared with what its manifest says."""
    from clew.graph import Graph

    return {name: entry["sha256"] for name, entry in Graph.open(path, verify=True).meta["files"].items()}


def typo(name: str, rng: random.Random) -> str:
    at, letter = rng.randrange(len(name)), rng.choice("abcdefghijklmnopqrstuvwxyz")
    swapped = name[:at] + name[at + 1 : at + 2] + name[at] + name[at + 2 :]
    return rng.choice(
        [name[:at] + name[at + 1 :], name[:at] + letter + name[at:], name[:at] + letter + name[at + 1 :], swapped]
    )


def milliseconds(work: Any, items: list[Any]) -> dict[str, float]:
    """The first of some calls, median and 95th percentile of the others, and of all of them once more.

    What is asked for the first time comes from disk but for what the system has kept of other items; the second time
    from memory.
    """
    told = {}
    for p50, p95 in (("p50", "p95"), ("warm p50", "warm p95")):
        taken = []
        for item in items:
            start = time.perf_counter()
            work(item)
            taken.append(1000 * (time.perf_counter() - start))
        told.setdefault("first", taken[0])
        told[p50], told[p95] = (float(np.percentile(taken[1:], q)) for q in (50, 95))
    return told


class Told(dict[str, dict[str, float]]):
    """Figures by name, each said on stderr as it comes: the next one may take long."""

    def __setitem__(self, name: str, figures: dict[str, float]) -> None:
        super().__setitem__(name, figures)
        print(f"  {name}: {figures}", file=sys.stderr, flush=True)


def forget(path: str) -> None:
    """Have the system drop what it keeps of the files of a graph, where nobody else has them open."""
    for file in Path(path).rglob("*"):
        if file.is_file():
            with file.open("rb") as handle:
                os.posix_fadvise(handle.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def first_child(path: str, triples: int, seed: int, method: str) -> None:
    """The first answer of a process, from opening on, with nothing of the graph in memory; told as JSON."""
    import resource

    import clew
    from clew.graph import Graph

    world = freebase_data.World(triples, seed)
    (name,) = world.names(np.array([random.Random(2).randrange(world.topics)])).to_pylist()
    forget(path)
    start, used = time.perf_counter(), time.process_time()
    clew.ask(Graph.open(path), f"what is the date of birth of {name}", method=method)
    clock, used = 1000 * (time.perf_counter() - start), 1000 * (time.process_time() - used)
    read = resource.getrusage(resource.RUSAGE_SELF).ru_inblock * 512 / 1e6
    print(json.dumps({"first": clock, "processor": used, "MB read": read}))


def scr_first(path: Path, world: freebase_data.World, model: Path, count: int) -> dict[str, float]:
    """The first answer of `scr` in a process of its own, from its start to its end, in milliseconds: each time about
    another thing, with nothing of the graph in memory and no text of it encoded before."""
    names = world.names(np.array(random.Random(5).sample(range(world.topics), count))).to_pylist()
    taken, most = [], 0
    for name in names:
        forget(str(path))
        shutil.rmtree(path / "cache", ignore_errors=True)
        question = f"what is the date of birth of {name}"
        command = [sys.executable, "-m", "clew", "ask", str(path), question, "--method", "scr", "--model", str(model)]
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, _, used = os.wait4(process.pid, 0)
        taken.append(1000 * (time.perf_counter() - start))
        most = max(most, used.ru_maxrss)
    p50, p95, longest = (float(np.percentile(taken, q)) for q in (50, 95, 100))
    return {"p50 ms": p50, "p95 ms": p95, "longest ms": longest, "MB of memory at most": most / 1024}


def ask_child(path: str, triples: int, seed: int, questions: int, walk: int) -> None:
    """What a finished graph answers, in a fresh process, told as JSON. Every figure is of names of its own."""
    from clew.graph import Graph
    from clew.graph.neighborhood import neighborhood

    world, rng, told = freebase_data.World(triples, seed), random.Random(1), Told()
    topics = np.array(rng.sample(range(world.topics), 4 * questions + 2 * walk))
    everything, ids = world.names(topics).to_pylist(), world.ids(topics).to_pylist()
    exact, typed, inside, seeds = (everything[i * questions : (i + 1) * questions] for i in range(4))
    last = everything[4 * questions :]
    forget(path)
    start = time.perf_counter()
    graph = Graph.open(path)
    told["open"] = {"first": 1000 * (time.perf_counter() - start)}
    (index,) = graph.terms.indexes
    told["name, exact"] = milliseconds(index.exact, exact) | {
        "hit": sum(
            graph.number_of(id) in {found.number for found in index.exact(name)}
            for id, name in zip(ids, exact, strict=False)
        )
        / questions
    }
    # A name shared by more than ten cannot be told apart: what counts is that its very text is among the first ten.
    asked = [(name, typo(name, rng)) for name in typed if len(name) >= 5]
    figures = milliseconds(lambda pair: index.search(pair[1], 10), asked)
    found = [{graph.labels_at([f.number])[0] for f in index.search(wrong, 10)} for _, wrong in asked]
    figures["hit"] = sum(n in f for (n, _), f in zip(asked, found, strict=True)) / len(asked)
    told["name, one typo"] = figures
    told["name in a question"] = milliseconds(lambda name: index.spans(f"who is the brother of {name}?"), inside)
    known = [id for id in ids[3 * questions :][: len(seeds)] if graph.number_of(id) is not None]
    told["2 hops, random"] = milliseconds(lambda id: neighborhood(graph, [id], 2), known)
    degrees = np.diff(graph.as_subgraph.inc.offsets)
    hubs = graph.ids_at(np.argsort(degrees)[-10:])
    told["2 hops, hubs"] = milliseconds(lambda id: neighborhood(graph, [id], 2), hubs) | {"edges": int(degrees.max())}
    if walk:
        import clew

        kept = sum(file.stat().st_size for file in Path(path).glob("cache/relations/*/*/keys.b16")) // 16
        print(f"  vectors of names of relations kept from earlier questions: {kept:,}", file=sys.stderr)
        for method, names in (("walk", last[:walk]), ("auto", last[walk:])):

            def ask(name: str, method: str = method) -> object:
                return clew.ask(graph, f"what is the date of birth of {name}", method=method)

            told[method] = milliseconds(ask, names)
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            told["memory MB"] = {"first": int(line.split()[1]) / 1024}
    print(json.dumps(told))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--format", default="nt.gz", choices=sorted(freebase_data.WRITERS))
    parser.add_argument("--memory", default="8GB")
    parser.add_argument("--group", action="store_true", help="limit memory by a control group of the kernel as well")
    parser.add_argument("--folder", type=Path, help="where dump and graph lie, and stay")
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--walk", type=int, default=0, help="questions to `walk`, which needs an encoder")
    parser.add_argument("--scr", type=Path, help="a model of `scr` trained elsewhere: its first answers, nothing else")
    parser.add_argument("--ask-only", action="store_true", help="the graph is there already")
    parser.add_argument("--graph", type=Path, help="the graph to ask, where it lies elsewhere")
    parser.add_argument("--kills", type=int, default=0, help="kill -9 builds at so many random moments, ask nothing")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--asked", help=argparse.SUPPRESS)
    parser.add_argument("--first", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        build_child(json.loads(options.child))
        return
    if options.asked:
        ask_child(*json.loads(options.asked))
        return
    if options.first:
        first_child(*json.loads(options.first))
        return
    from clew.graph.memory import shown, size_of_text

    folder = options.folder or Path(tempfile.mkdtemp())
    world = freebase_data.World(options.triples, options.seed)
    out = options.graph or folder / f"freebase-{options.triples}-{options.format}.kg"
    rows: dict[str, Any] = {"triples": options.triples, "format": options.format, "memory": options.memory}
    if options.scr:
        told = scr_first(out, world, options.scr, options.questions)
        print(f"load {os.getloadavg()[0]:.1f}; " + ", ".join(f"{figure:,.0f} {name}" for name, figure in told.items()))
        return
    if not options.ask_only:
        files = freebase_data.make(folder, world, [options.format])[options.format]
        given: dict[str, Any] = {"inputs": str(files[0]), "out": str(out), "memory": options.memory}
        given |= {"drop_prefix": NS, "format": "nt"} if len(files) == 1 else {"labels": str(files[1])}
        if options.kills:
            build_killed(given, out, options.kills)
            return
        group = Group(size_of_text(options.memory)) if options.group else None
        try:
            rows |= watched(given, out, group)
        finally:
            if group is not None:
                group.end()
        report = rows["report"]
        print(
            f"{report['triples']:,} triples, {report['entities']:,} entities, {report['labels']:,} labels from "
            f"{shown(sum(f.stat().st_size for f in files))} of {options.format}, memory {options.memory}, "
            f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        )
        stages = ", ".join(f"{name} {seconds:,.0f}" for name, seconds in report["seconds"].items())
        print(f"{rows['wall']:,.0f} s ({options.triples / rows['wall']:,.0f} triples/s): {stages}")
        print(
            f"memory {shown(rows['anonymous'])} anonymous, {shown(rows['resident'])} resident"
            + (f", {shown(rows['group'])} in the group, file cache included" if rows["group"] else "")
            + f"; disk {shown(rows['disk'])} at most, {shown(rows['graph'])} in the end"
        )
    asked = json.dumps([str(out), options.triples, options.seed, options.questions, options.walk])
    done = subprocess.run([sys.executable, __file__, "--asked", asked], check=True, stdout=subprocess.PIPE, text=True)
    rows["asked"] = json.loads(done.stdout.splitlines()[-1])
    for method in ("walk", "auto") if options.walk else ():
        first = [sys.executable, __file__, "--first", json.dumps([str(out), options.triples, options.seed, method])]
        done = subprocess.run(first, check=True, stdout=subprocess.PIPE, text=True)
        rows["asked"][f"{method}, cold"] = json.loads(done.stdout.splitlines()[-1])
    columns = ("first", "p50", "p95", "warm p50", "warm p95")
    print(f"{'milliseconds':24}" + "".join(f"{key:>10}" for key in columns) + f"{'hit':>8}")
    for name, each in rows["asked"].items():
        cells = "".join(f"{each[key]:>10.2f}" if key in each else " " * 10 for key in columns)
        more = [f"{each[key]:,.0f} {key}" for key in ("processor", "MB read") if key in each]
        print(f"{name:24}{cells}" + (f"{each['hit']:>8.3f}" if "hit" in each else "") + ", ".join(more))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
