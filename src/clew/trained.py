"""The record beside a model's weights: what made them, how they did, and that they are what training left.

Apart from the workspace because whoever checks a folder needs no configuration. A folder is untrusted: its record is
bounded and summed, and nothing in it leads elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from clew.config import Settings
from clew.errors import FormatError, NotFoundError
from clew.learning.costs import LOG
from clew.methods.registry import DEFAULT_METHOD

TRAINED = "trained.json"
LONGEST = 4 * 2**20  # bytes of that file


class ComparedModel(Settings):
    """Hits@1 on held-out questions that people wrote: of a model, and of the method that is asked without one."""

    questions: int
    model: float
    untrained: float


class TrainedRecord(Settings):
    """The file `trained.json`."""

    format: Literal[1]
    method: str
    config: dict[str, Any]
    encoder: dict[str, Any]
    graph: str
    seed: int
    metrics: dict[str, float]
    synthetic: bool = False  # trained on nothing but questions made from the graph
    judged: ComparedModel | None = None
    files: dict[str, str] = Field(default_factory=dict)  # SHA-256 of each other file, for `check_trained`
    sha256: str = ""  # of this record without it; models of earlier versions have none


@dataclass(frozen=True, slots=True)
class Trained:
    """What `trained.json` says about a folder of weights."""

    folder: Path
    method: str
    config: Mapping[str, Any]
    encoder: Mapping[str, Any]  # the settings by which it is opened; an empty name: one that was handed over
    graph: str
    seed: int
    metrics: Mapping[str, float]
    synthetic: bool = False
    judged: ComparedModel | None = None

    @property
    def file(self) -> Path:
        return self.folder / TRAINED

    @property
    def doubt(self) -> str:
        """Why a question goes past this model where nobody names it; "" where nothing speaks against it."""
        told = self.judged
        if told is not None and told.model <= told.untrained:
            return (
                f"on {told.questions} held-out questions it is right {told.model:.0%} of the time, "
                f"{DEFAULT_METHOD}, which needs no training, {told.untrained:.0%}"
            )
        if told is None and self.synthetic:
            return (
                "it was trained on synthetic questions alone, and no questions of people were held out to compare it on"
            )
        return ""


def read_trained(folder: Path) -> Trained:
    """What a folder of weights says about itself. Raises NotFoundError or FormatError."""
    path = folder / TRAINED
    refuse_links(*folder.rglob("*"))
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST + 1)
        if len(content) > LONGEST:
            raise FormatError(f"{path}: longer than {LONGEST:,} bytes; train again, or restore it")
        data = json.loads(content)
        if isinstance(data, dict) and data.get("format") != 1:
            said = str(data.get("format"))[:40]
            raise FormatError(f"{path}: format {said}, this clew reads 1; use the clew that wrote it")
        record = TrainedRecord.model_validate(data, strict=True)
        if record.sha256 and record.sha256 != _record_sum(data):
            raise FormatError(f"{path}: damaged (its checksum differs); train again, or restore it")
    except OSError:
        raise NotFoundError(f"{folder}: no trained model there ({TRAINED} is missing); clew train makes one") from None
    except (ValueError, RecursionError) as error:  # ValidationError is a ValueError
        first = error.errors()[0] if isinstance(error, ValidationError) else None
        why = "no JSON" if first is None else f"{'.'.join(map(str, first['loc'])) or 'all of it'}: {first['msg']}"
        raise FormatError(f"{path}: damaged ({why}); train again, or restore it") from None
    return Trained(
        folder,
        record.method,
        record.config,
        record.encoder,
        record.graph,
        record.seed,
        record.metrics,
        record.synthetic,
        record.judged,
    )


def refuse_links(*paths: Path) -> None:
    """Raises FormatError for a link, pipe or device: what lies in a folder leads nowhere else, to read or to write."""
    for path in paths:
        kind = path.lstat().st_mode if os.path.lexists(path) else stat.S_IFREG
        if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
            what = "a link" if stat.S_ISLNK(kind) else "a pipe or device"
            raise FormatError(f"{path}: {what}, expected a file: clew reads and writes here, not elsewhere; delete it")


def check_trained(folder: Path) -> list[str]:
    """The files of a model's folder that are not what its training left, in words. Reads every byte."""
    record = json.loads((folder / TRAINED).read_bytes()) if read_trained(folder) else {}
    stated, found = record.get("files", {}), sums_of(folder)
    problems = [f"{folder / name}: missing" for name in stated if name not in found]
    return problems + [f"{folder / name}: changed" for name in stated if name in found and found[name] != stated[name]]


def sums_of(folder: Path) -> dict[str, str]:
    """SHA-256 by name of the files in a model's folder, checkpoints of an unfinished training left out."""
    sums = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not path.name.startswith((TRAINED, LOG)) and "checkpoint" not in name:
            with path.open("rb") as file:
                sums[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return sums


def write_record(folder: Path, record: Mapping[str, Any]) -> None:
    """Whole or not at all, with its checksum."""
    temporary = folder / (TRAINED + ".new")
    summed = {**record, "sha256": _record_sum(record)}
    temporary.write_text(json.dumps(summed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    temporary.replace(folder / TRAINED)


def _record_sum(record: Mapping[str, Any]) -> str:
    content = {key: value for key, value in record.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def trained_beside(graph: Path) -> dict[str, Trained]:
    """The trained models that lie beside a graph, by method name."""
    place = graph / "models"
    if not os.path.lexists(place):
        return {}
    refuse_links(place)
    refuse_links(*place.iterdir())
    folders = sorted(path.parent for path in place.glob(f"*/{TRAINED}"))
    return {folder.name: read_trained(folder) for folder in folders}
