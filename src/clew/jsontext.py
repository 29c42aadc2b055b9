"""JSON from outside and to outside: the one door for lines of questions, rows, predictions and settings.

Reading turns every way in which bytes can fail to be JSON into one message; writing makes text that any terminal and
any UTF-8 file can hold: control characters, and halves of surrogate pairs, stand as \\uXXXX.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from clew.errors import InputError

LONGEST = 256 * 2**20  # bytes of one JSON text
_UNSAFE = re.compile("[\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]")
_HALF = re.compile("[\ud800-\udfff]")


def read_json(raw: bytes | str) -> Any:
    """The value of a JSON text. Raises InputError that says why it is none."""
    if len(raw) > LONGEST:
        raise InputError(f"longer than {LONGEST:,} bytes")
    try:
        return _DECODER.decode(raw.decode("utf-8-sig") if isinstance(raw, bytes) else raw)
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start} of the line") from None
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise InputError("JSON nested too deeply") from None
    except ValueError as error:  # an integer of thousands of digits
        raise InputError(f"not JSON that can be read: {' '.join(str(error).split())[:120]}") from None


def write_json(value: Any, *, indent: int | None = None) -> str:
    """A JSON text without line ends of its own (but for `indent`), exact when read again.

    Raises ValueError for what JSON cannot hold (a number that is none).
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def whole(text: str) -> bool:
    """Whether a text holds no half of a surrogate pair: nothing that is written or encoded could hold it."""
    return text.isascii() or _HALF.search(text) is None


def _reject(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_DECODER = json.JSONDecoder(parse_constant=_reject)
