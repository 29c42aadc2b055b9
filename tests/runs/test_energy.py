"""What a session took: the counters of a machine, or an estimate that says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import FormatError
from clew.runs import energy
from clew.runs.energy import FILE, EnergyMeter, measured, read_energy


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine without GPUs, whatever it is run on."""
    monkeypatch.setattr(energy, "_gpus", lambda: [])
    monkeypatch.setattr(energy, "_codecarbon", lambda: None)


def test_counters_are_added_up_and_turn_over(tmp_path: Path) -> None:
    for name, value in (("intel-rapl:0", 900), ("intel-rapl:0:0", 5), ("intel-rapl:1", 0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "energy_uj").write_text(str(value))
        (tmp_path / name / "max_energy_range_uj").write_text("1000")
    meter = EnergyMeter(tmp_path)
    (tmp_path / "intel-rapl:0" / "energy_uj").write_text("100")  # went on from its range
    meter.poll()
    (tmp_path / "intel-rapl:1" / "energy_uj").write_text("2000000")
    record = meter.record()
    assert record["joules"] == pytest.approx(2.0 + 0.0002, abs=1e-3)
    assert record["source"] == "counters of 2 processor packages"  # a part of a package is not counted again


def test_without_counters_it_is_an_estimate(tmp_path: Path) -> None:
    with measured(tmp_path, served=True) as meter:
        meter._packages = {}
    (record,) = read_energy(tmp_path)
    assert record["source"].startswith("estimate: ") and record["served"]
    assert record["joules"] == pytest.approx(record["cpu_s"] * energy.WATTS_PER_CORE, abs=0.02)
    assert read_energy(tmp_path / "none") == []
    (tmp_path / FILE).write_text("{}\n")
    with pytest.raises(FormatError, match="damaged"):
        read_energy(tmp_path)
