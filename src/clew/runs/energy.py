"""What a session of a run took: seconds, and energy by the machine's counters where they can be read.

Separate from the folder, which only keeps what was found. Counters are those of the processor packages (Linux powercap)
and of NVIDIA GPUs (package `nvidia-ml-py`); without any, the package `codecarbon` where it is installed; else CPU
seconds at `WATTS_PER_CORE`, which is called an estimate wherever it is shown.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from clew.errors import FormatError
from clew.jsontext import read_json, write_json

POWERCAP = Path("/sys/class/powercap")
FILE = "energy.jsonl"
WATTS_PER_CORE = 10.0  # of a busy core and its memory: a server processor of 16 to 24 cores takes 150 to 250 W


class EnergyMeter:
    """Counts from its making to `record`. `poll` often enough that no counter turns over twice (some minutes)."""

    def __init__(self, powercap: Path = POWERCAP) -> None:
        self._begun, self._cpu, self._joules = time.monotonic(), time.process_time(), 0.0
        self._packages = {path: _microjoules(path) for path in sorted(powercap.glob("*-rapl:*")) if _package(path)}
        self._packages = {path: now for path, now in self._packages.items() if now is not None}
        self._gpus = _gpus()
        self._gpu_begun = _millijoules(self._gpus)
        self._tracker = None if self._packages or self._gpus else _codecarbon()

    def poll(self) -> None:
        """Add up what the processors' counters say since the last time; they begin anew at their range."""
        for path, before in self._packages.items():
            now = _microjoules(path)
            if now is not None and before is not None:
                turned = (_microjoules(path, "max_energy_range_uj") or 0) if now < before else 0
                self._joules += (now + turned - before) / 1e6
                self._packages[path] = now

    def record(self) -> dict[str, Any]:
        """Seconds, joules and where they are from: "counters of …", "codecarbon" or "estimate: …"."""
        self.poll()
        cpu = time.process_time() - self._cpu
        counted = [f"{len(self._packages)} processor packages"] if self._packages else []
        counted += [f"{len(self._gpus)} GPUs"] if self._gpus else []
        joules = self._joules + (_millijoules(self._gpus) - self._gpu_begun) / 1e3
        source = f"counters of {' and '.join(counted)}"
        if not counted and self._tracker is not None:
            self._tracker.stop()
            joules, source = self._tracker.final_emissions_data.energy_consumed * 3.6e6, "codecarbon"
        elif not counted:
            joules, source = cpu * WATTS_PER_CORE, f"estimate: CPU seconds at {WATTS_PER_CORE:g} W"
        wall = time.monotonic() - self._begun
        return {"wall_s": round(wall, 3), "cpu_s": round(cpu, 3), "joules": round(joules, 3), "source": source}


@contextmanager
def measured(folder: Path, *, served: bool) -> Iterator[EnergyMeter]:
    """Measure a session and add its record to the run's folder; one that cannot be written is missed when scored.

    Args:
        served: the language model runs elsewhere, so that its energy is not in the record.
    """
    meter = EnergyMeter()
    try:
        yield meter
    finally:
        with suppress(OSError), (folder / FILE).open("a", encoding="utf-8") as file:
            file.write(write_json({**meter.record(), "served": served}) + "\n")


def read_energy(folder: Path) -> list[dict[str, Any]]:
    """The records of the sessions that came to an end; a killed one left none. Raises FormatError."""
    try:
        rows = [read_json(line) for line in (folder / FILE).read_text(encoding="utf-8").splitlines()]
        return [{**row, "joules": float(row["joules"]), "source": str(row["source"])} for row in rows]
    except FileNotFoundError:
        return []
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{folder / FILE}: damaged ({error}); remove it, or restore it") from None


def _package(path: Path) -> bool:
    return path.name.count(":") == 1  # two colons: a part of a package, which would be counted twice


def _microjoules(path: Path, file: str = "energy_uj") -> int | None:
    try:
        return int((path / file).read_text())
    except (OSError, ValueError):
        return None


def _gpus() -> list[Any]:
    try:
        import pynvml  # type: ignore[import-not-found, unused-ignore]

        pynvml.nvmlInit()
        gpus = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
        for gpu in gpus:
            pynvml.nvmlDeviceGetTotalEnergyConsumption(gpu)  # refused before Volta
        return gpus
    except Exception:  # noqa: BLE001 - absent, or any fault of a driver: then there is no counter
        return []


def _millijoules(gpus: list[Any]) -> float:
    if not gpus:
        return 0.0
    import pynvml

    return float(sum(pynvml.nvmlDeviceGetTotalEnergyConsumption(gpu) for gpu in gpus))


def _codecarbon() -> Any | None:
    try:
        from codecarbon import OfflineEmissionsTracker  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    # The country only turns energy into emissions, which is done when a run is scored.
    tracker = OfflineEmissionsTracker(country_iso_code="USA", save_to_file=False, log_level="critical")
    tracker.start()
    return tracker
