"""The record beside a model's weights: a JSON file that a training writes last and answering reads once.

One reader for every room, so that a folder which is missing something, damaged, of another version or trained with
another encoder is refused in the same words. Loads no torch. What made the folder stands in `trained.json`, which the
workspace reads (`clew.trained`); this is what the method itself has to know.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, TypeVar

from clew.config import Settings, parse
from clew.errors import ConfigError, FormatError, InputError, NotFoundError
from clew.protocols import TextEncoder

FORMAT = 1
R = TypeVar("R", bound=Settings)


def write_json(path: Path, values: Any) -> None:
    """Write `values` to `path` so that a reader sees the old file or the new one, never a part."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with beside.open("w", encoding="utf-8") as file:
        json.dump(values, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def read_json(path: Path) -> Any:
    """The JSON in `path`. Raises NotFoundError or FormatError."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotFoundError(f"{path}: no such file; expected a folder written by `clew train`") from None
    except (ValueError, OSError, RecursionError) as error:
        raise FormatError(f"{path}: not readable as JSON ({error}); it was cut short or damaged: train again") from None


def write_record(path: Path, record: Settings, sha256: str = "") -> None:
    """Write what `read_record` reads.

    Args:
        sha256: of the weights that the record belongs to.
    """
    summed = {"sha256": sha256} if sha256 else {}
    write_json(path, {"format": FORMAT, **summed, **record.model_dump(mode="json")})


def read_record(kind: type[R], path: Path) -> tuple[R, str]:
    """The record of a model, and the SHA-256 of its weights that it states, "" where it states none.

    Raises NotFoundError where there is none, FormatError where it is damaged or of another version.
    """
    values = read_json(path)
    if not isinstance(values, dict):
        raise FormatError(f"{path}: damaged, expected a JSON object; train again")
    version = values.pop("format", FORMAT)
    if version != FORMAT:
        raise FormatError(f"{path}: format {str(version)[:40]}, this clew reads {FORMAT}; use the clew that wrote it")
    digest = str(values.pop("sha256", ""))
    try:
        return parse(kind, values, f"{path}: damaged or of another version"), digest
    except ConfigError as error:
        raise FormatError(f"{error}; train again") from None


def check_encoder(folder: Path, encoder: TextEncoder, name: str, width: int) -> None:
    """Raises InputError where `encoder` is another one than `name` with `width` dimensions, its precision aside."""
    if base_name(encoder.name) != base_name(name) or encoder.dim != width:
        raise InputError(
            f"model {folder}: was trained with the encoder {name!r} ({width} dimensions), not {encoder.name!r} "
            f"({encoder.dim}); set encoder.name = {base_name(name)!r} or train again"
        )


def base_name(encoder: str) -> str:
    """The encoder's name without its precision: vectors of 16 and 32 bits are near enough to share a model."""
    return encoder.partition("@")[0]
