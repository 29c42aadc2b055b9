"""Makes the cross-encoder that ships with clew, from the packs of `clew.reading.train` and the network made there.

    python -m clew.reading.train_cross OUT --packs FOLDER [--questions N] [--start FILE] [--resume]

The wrong plans that it learns from are those that the first network likes. Measured at every checkpoint on worlds that
neither network trains on. `scripts/make_reader.py` averages several trainings (`mean`).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file
from safetensors.torch import load_file
from tokenizers import Tokenizer

from clew.encoding.bert import bert_shape
from clew.encoding.cross_encoder import FORMAT
from clew.encoding.local import DEFAULT, find_weights
from clew.reading import train
from clew.reading.corpus import SOURCES
from clew.reading.cross_fitting import CrossNet, CrossSettings, PairSource, fit_cross, right_shares
from clew.reading.packs import Pack
from clew.reading.reader import SHIPPED
from clew.reading.train import HELD, opened, say

MEASURED = 400  # records of the worlds that are kept
WEIGHTS = (0.0, 0.5, 1.0)  # of the cross-encoder beside the first network, when measured
MOST = 8  # plans looked at, when measured


def write(net: CrossNet, path: Path, about: Mapping[str, object]) -> None:
    """The weights as float16."""
    made = {name: value.detach().numpy().astype(np.float16) for name, value in net.weights().items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    said = {"format": FORMAT, "encoder": DEFAULT, **about}
    save_file(made, path, metadata={"clew": json.dumps(said)})


def mean(paths: Sequence[Path], out: Path) -> None:
    """The mean of the weights of trainings from one start."""
    train.mean(paths, out, lambda path: {name: w.float().numpy() for name, w in load_file(path).items()})


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m clew.reading.train_cross", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--packs", type=Path, required=True, help="folder of packs (clew.reading.train makes them)")
    parser.add_argument("--first", type=Path, default=SHIPPED, help="the first network; default: the one that ships")
    parser.add_argument("--leave-out", default="", help="groups, by comma")
    parser.add_argument("--questions", type=int, default=CrossSettings().questions)
    parser.add_argument("--rate", type=float, default=CrossSettings().rate, help="the highest learning rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=Path, help="weights to start from; default: the sentence encoder's")
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args(arguments)
    left_out = {group for group in given.leave_out.split(",") if group}
    if unknown := left_out - {source.group for source in SOURCES.values()}:
        parser.error(
            f"--leave-out: no group {', '.join(unknown)}; groups: {sorted({s.group for s in SOURCES.values()})}"
        )
    folder = find_weights(DEFAULT)
    shape = bert_shape(folder)
    assert shape is not None
    torch.manual_seed(given.seed)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    sources, held = {}, {}
    for name, source in SOURCES.items():
        path = given.packs / f"{name}.npz"
        if not path.is_file():
            parser.error(f"--packs {given.packs}: no {path.name}; make it with  python -m clew.reading.train")
        read = PairSource(Pack.load(path), tokenizer)
        order = np.random.default_rng(0).permutation(len(read)).tolist()
        if source.group in left_out or not source.weight:
            answered = set(read.answered)
            held[name] = (read, [i for i in order if i in answered][:MEASURED])
        else:
            sources[name] = (read, order[min(HELD, len(order) // 10) :], source.weight)
    first = opened(given.first)
    net = CrossNet(folder, shape, CrossSettings().dropout)
    if given.start is not None:
        net.start(load_file(given.start))

    def measure() -> str:
        shares = {name: right_shares(net, first, *each, MOST, WEIGHTS) for name, each in held.items()}
        return " ".join(f"{name} {' '.join(f'{share:.3f}' for share in each)}" for name, each in shares.items())

    settings = CrossSettings(questions=given.questions, rate=given.rate, seed=given.seed)
    fit_cross(net, first, sources, settings, given.out, say, measure, given.resume)
    write(net, given.out / "cross.safetensors", {"left_out": sorted(left_out), "questions": given.questions})


if __name__ == "__main__":
    main()
