"""One training in two processes on a processor, as `accelerate launch` starts it: EPERM, and STEM with its network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="needs the extra train")

SCRIPT = """
import sys, warnings
from pathlib import Path
warnings.simplefilter("ignore")
from clew.config import parse
from clew.encoding import HashEncoder
from clew.graph import Graph
from clew.methods.eperm import config as eperm_config, train as eperm
from clew.methods.stem import config as stem_config, train as stem
from clew.protocols import Example, Tools, TrainRequest
from clew.types import Gold, Question

graph = Graph.from_triples([(f"person {i}", "born in", f"city {i % 4}") for i in range(12)], name="people")
asked = [
    Example(Question(f"q{i}", f"where was person {i} born", (f"person {i}",)), Gold((city,), (city,)))
    for i in range(12)
    for city in [f"city {i % 4}"]
]
size = {"width": 32, "layers": 1, "heads": 2, "key_heads": 1, "inner": 64, "vocabulary": 300, "positions": 256}
tune = {"max_steps": 2, "batch": 4, "bf16": False}
small = {"base": "tiny", "tune": {**tune, "batch": 4}}
runs = (
    ("eperm", eperm, eperm_config, {"size": size, "tune": tune, "validate_on": 4, "dev_share": 0.3}),
    ("stem", stem, stem_config, {"decompose": small, "ground": {**small, "pairs": 8}, "fit": {"steps": 4},
                                 "network": {"width": 16, "layers": 1}, "batch": 2}),
)
for name, room, config, settings in runs:
    out = Path(sys.argv[1]) / name
    out.mkdir(exist_ok=True)
    train = parse(config.TrainConfig, settings, "train")
    room.train(TrainRequest(graph, asked, (), config.Config(), train, Tools(encoder=HashEncoder(64)), out))
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_two_processes_train_one_model(tmp_path: Path) -> None:
    from clew.encoding import HashEncoder
    from clew.learning.folders import read_record
    from clew.methods.eperm.model import DESCRIPTION, Trained
    from clew.methods.stem.model import load_model

    (tmp_path / "two.py").write_text(SCRIPT)
    run = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    done = subprocess.run(
        [*run, str(tmp_path / "two.py"), str(tmp_path)], capture_output=True, text=True, timeout=550, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert (
        read_record(Trained, tmp_path / "eperm" / DESCRIPTION)[0].temperature
        and (tmp_path / "eperm/model/config.json").is_file()
    )
    stem = load_model(tmp_path / "stem", HashEncoder(64), "cpu")
    assert stem.trained.planner and stem.network is not None
