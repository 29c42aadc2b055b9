"""Ray as an engine: the same rows as the local one."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import clew
from clew.graph import build
from clew.runs import Run

SCRIPT = """
import sys
from functools import partial
from pathlib import Path
import follow_room
from clew.protocols import Example
from clew.runs import Run, answer_all
from clew.runs.ray_engine import answer_with_ray
from clew.types import Gold, Question

graph, folder, engine = sys.argv[1:]
examples = [Example(Question(f"q{i}", "currency of France?", ("France",)), Gold(("Euro",))) for i in range(20)]
examples[7] = Example(Question("q7", "refuse the currency of France?", ("France",)), Gold(("Euro",)))
opener = partial(follow_room.opened, graph, refuse="refuse")
with Run.create(Path(folder), {}, examples, session={}) as run:
    if engine == "ray":
        answer_with_ray(run, examples, opener, batch=4, workers=1)
    else:
        predict, opened = opener()
        answer_all(run, ((e.question, opened) for e in examples), predict, batch=4)
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_ray_gives_the_same_rows(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    (tmp_path / "facts.tsv").write_text("France\tcurrency\tEuro\nFrance\tcontinent\tEurope\n")
    build([tmp_path / "facts.tsv"], tmp_path / "facts.kg")
    found = {}
    for engine in ("local", "ray"):
        paths = os.pathsep.join([str(Path(clew.__file__).parents[1]), str(Path(__file__).parents[1])])
        arguments = [sys.executable, "-c", SCRIPT, str(tmp_path / "facts.kg"), str(tmp_path / engine), engine]
        environment = {**os.environ, "PYTHONPATH": paths}
        done = subprocess.run(arguments, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        rows = list(Run.open(tmp_path / engine).rows())
        found[engine] = [replace(r, answer=r.answer and replace(r.answer, seconds={})) for r in rows]
    assert len(found["local"]) == 20
    assert [row.id for row in found["local"] if row.error] == ["q7"]
    assert found["ray"] == found["local"]
