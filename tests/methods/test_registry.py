"""The list of methods: ours, and those of other packages."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from clew.errors import NotFoundError
from clew.methods import registry


class Announced:
    """Stands for the installed packages; counts how often they are read."""

    def __init__(self, *points: EntryPoint):
        self.points, self.reads = points, 0

    def __call__(self, *, group: str) -> tuple[EntryPoint, ...]:
        assert group == "clew.methods"
        self.reads += 1
        return self.points


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    registry._announced.cache_clear()
    yield
    registry._announced.cache_clear()


def announce(monkeypatch: pytest.MonkeyPatch, *points: tuple[str, str]) -> Announced:
    found = Announced(*(EntryPoint(name, value, "clew.methods") for name, value in points))
    monkeypatch.setattr(registry, "entry_points", found)
    return found


def test_installed_packages_are_read_once_and_for_ours_never(monkeypatch: pytest.MonkeyPatch) -> None:
    found = announce(monkeypatch)
    assert registry.card("walk").name == "walk"
    assert found.reads == 0
    registry.cards()
    registry.cards()
    with pytest.raises(NotFoundError, match="wak"):
        registry.card("wak")
    assert found.reads == 1


def test_a_method_of_another_package_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    announce(monkeypatch, ("mine", "follow_room"))
    assert registry.card("follow").method.startswith("follow_room:")


def test_another_package_cannot_take_the_name_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "ROOMS", ("follow_room",))
    ours = registry.card("follow")
    announce(monkeypatch, ("theirs", "clew.methods.walk"), ("again", "follow_room"))
    assert registry.cards()["follow"] is ours


def test_a_broken_package_costs_one_warning_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    announce(monkeypatch, ("broken", "no_such_module_of_clew"), ("fine", "follow_room"))
    with pytest.warns(UserWarning, match="no_such_module_of_clew.*are left out: ModuleNotFoundError"):
        assert {"walk", "follow"} <= set(registry.cards())
    assert "walk" in registry.cards()
