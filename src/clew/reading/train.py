"""Makes the network that ships with clew: records of every source, packs, fitting, one file.

    python -m clew.reading.train OUT [--data FOLDER] [--leave-out pq,metaqa] [--questions N] [--start FILE] [--resume]

Reads the question sets of CLEW_DATA (training parts only). Everything made on the way lies in OUT: packs, the last
checkpoint; a second start with --resume goes on from there. --start begins with the weights of an earlier training.
`--leave-out` names groups (not sources) that take no part in training; how the reader does on them is said at every
checkpoint, and `scripts/fit_reader.py` measures whole answers and fits the calibration on such networks.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from safetensors.numpy import save_file

from clew.datasets.source import data_folder
from clew.encoding import DEFAULT, open_encoder
from clew.reading.corpus import SOURCES, Builder
from clew.reading.fitting import Batches, FitSettings, fit, right_share, start_from_words
from clew.reading.network import FORMAT, Network
from clew.reading.packs import Pack
from clew.reading.torchnet import ReaderNet, Shape
from clew.reading.wording import PLAN_FEATURES, STEP_FEATURES

HELD = 60  # records of each source that are measured and not trained on
LEFT_OUT = 400  # records of each left-out source that are measured
UNFITTED = {"share": 1.0, "bias": 0.0}


def say(line: str) -> None:
    """Progress, also into a file."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def packs(names: Sequence[str], data: Path, folder: Path, seed: int = 0) -> dict[str, Pack]:
    """The packs of some sources, made where they do not lie in `folder` yet."""
    encoder = None
    found = {}
    for name in names:
        path = folder / f"{name}.npz"
        if not path.is_file():
            encoder = encoder or open_encoder(DEFAULT)
            source, began = SOURCES[name], time.monotonic()
            records = list(source.read(Builder(encoder, data, seed), source.most))
            Pack.of(source.group, records, encoder).save(path)
            say(f"{name}: {len(records)} records, {time.monotonic() - began:.0f} s")
        found[name] = Pack.load(path)
    return found


def write(net: ReaderNet, path: Path, about: Mapping[str, Any]) -> None:
    """The network as float16, with what answering must know beside it."""
    shape = net.shape
    said = {
        "format": FORMAT,
        "encoder": DEFAULT,
        "heads": shape.heads,
        "question_layers": shape.question_layers,
        "plan_layers": shape.plan_layers,
        "plan_features": list(PLAN_FEATURES),
        "step_features": list(STEP_FEATURES),
        "calibration": UNFITTED,
        **about,
    }
    weights = {name: value.detach().numpy().astype(np.float16) for name, value in net.state_dict().items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(weights, path, metadata={"clew": json.dumps(said)})


def mean(
    paths: Sequence[Path],
    out: Path,
    read: Callable[[Path], Mapping[str, Any]] = lambda path: Network.open(path).weights,
) -> None:
    """The mean of the weights of networks that were trained one from another: better than any of them alone.

    After Wortsman et al. 2022, "Model soups": weights within one basin of the loss may be averaged.

    Args:
        read: the float32 arrays of a file by name.
    """
    with safe_open(str(paths[-1]), "np") as file:
        about = file.metadata()
    made = [read(path) for path in paths]
    weights = {name: np.mean([each[name] for each in made], axis=0).astype(np.float16) for name in made[0]}
    save_file(weights, out, metadata=about)


def opened(path: Path) -> ReaderNet:
    """The network of a file, in torch."""
    weights = Network.open(path).weights
    net = ReaderNet(Shape(width=weights["word.weight"].shape[0]))
    net.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
    return net


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m clew.reading.train", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, help="folder of the question sets; default: CLEW_DATA")
    parser.add_argument("--packs", type=Path, help="folder of packs; default: OUT/packs")
    parser.add_argument("--leave-out", default="", help="groups, by comma")
    parser.add_argument("--questions", type=int, default=FitSettings().questions)
    parser.add_argument("--width", type=int, default=Shape().width)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rate", type=float, default=FitSettings().rate, help="the highest learning rate")
    parser.add_argument("--start", type=Path, help="weights to start from, written by an earlier training")
    parser.add_argument("--resume", action="store_true")
    given = parser.parse_args(arguments)
    torch.manual_seed(given.seed)
    left_out = {group for group in given.leave_out.split(",") if group}
    if unknown := left_out - {source.group for source in SOURCES.values()}:
        parser.error(
            f"--leave-out: no group {', '.join(unknown)}; groups: {sorted({s.group for s in SOURCES.values()})}"
        )
    made = packs(list(SOURCES), data_folder(given.data), given.packs or given.out / "packs", given.seed)
    training, held, batches = {}, {}, {name: Batches(pack) for name, pack in made.items()}
    for name, pack in made.items():
        order = np.random.default_rng(0).permutation(len(pack)).tolist()
        if pack.group in left_out or not SOURCES[name].weight:  # the latter is for fitting what comes after
            held[name] = order[:LEFT_OUT]
        else:
            kept = min(HELD, len(pack) // 10)
            training[name] = (batches[name], order[kept:], SOURCES[name].weight)
            held[name] = order[:kept]
    net = ReaderNet(Shape(width=given.width))
    if given.start is None:
        start_from_words(net, [each for each, _, _ in training.values()])
    else:
        net.load_state_dict({name: torch.from_numpy(v) for name, v in Network.open(given.start).weights.items()})

    def measure() -> str:
        shares = {name: right_share(net, batches[name], numbers) for name, numbers in held.items()}
        return " ".join(
            f"{name}{' (left out)' if name not in training else ''} {share:.2f}" for name, share in shares.items()
        )

    fit(
        net,
        training,
        FitSettings(questions=given.questions, rate=given.rate, seed=given.seed),
        given.out,
        say,
        measure,
        given.resume,
    )
    write(
        net,
        given.out / "reader.safetensors",
        {"left_out": sorted(left_out), "questions": given.questions, "started_from_weights": given.start is not None},
    )


if __name__ == "__main__":
    main()
