"""The short notations: states of some tens of tokens, for decoders too small to copy names.

Separate from the JSON form because the two share nothing but the `Action` that they mean. The question stands with its
topic masked, then the relations walked so far, then the relation groups that lead on; a reply such as `=#2+#1` answers
group 2 and walks on over group 1, `-` does neither.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from clew.methods.roe.actions import ActionGrammar, Marks
from clew.methods.roe.edges import GraphEdges
from clew.methods.roe.notation import Topical, one_line
from clew.methods.roe.options import Action, ExplorationState, PathGroup, Pick, RelationOption
from clew.protocols import Message

SHORT = Marks("-", "=", "", "+", "+", "", "")
_SIDES = re.compile(r"(?:=([^=+]*))?(?:\+([^=+]*))?")
_ITEMS = re.compile(r"<[^<>]*>|#\d+|[^<#]+")


class ShortNotation:
    """A few tokens a state: the masked question, the relations so far, the relation groups that lead on.

    Args:
        names: groups are picked by their relation instead of by their number.
        words: relations are spelled out instead of being one token each, so that a model may meet new ones.
    """

    TOPIC, OTHER = "[T]", "[O]"

    def __init__(self, edges: GraphEdges, *, names: bool, words: bool = False) -> None:
        self._edges, self._names, self._words = edges, names, words

    @staticmethod
    def relation_marks(label: str) -> tuple[str, str]:
        """How a relation is written, forwards and backwards; each becomes one token of a decoder from scratch."""
        return f"<{label}>", f"<~{label}>"

    @classmethod
    def own_tokens(cls, labels: Sequence[str], options: int) -> list[str]:
        marks = [mark for label in labels for mark in cls.relation_marks(label)]
        return [cls.TOPIC, cls.OTHER, *(f"#{i + 1}" for i in range(options)), *marks]

    def messages(self, question: Topical, state: ExplorationState) -> tuple[Message, ...]:
        text = self._masked(question, {path_group.topic for path_group in state.path_groups})
        parts = []
        tags = iter(self._tags(state))
        for path_group in state.path_groups:
            own = [option for option in state.options if option.path_group is path_group]
            groups = "".join(next(tags) + ("" if self._names else self._relation(o.code)) for o in own)
            parts.append(self._walked(path_group) + " " + groups)
        return (Message("user", text + " | " + " / ".join(parts)),)

    def grammar(self, state: ExplorationState) -> ActionGrammar:
        return ActionGrammar(self._tags(state), SHORT)

    def schema(self, state: ExplorationState) -> dict[str, Any] | None:
        return None

    def write(self, action: Action, state: ExplorationState) -> str:
        tags = self._tags(state)
        sides = [[tags[i] for i in sorted({p.option for p in picks})] for picks in (action.answers, action.explore)]
        return self.grammar(state).write(*sides)

    def read(self, text: str, state: ExplorationState) -> Action:
        answers, explore, readable = split_short(text)
        if not readable:
            return Action(problem=f"expected =…+… or -, found {text.strip()[:60]!r}")
        place = {tag: i for i, tag in enumerate(self._tags(state))}
        picks = [[Pick(place[tag]) for tag in side if tag in place] for side in (answers, explore)]
        invalid = [tag[:60] for tag in (*answers, *explore) if tag not in place]
        return Action(tuple(picks[0]), tuple(picks[1]), invalid=tuple(invalid))

    def weigh(self, option: RelationOption) -> int:
        return 2 + self._relation(option.code).count(" ")

    def _tags(self, state: ExplorationState) -> list[str]:
        if not self._names:
            return [f"#{i + 1}" for i in range(len(state.options))]
        tags: list[str] = []
        seen: Counter[str] = Counter()
        for option in state.options:
            tag = self._relation(option.code)
            seen[tag] += 1
            # Relations may share a label; within a state each has a text of its own.
            tags.append(tag if seen[tag] == 1 else f"{tag[:-1]} ({seen[tag]})>")
        return tags

    def _relation(self, code: int) -> str:
        label = re.sub(r"[<>=+#]", " ", one_line(self._edges.relation(code // 2).label))
        if self._words:
            # Apart and with a space before each, a word is the same token here as in a question; Freebase says the
            # same word twice (film.film.directed_by).
            label = "".join(f" {word}" for word in dict.fromkeys(re.split(r"[._/\s]+", label.lower())) if word)
        return self.relation_marks(label)[code % 2]

    def _walked(self, path_group: PathGroup) -> str:
        return "".join(self._relation(code) for code in path_group.codes) or "."

    def _masked(self, question: Topical, topics: set[int]) -> str:
        text = question.text
        rows = [(name, topic in topics) for topic, names in question.names.items() for name in names]
        for name, own in sorted(rows, key=lambda row: -len(row[0])):
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "\0" if own else "\1", text, flags=re.IGNORECASE)
        return text.lower().replace("\0", self.TOPIC).replace("\1", self.OTHER)


def split_short(text: str) -> tuple[list[str], list[str], bool]:
    """The same for the short notations."""
    body = text.strip()
    found = _SIDES.fullmatch(body)
    if body == SHORT.nothing:
        return [], [], True
    if not body or found is None:
        return [], [], False
    answers, explore = (list(dict.fromkeys(_ITEMS.findall(side or ""))) for side in found.groups())
    return answers, explore, True
