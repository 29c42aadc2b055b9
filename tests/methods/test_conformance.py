"""Every registered method is whole: it conforms, and has its paper card, experiment and tests."""

from __future__ import annotations

import ast
import inspect
import tomllib
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from clew.extras import load
from clew.methods import registry
from clew.protocols import MethodCard
from clew.testing.method import MethodSuite

ROOT = Path(__file__).resolve().parents[2]
CARDS = registry.cards()


class TestIo(MethodSuite):
    name = "io"
    uses_graph = False


class TestCot(MethodSuite):
    name = "cot"
    script = 'A capital. Answers: ["Japan"]'
    uses_graph = False


def suites() -> set[str]:
    """The methods on which a test in tests/methods runs the conformance suite."""
    files = (ROOT / "tests" / "methods").rglob("test_*.py")
    classes = (
        node for file in files for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ClassDef)
    )
    return {
        statement.value.value
        for node in classes
        if any(isinstance(base, ast.Name) and base.id == "MethodSuite" for base in node.bases)
        for statement in node.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        if [target.id for target in statement.targets if isinstance(target, ast.Name)] == ["name"]
    }


def gaps(card: MethodCard) -> list[str]:
    """What a registered method lacks, in words."""
    room = ROOT / "src" / Path(*card.method.partition(":")[0].split(".")[:-1])
    experiments = [tomllib.loads(file.read_text()) for file in (ROOT / "experiments").glob("**/*.toml")]
    checks = {
        "no paper card README.md in its room": (room / "README.md").is_file(),
        "no docstring": bool((inspect.getdoc(load(card.method)) or "").strip()),
        "only one of train and train_config": (card.train is None) == (card.train_config is None),
        "no test in tests/methods runs MethodSuite on it": card.name in suites(),
        "no experiment file": any(tree.get("method", {}).get("name") == card.name for tree in experiments),
    }
    return [gap for gap, good in checks.items() if not good]


@pytest.mark.parametrize("name", CARDS)
def test_a_registered_method_is_whole(name: str) -> None:
    if not CARDS[name].method.startswith("clew."):
        pytest.skip("of another package")
    assert gaps(CARDS[name]) == []
    load(CARDS[name].config)()
    assert CARDS[name].train is None or callable(load(str(CARDS[name].train)))


def test_what_a_method_lacks_is_noticed() -> None:
    follow, _, weights = import_module("follow_room").CARDS
    assert gaps(follow) == [
        "no paper card README.md in its room",
        "no test in tests/methods runs MethodSuite on it",
        "no experiment file",
    ]
    assert "only one of train and train_config" in gaps(replace(weights, train_config=None))


def test_every_experiment_file_is_valid() -> None:
    from clew.settings import configure
    from clew.workspace import Workspace

    for file in (ROOT / "experiments").glob("**/*.toml"):
        space = Workspace(configure(file, environment={}))
        card = registry.card(str(space.configuration.method["name"]))
        settings = {k: v for k, v in space.configuration.method.items() if k not in ("name", "model")}
        load(card.config).model_validate(settings)
        if space.configuration.train:
            load(str(card.train_config)).model_validate(space.configuration.train)
        assert space.configuration.data.questions, f"{file.name}: names no questions"
