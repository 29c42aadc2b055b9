"""What batch scoring saves EPERM, and what it costs: the same tuned model, one call per step or one per candidate.

A made world in which players have several career spells, each a nameless node with a team, a year and, as a decoy, the
year of another spell as the year in which a prize was won; questions name the year, so that only the facts around a
spell tell which one is meant. A decoder from scratch learns plans, answers and entity scores on some players and is
asked about others. The prompts of the style "short" mark what question and facts both say; which of the marked facts
counts is what the scorer has to learn. A player never joins a team twice: gold answers name teams, and of two spells
in one team the wrong one would be trained on as right. The last rows are the paper's way of training: the same decoder
tuned on plans and answers alone and then asked for entity scores it never learned to give.

    python benchmarks/eperm_scoring.py [--players 60] [--spells 12] [--epochs 3] [--json out.json]
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from clew.config import parse
from clew.encoding import HashEncoder
from clew.evaluation.answers import score_answer
from clew.graph import Graph
from clew.learning.tuning import TuneSettings
from clew.methods.eperm.config import Config, TrainConfig
from clew.methods.eperm.method import Eperm
from clew.methods.eperm.train import train
from clew.protocols import Example, Tools, TrainRequest
from clew.types import Gold, Question

YEARS = range(1996, 2012)
TEAMS = 30
SIZE = {
    "width": 64,
    "layers": 3,
    "heads": 4,
    "key_heads": 2,
    "inner": 192,
    "vocabulary": 500,
    "positions": 768,
}


def world(players: int, spells: int, seed: int) -> tuple[Graph, list[Example]]:
    """Players with spells in different years and teams, and a question about each spell."""
    random = np.random.default_rng(seed)
    triples, examples = [], []
    for p in range(players):
        years = random.choice(list(YEARS), spells, replace=False).tolist()
        teams = random.choice(TEAMS, spells, replace=False).tolist()
        for s, (year, number) in enumerate(zip(years, teams, strict=True)):
            spell, team = f"m.0p{p}s{s}", f"team {number}"
            triples += [(f"player {p}", "plays in", spell), (spell, "team", team), (spell, "year", str(year))]
            triples.append((spell, "prize in", str(years[(s + 1) % spells])))
            text = f"which team did player {p} play for in {year}"
            examples.append(Example(Question(text, text, (f"player {p}",)), Gold((team,), (team,))))
    return Graph.from_triples(triples, name="careers"), examples


def interval(values: np.ndarray) -> float:
    """Half of the 95 % interval of a mean."""
    return float(1.96 * values.std(ddof=1) / np.sqrt(len(values)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--players", type=int, default=60)
    parser.add_argument("--spells", type=int, default=12)
    parser.add_argument("--drawings", type=int, default=4)
    parser.add_argument("--epochs", type=float, default=3)
    parser.add_argument("--ask", type=int, default=150)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    graph, examples = world(args.players, args.spells, seed=0)
    held = len(examples) // 5  # whole players
    settings: dict[str, Any] = {
        "drawings": args.drawings,
        "threshold": 0.05,  # the right plan leads to all teams of a player, one in twelve of them right
        "entities": "llm",
        "size": SIZE,
        "tune": TuneSettings(epochs=args.epochs, batch=32, learning_rate=3e-3, bf16=False).model_dump(),
        "validate_on": 0,
    }
    asked = Config(entities="llm", facts=3, beam=3, plans=2)
    rows: dict[str, dict[str, float]] = {}
    f1s: dict[str, np.ndarray] = {}
    with tempfile.TemporaryDirectory() as folder:
        for scorers in (True, False):
            out = Path(folder) / ("trained" if scorers else "untrained")
            out.mkdir()
            own = parse(TrainConfig, {**settings, "scorers": scorers}, "train")
            request = TrainRequest(graph, examples[held:], [], asked, own, Tools(encoder=HashEncoder(64)), out)
            started = time.perf_counter()
            result = train(request)
            told = ", ".join(f"{n:,} {kind}" for kind, n in result.details["tasks"].items())
            loss = result.metrics.get("loss", float("nan"))
            print(
                f"{out.name}: {result.details['parameters']:,} parameters, {result.details['questions']:,} questions "
                f"({told} tasks), {time.perf_counter() - started:.0f} s, loss {loss:.3f}",
                flush=True,
            )
        test = examples[: min(held, args.ask)]
        for name, model, update in (
            ("one call per candidate", "trained", {"batch_scoring": False}),
            ("one call per step", "trained", {"batch_scoring": True}),
            ("no entity scores", "trained", {"entities": "none"}),
            ("per candidate, untrained", "untrained", {"batch_scoring": False}),
            ("per step, untrained", "untrained", {"batch_scoring": True}),
        ):
            tools = Tools(encoder=HashEncoder(64), model=Path(folder) / model)
            method = Eperm(asked.model_copy(update=update), tools)
            started = time.perf_counter()
            answers = method.predict([example.question for example in test], graph)
            seconds = time.perf_counter() - started
            scores = [score_answer(answer, example.gold) for answer, example in zip(answers, test, strict=True)]
            f1s[name] = np.array([score.f1 for score in scores])
            rows[name] = {
                "hits@1": float(np.mean([score.hits_at_1 for score in scores])),
                "f1": float(f1s[name].mean()),
                "f1 interval": interval(f1s[name]),
                "entity calls": float(np.mean([a.details["calls"].get("entities", 0) for a in answers])),
                "calls": float(np.mean([a.usage.calls for a in answers])),
                "ms": 1000 * seconds / len(test),
            }
    print(f"{len(test)} questions about players not trained on")
    print(f"{'scoring':28}{'hits@1':>8}{'f1':>8}{'±':>7}{'entity calls':>14}{'calls':>8}{'ms':>8}")
    for name, row in rows.items():
        print(
            f"{name:28}{row['hits@1']:8.3f}{row['f1']:8.3f}{row['f1 interval']:7.3f}"
            f"{row['entity calls']:14.1f}{row['calls']:8.1f}{row['ms']:8.0f}"
        )
    apart = f1s["one call per step"] - f1s["one call per candidate"]
    fewer = rows["one call per candidate"]["calls"] / rows["one call per step"]["calls"]
    print(
        f"per step against per candidate: F1 {apart.mean():+.3f} ± {interval(apart):.3f}, {fewer:.1f} times fewer calls"
    )
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
