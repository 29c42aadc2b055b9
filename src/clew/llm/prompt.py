"""Prompts: text files with `$name` slots, rendered into messages.

A file holds turns, each opened by a line `@system`, `@user` or `@assistant`; a file without such a line is one user
turn. A slot that is not filled and a value without a slot are both errors, so a typo never reaches a model.
`$$` is a dollar sign. Values are inserted once: a `$` inside a value stays as it is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal, cast

from clew.errors import InputError, unknown
from clew.protocols import Message

_TURN = re.compile(r"^@(system|user|assistant)[ \t]*$", re.MULTILINE)
_UNKNOWN_TURN = re.compile(r"^@(\w+)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file. `slots` are the names a caller must fill."""

    name: str
    text: str

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InputError(f"prompt {self.name}: the file is empty")
        for match in _UNKNOWN_TURN.finditer(self.text):
            if match.group(1) not in ("system", "user", "assistant"):
                raise InputError(f"prompt {self.name}: {unknown('turn', '@' + match.group(1), _TURNS)}")
        if not Template(self.text).is_valid():
            raise InputError(f"prompt {self.name}: a lone $; write $$ for a dollar sign or $name for a slot")

    @property
    def slots(self) -> frozenset[str]:
        return frozenset(Template(self.text).get_identifiers())

    @property
    def digest(self) -> str:
        """Hash of the text, for manifests."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def render(self, **values: object) -> tuple[Message, ...]:
        """The messages with every slot filled. Raises InputError on a missing or unknown slot."""
        missing, extra = self.slots - values.keys(), values.keys() - self.slots
        if missing:
            raise InputError(f"prompt {self.name}: no value for slot {', '.join(sorted(map(repr, missing)))}")
        if extra:
            raise InputError(f"prompt {self.name}: {unknown('slot', min(extra), self.slots)}")
        return tuple(
            Message(role, Template(body.strip()).substitute({key: str(value) for key, value in values.items()}))
            for role, body in self._turns()
        )

    def _turns(self) -> list[tuple[Literal["system", "user", "assistant"], str]]:
        parts = _TURN.split(self.text)  # text before the first marker, then role, body, role, body, …
        if len(parts) == 1:
            return [("user", self.text)]
        if parts[0].strip():
            raise InputError(f"prompt {self.name}: text before the first @turn: {parts[0].strip()[:60]!r}")
        return [
            (cast(Literal["system", "user", "assistant"], role), body)
            for role, body in zip(parts[1::2], parts[2::2], strict=True)
        ]


_TURNS = ("@system", "@user", "@assistant")


def load_prompt(package: str, name: str, *, slots: Iterable[str], override: Path | None = None) -> Prompt:
    """The prompt `prompts/<name>.txt` of a package, or the user's own file, checked to have exactly `slots`."""
    if override is not None:
        source = str(override)
        try:
            text = override.read_text(encoding="utf-8")
        except OSError as error:
            raise InputError(f"prompt {override}: cannot be read: {error.strerror}") from None
        except UnicodeDecodeError as error:
            raise InputError(f"prompt {override}: not UTF-8 at byte {error.start}") from None
    else:
        source = f"{package}/prompts/{name}.txt"
        text = files(package).joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")
    prompt = Prompt(source, text)
    wanted = frozenset(slots)
    if wanted - prompt.slots:
        raise InputError(f"prompt {source}: has no slot {', '.join('$' + s for s in sorted(wanted - prompt.slots))}")
    if prompt.slots - wanted:
        raise InputError(f"prompt {source}: {unknown('slot', min(prompt.slots - wanted), wanted)}")
    return prompt
