"""The report of `servers.py`: a JSON file that several processes write to, and its table."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import Any

DEFAULT_WAY, HOPS_WAY = "as by default", "hop by hop"


def noted(out: Path, *keys: str) -> Any:
    """What the report holds there; None for nothing."""
    held: Any = json.loads(out.read_text()) if out.exists() else {}
    for key in keys:
        held = held.get(key, {})
    return held or None


def note(out: Path, result: dict[str, Any], *keys: str) -> None:
    """Put a result into the report, with how busy the machine was. Several processes may write to one report."""
    result["load_average"] = [round(each, 1) for each in os.getloadavg()]
    with out.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        report: dict[str, Any] = json.loads(file.read() or "{}")
        held = report
        for key in keys[:-1]:
            held = held.setdefault(key, {})
        held[keys[-1]] = result
        file.truncate(0)
        file.write(json.dumps(report, indent=1) + "\n")
    print(*keys, json.dumps(result)[:1500], flush=True)


def show(report: dict[str, Any]) -> None:
    """The report as a table: ms by the clock (median) and of processors (mean), a question."""
    print(f"{'equal rows':>55}{'requests':>20}{'ms by the clock':>18}{'ms of processors':>18}")
    heads = ("of", 5), ("all", 4), ("without*", 8), ("p50", 4), ("most", 4), ("folder", 7), ("server", 7)
    counts = " ".join(f"{head:>{width}}" for head, width in (*heads, ("folder", 7), ("server", 7), ("load", 5)))
    print(f"{'engine':<9} {'graph':<7} {'way':<14} {'method':<10} {counts}")
    for engine, graphs in report.items():
        for graph in ("demo", "metaqa"):
            for way, cells in graphs.get(graph, {}).items():
                for method, cell in cells.items():
                    if method != "first_look":
                        print(_line(engine, graph, way, method, cell))
    print("* without sets that a folder puts together from the parts of a question")
    for engine, graphs in report.items():
        for graph in ("demo", "metaqa"):
            if (looked := graphs.get(graph, {}).get(DEFAULT_WAY, {}).get("first_look")) is not None:
                same = "the same graph" if looked["same_graph"] else "NOT the same graph"
                print(f"{engine}, {graph}: {looked['triples']:,} triples read in {looked['read_s']} s, {same}")
        if (found := graphs.get("hub")) is not None:
            kept = " + ".join(f"{count:,} {relation}" for relation, count in found["kept"].items())
            print(
                f"{engine}, hub of 100,003: {kept} kept, {sum(found['cut'].values()):,} told as cut, "
                f"{found['seconds']} s, {found['requests']} requests, asked again "
                f"{'the same' if found['same_twice'] else 'OTHERS'}"
            )


def _line(engine: str, graph: str, way: str, method: str, cell: dict[str, Any]) -> str:
    trips = cell["requests"]
    alone = cell.get("equal_rows_without_operators", cell["equal_rows"]) if way == HOPS_WAY else ""
    worked = [cell.get(f"processor_ms_{side}", "") for side in ("folder", "server")]
    return (
        f"{engine:<9} {graph:<7} {way:<14} {method:<10} {cell['questions']:>5} {cell['equal_rows']:>4} {alone:>8} "
        f"{trips['median']:>4.0f} {trips['most']:>4} {cell['ms_folder']:>7.0f} {cell['ms_server']:>7.0f} "
        f"{worked[0]:>7} {worked[1]:>7} {cell['load_average'][0]:>5.1f}"
    )
