"""The workspace: what configuration becomes, and what it says when it cannot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import clew
from clew import trained as trained_module
from clew import workspace
from clew.errors import ConfigError, FormatError, InputError, MissingExtraError, NotFoundError, UnsupportedError
from clew.extras import EXTRA_MODULES, require_extra
from clew.graph import Graph
from clew.methods import registry
from clew.methods.registry import DEFAULT_METHOD
from clew.protocols import Example, MethodCard, Needs
from clew.retrieval.operators import Operators
from clew.settings import configure
from clew.trained import check_trained, read_trained, write_record
from clew.types import Gold, Question
from clew.workspace import Workspace


@pytest.fixture(autouse=True)
def follow_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(registry, "ROOMS", (*registry.ROOMS, "follow_room"))
    monkeypatch.chdir(tmp_path)


def here() -> dict[str, str]:
    """The environment in which another Python finds this clew."""
    return {**os.environ, "PYTHONPATH": str(Path(clew.__file__).parents[1])}


def space(graph: Graph, *assignments: str) -> Workspace:
    return Workspace(configure(None, assignments, environment={}), graph=graph)


EXAMPLES = [Example(Question("q1", "currency of France?", ("France",)), Gold(("Euro",)))]


def test_flags_beat_the_environment_beats_the_file(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('[run]\nseed = 1\nbatch = 1\nthreads = 1\n[method]\nname = "follow"\n')
    environment = {"CLEW_RUN__BATCH": "2", "CLEW_RUN__THREADS": "2", "CLEW_DATA": "/x", "OTHER__KEY": "1"}
    found = configure(file, ["run.threads=3"], environment=environment, flags={"data": {"questions": "q.jsonl"}})
    assert (found.run.seed, found.run.batch, found.run.threads) == (1, 2, 3)
    assert (found.method, found.data.questions) == ({"name": "follow"}, "q.jsonl")


def test_clew_toml_of_the_working_directory_is_read(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_text("[run]\nseed = 7\n")
    assert configure(environment={}).run.seed == 7


@pytest.mark.parametrize(
    ("text", "assignments", "environment", "message"),
    [
        ("[rum]\nseed = 1", [], {}, r"c\.toml: no key 'rum'; nearest: 'run'"),
        ("[run]\nsead = 1", [], {}, r"c\.toml: no key 'sead'; nearest: 'seed'.* in \[run\]"),
        ("[run]\nbatch = 0", [], {}, r"run\.batch = 0"),
        ("", ["run.thread=2"], {}, r"no key 'thread'; nearest: 'threads'"),
        ("[link]\nlimits = 2", [], {}, r"no key 'limits'; nearest: 'limit'"),
        ("", ["run.threads"], {}, "expected key=value"),
        ("", [], {"CLEW_RUN__SEAD": "1"}, r"environment \(CLEW_RUN__SEAD\): no key 'sead'"),
    ],
)
def test_an_unknown_key_names_the_nearest(
    tmp_path: Path, text: str, assignments: list[str], environment: dict[str, str], message: str
) -> None:
    file = tmp_path / "c.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=message):
        configure(file, assignments, environment=environment)


def test_a_method_gets_its_own_settings(toy: Graph) -> None:
    assert space(toy, "method.name=follow", "method.score=0.25").method_config().score == 0.25
    with pytest.raises(ConfigError, match=r"method 'follow': no key 'scor'; nearest: 'score'"):
        space(toy, "method.name=follow", "method.scor=1").method_config()
    with pytest.raises(NotFoundError, match="no method 'folow'; nearest: 'follow'"):
        space(toy, "method.name=folow").method_name()


def test_the_run_seed_reaches_a_method_that_has_one(toy: Graph) -> None:
    assert space(toy, "method.name=follow", "run.seed=5").method_config().seed == 5
    assert space(toy, "method.name=follow", "run.seed=5", "method.seed=9").method_config().seed == 9


def test_missing_needs_are_said_before_the_first_question(toy: Graph) -> None:
    with pytest.raises(ConfigError, match=r"language_model\.model"):
        space(toy, "method.name=talk").open_method()
    with pytest.raises(NotFoundError, match="clew train weights"):
        space(toy, "method.name=weights").open_method()
    with pytest.raises(ConfigError, match="no graph"):
        Workspace(configure(environment={})).graph  # noqa: B018


def test_a_missing_extra_shows_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRA_MODULES, "pcst", ("no_such_module",))
    with pytest.raises(MissingExtraError, match=r"pip install 'clew\[pcst\]'"):
        require_extra("method 'x'", "pcst")


def test_training_leaves_a_model_that_answers_with_its_settings(toy: Graph, tmp_path: Path) -> None:
    out = tmp_path / "model"
    space(toy, "method.name=follow", "method.score=0.75", "run.seed=3").train(EXAMPLES, [], out)
    assert json.loads((out / "weights.json").read_text()) == {"seen": 1, "seed": 3}
    trained = read_trained(out)
    assert (trained.method, trained.graph, trained.seed, trained.metrics) == ("follow", toy.name, 3, {"hits@1": 1.0})
    with_model = space(toy, f"method.model={out}")
    assert with_model.method_name() == "follow"
    assert with_model.ask("currency of France?", topics=["France"]).candidates[0].score == 0.75
    with pytest.raises(InputError, match="--resume"):
        space(toy, "method.name=follow").train(EXAMPLES, [], out)
    with pytest.raises(ConfigError, match="trained for method 'follow', not 'weights'"):
        space(toy, f"method.model={out}", "method.name=weights").model()
    with pytest.raises(UnsupportedError, match=r"trainable here:.*follow"):
        space(toy, "method.name=talk").train(EXAMPLES, [], tmp_path / "other")
    with pytest.raises(ConfigError, match="no key 'epoch'; nearest: 'epochs'"):
        space(toy, "method.name=follow", "train.epoch=1").train(EXAMPLES, [], tmp_path / "other")


def test_a_model_is_asked_with_the_encoder_of_its_training(toy: Graph, tmp_path: Path) -> None:
    out = tmp_path / "model"
    space(toy, "method.name=weights", "encoder.name=hash-64").train(EXAMPLES, [], out)
    encoder = space(toy, f"method.model={out}").tools().encoder
    assert encoder is not None and encoder.dim == 64
    encoder = space(toy, f"method.model={out}", "encoder.name=hash-32").tools().encoder
    assert encoder is not None and encoder.dim == 32


def test_a_damaged_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no trained model"):
        read_trained(tmp_path)
    (tmp_path / "trained.json").write_text("{")
    with pytest.raises(FormatError, match="damaged"):
        read_trained(tmp_path)
    (tmp_path / "trained.json").write_text('{"format": 9}')
    with pytest.raises(FormatError, match="format 9"):
        read_trained(tmp_path)


def test_ask_and_predict_from_python(toy: Graph) -> None:
    answer = clew.ask(toy, "what is the currency of France?", method="follow", settings={"score": 0.5})
    assert answer.texts == ("Euro",)
    assert clew.verify(answer, toy) == []
    answers = clew.predict(toy, ["currency of Germany?", Question("x", "continent of France?")], method="follow")
    assert [a.texts for a in answers] == [("Euro",), ("Europe",)]
    assert [a.question.id for a in answers] == ["q1", "x"]
    with pytest.raises(InputError, match="empty"):
        clew.ask(toy, "  ", method="follow")


def test_every_public_name_exists() -> None:
    for name in clew.__all__:
        assert getattr(clew, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Grap'"):
        clew.Grap  # noqa: B018


def test_import_clew_loads_nothing_heavy() -> None:
    code = (
        "import clew, sys; heavy = {'torch', 'numba', 'openai', 'transformers', 'numpy', 'pyarrow', 'pydantic'};"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=here())
    assert (done.returncode, done.stderr) == (0, "")


class Point:
    """An entry point of an installed package."""

    def __init__(self, name: str, load: Any) -> None:
        self.value, self._load = f"{name}:cards", load
        self.dist = SimpleNamespace(name=name)

    def load(self) -> Any:
        return self._load()


def test_a_broken_plug_in_costs_one_warning_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    scans: list[str] = []
    mine = MethodCard("mine", "x", "", Needs(), "m:M", "m:C")

    def fail() -> Any:
        raise RuntimeError("its own bug")

    def points(group: str) -> list[Point]:
        scans.append(group)
        wrong = Point("wrong-package", lambda: SimpleNamespace(CARDS=(3,)))
        return [Point("broken-package", fail), Point("good-package", lambda: SimpleNamespace(CARDS=(mine,))), wrong]

    monkeypatch.setattr(registry, "entry_points", points)
    registry._announced.cache_clear()
    try:
        with pytest.warns(UserWarning) as caught:
            assert registry.card("mine") is mine
        assert [str(each.message).split(" are left out")[0] for each in caught] == [
            "methods of broken-package (broken-package:cards)",
            "methods of wrong-package (wrong-package:cards)",
        ]
        for _ in range(5):
            assert registry.card("walk").name == "walk"
        assert scans == ["clew.methods"]
    finally:
        registry._announced.cache_clear()


@pytest.mark.parametrize("method", ["eperm", "roe", "stem"])
def test_a_language_model_or_a_trained_model(toy: Graph, tmp_path: Path, method: str) -> None:
    toy.save(tmp_path / "toy.kg")
    asked = ("encoder.name=hash-64", f"method.name={method}", f"graph.path={tmp_path / 'toy.kg'}")
    bare = Workspace(configure(None, asked, environment={}))
    with pytest.raises(ConfigError, match="needs a language model or a trained model"):
        bare.open_method()
    (lack,) = bare.lacks(bare.card())
    assert "a language model" in lack and f"clew train {method}" in lack
    server = ("language_model.model=m", "language_model.base_url=http://127.0.0.1:9/v1")
    able = Workspace(configure(None, (*asked, *server), environment={}))
    assert able.lacks(able.card()) == []
    assert able.open_method().name == method


SERVER = ("model=m", "base_url=http://127.0.0.1:9/v1")
SPOKEN = (*(f"language_model.{each}" for each in SERVER), "encoder.name=hash-64")


@pytest.mark.parametrize("method", ["stem", "eperm", "roe", "decompose", "io", "cot"])
def test_a_language_model_that_reads_the_question_sees_its_operators(toy: Graph, method: str) -> None:
    """A question for the last time must not reach a model without its "last"."""
    assert not isinstance(space(toy, f"method.name={method}", *SPOKEN).open_method(), Operators)
    asked = space(toy, f"method.name={method}", "method.operators=true", *SPOKEN)
    assert isinstance(asked.open_method(), Operators)


@pytest.mark.parametrize("asked", ["walk", "decompose", "roe method.notation=numbers", "eperm method.style=short"])
def test_where_no_chat_model_reads_operators_are_taken_out(toy: Graph, asked: str) -> None:
    name, *settings = asked.split()
    spoken = () if name == "decompose" else SPOKEN
    opened = space(toy, f"method.name={name}", "encoder.name=hash-64", *settings, *spoken).open_method()
    assert isinstance(opened, Operators)


@pytest.mark.parametrize("part", ["stem method.decomposer", "stem method.grounder", "decompose method.decomposer"])
def test_a_part_with_a_model_of_its_own_needs_no_other(toy: Graph, part: str) -> None:
    name, role = part.split()
    asked = space(toy, f"method.name={name}", "encoder.name=hash-64", *(f"{role}.{each}" for each in SERVER))
    assert asked.lacks(asked.card()) == []
    assert asked.open_method().name == name
    other = registry.card("eperm")
    assert asked.lacks(other) and "a language model" in asked.lacks(other)[0]


def test_an_optional_encoder_is_opened_where_a_language_model_answers(
    toy: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace, "is_installed", lambda name: True)
    monkeypatch.setattr(Workspace, "encoder", lambda self, model=None: "the encoder")
    assert space(toy, "method.name=roe", *SPOKEN[:2]).tools().encoder == "the encoder"
    assert space(toy, "method.name=roe", *SPOKEN).tools().encoder == "the encoder"
    monkeypatch.setattr(workspace, "is_installed", lambda name: False)
    assert space(toy, "method.name=roe", *SPOKEN[:2]).tools().encoder is None


def test_what_is_ready_can_be_asked(toy: Graph, tmp_path: Path) -> None:
    """`clew methods` says ready where opening works, and only there."""
    toy.save(tmp_path / "toy.kg")
    for settings in ((), ("language_model.model=m", "language_model.base_url=http://127.0.0.1:9/v1")):
        for name, card in registry.cards().items():
            asked = ("encoder.name=hash-64", f"method.name={name}", f"graph.path={tmp_path / 'toy.kg'}", *settings)
            space = Workspace(configure(None, asked, environment={}))
            ready = not space.lacks(card)
            try:
                space.open_method()
            except (ConfigError, NotFoundError, InputError, UnsupportedError):
                assert not ready, name
            else:
                assert ready, name


def test_one_ask_reads_a_trained_model_once(toy: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy.save(tmp_path / "toy.kg")
    out = tmp_path / "toy.kg" / "models" / "weights"
    space(toy, "method.name=weights", "encoder.name=hash-64").train(EXAMPLES, [], out)
    reads: list[Path] = []

    def counted(folder: Path) -> Any:
        reads.append(folder)
        return read_trained(folder)

    for module in (workspace, trained_module):
        monkeypatch.setattr(module, "read_trained", counted)
    for more in ((), (f"method.model={out}",)):
        reads.clear()
        found = Workspace(configure(None, (f"graph.path={tmp_path / 'toy.kg'}", *more), environment={}))
        found.ask("currency of France?", topics=["France"])
        assert len(reads) == 1


def test_a_changed_file_of_a_model_is_found(toy: Graph, tmp_path: Path) -> None:
    out = tmp_path / "model"
    space(toy, "method.name=weights", "encoder.name=hash-64").train(EXAMPLES, [], out)
    assert check_trained(out) == []
    said = (out / "training.log").read_text().splitlines()  # not a part of the model: what was said may grow
    assert said[0].endswith(f"training weights on {len(EXAMPLES)} questions, 0 to judge by") and "done: " in said[-1]
    weights = next(path for path in out.iterdir() if path.name not in ("trained.json", "training.log"))
    weights.write_bytes(weights.read_bytes() + b" ")
    assert check_trained(out) == [f"{weights}: changed"]
    record = out / "trained.json"
    record.write_text(record.read_text().replace('"seed": 0', '"seed": 1'))
    with pytest.raises(FormatError, match="checksum differs"):
        read_trained(out)


def written(count: int, synthetic: bool = False) -> list[Example]:
    asked = (("France", "Euro"), ("Japan", "Yen"), ("Germany", "Euro"))
    return [
        Example(Question(f"q{i}", f"currency of {place}?", (place,)), Gold((money,)), synthetic=synthetic)
        for i, (place, money) in enumerate(asked[i % 3] for i in range(count))
    ]


def trained(toy: Graph, tmp_path: Path, examples: list[Example], dev: list[Example]) -> Workspace:
    """A workspace of a graph beside which a model lies."""
    toy.save(tmp_path / "toy.kg")
    out = tmp_path / "toy.kg" / "models" / "weights"
    space(toy, "method.name=weights", "encoder.name=hash-64").train(examples, dev, out)
    asked = ("encoder.name=hash-64", f"graph.path={tmp_path / 'toy.kg'}")
    return Workspace(configure(None, asked, environment={}))


def test_a_model_no_better_than_no_training_is_not_asked_unnamed(toy: Graph, tmp_path: Path) -> None:
    found = trained(toy, tmp_path, EXAMPLES, written(12))
    model = found._beside["weights"]
    assert model.judged is not None and model.judged.questions == 12
    assert model.judged.model <= model.judged.untrained and "held-out" in model.doubt
    assert found.method_name() == DEFAULT_METHOD
    said = found.ask("currency of France?", topics=["France"]).details["answering"]
    assert said.startswith(DEFAULT_METHOD) and "--method weights" in said


def test_a_better_model_answers_and_says_so(toy: Graph, tmp_path: Path) -> None:
    trained(toy, tmp_path, EXAMPLES, [])
    folder = tmp_path / "toy.kg" / "models" / "weights"
    record = json.loads((folder / "trained.json").read_text())
    write_record(folder, {**record, "judged": {"questions": 40, "model": 0.9, "untrained": 0.5}, "sha256": 0})
    found = Workspace(configure(None, (f"graph.path={tmp_path / 'toy.kg'}",), environment={}))
    assert found.method_name() == "weights" and found._beside["weights"].judged.untrained == 0.5  # type: ignore[union-attr]


def test_a_model_of_synthetic_questions_alone_is_not_asked_unnamed(toy: Graph, tmp_path: Path) -> None:
    found = trained(toy, tmp_path, written(3, synthetic=True), written(12, synthetic=True))
    assert found._beside["weights"].judged is None and "synthetic" in found._beside["weights"].doubt
    assert found.method_name() == DEFAULT_METHOD


def test_a_model_of_written_questions_answers_where_none_were_held_out(toy: Graph, tmp_path: Path) -> None:
    found = trained(toy, tmp_path, EXAMPLES, [])
    assert found.method_name() == "weights" and "trained" in found.answering()
