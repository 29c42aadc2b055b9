"""Find entities by what they are called: exactly, by alias, through case, accents and signs, with typos, in a question.

Kept apart from the store because it knows names and numbers only: a store builds one over its labels and aliases, and
anything else with a list of texts can too. All of it is arrays mapped from disk: sorted hashes of the normal forms
find what is equal (and every mention in a question with one sorted search), posting lists of trigrams find what is
spelled alike, and rapidfuzz judges those few hundred; from a million names on, hashed halves of names find one letter
off before any list is read. Chosen over tantivy by `benchmarks/lookup.py`: with one typo it
finds 0.994 of 200,000 names against 0.94 to 0.98, and builds three to five times as fast, which decides for millions
of names; a look-up takes 2 ms where tantivy takes 0.5.

Shapes: L rows (names; an entity with aliases has several), N entities, W windows of a question.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from clew.errors import FormatError, InputError
from clew.graph import pages, postings, spelling
from clew.graph.few_names import FewNames
from clew.graph.halves import Halves
from clew.graph.memory import Memory
from clew.graph.name_files import BRUTE_FORCE, MAX_WORDS, VERSION, write_index
from clew.graph.postings import Postings
from clew.graph.spelling import FNV_START, FOLD, Bytes, Longs, hash_text, normalise
from clew.graph.structure import HALVES, NAME_ARRAYS, name_faults, names_meta

ARRAYS = tuple(NAME_ARRAYS)
FEW = 300  # up to this many rows rapidfuzz reads them all
CANDIDATES = 400  # rows that rapidfuzz judges
RUN = 8  # words of a misspelt name in a text, where there are a million names
ALIKE = 0.6  # least ratio at which a name counts as misspelt

_POSSESSIVE = re.compile(r"['’]s?$")


class NameMatch(NamedTuple):
    """A name that was looked up: entity number, score in [0, 1] (1.0 exactly this text), and why in words."""

    number: int
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a text that is somebody's name. `found` holds every entity called that, the closest names first."""

    start: int  # character offsets: text[start:end]
    end: int
    text: str
    words: int
    found: tuple[NameMatch, ...]


class NameIndex:
    """An immutable index over L names. Safe to share between threads and processes."""

    def __init__(self, arrays: dict[str, NDArray[Any]], aliases_from: int, max_words: int):
        self._names = cast(Bytes, arrays["names"])
        self._offsets = cast(Longs, arrays["offsets"])
        self._hashes, self._order, self._raw = arrays["hashes"], arrays["order"], arrays["raw"]
        self._numbers = arrays["numbers"]  # (L,) entity of each row; empty: the row itself
        self._lists = Postings(arrays["buckets"], arrays["postings"], arrays["grams"])
        self._halves = Halves(arrays["halves_at"], arrays["halves"]) if "halves" in arrays else None
        self._aliases_from, self._max_words = aliases_from, max_words
        self._all: list[str] | None = None

    def __len__(self) -> int:
        return len(self._hashes)

    @classmethod
    def build(
        cls,
        texts: Any,
        directory: Path | None = None,
        *,
        numbers: Sequence[int] | NDArray[np.integer[Any]] | None = None,
        aliases_from: int | None = None,
    ) -> NameIndex:
        """Index `texts`, (L,) strings or a pyarrow string array; several rows may share a text or an entity.

        Args:
            directory: where to write; the index is then mapped from there. None keeps it in memory.
            numbers: (L,) the entity of each row; None: row i is entity i.
            aliases_from: rows from here on are aliases, those before it labels; None: all are labels.

        An empty text is allowed and never found. Atomicity is the caller's: write into a fresh directory.
        """
        raw_data, raw_offsets = spelling.string_buffers(texts)
        count = len(raw_offsets) - 1
        if numbers is not None and len(numbers) != count:
            raise InputError(f"name index: {len(numbers)} numbers for {count} texts, expected one for each")
        if count > np.iinfo(np.int32).max:
            raise InputError(f"name index: {count} texts, expected at most {np.iinfo(np.int32).max}")
        first_alias = count if aliases_from is None else aliases_from
        if directory is not None:
            owners = np.arange(count, dtype=np.int32) if numbers is None else np.asarray(numbers, np.int32)
            write_index(directory, [(raw_data, raw_offsets, owners)], count - first_alias, Memory(1 << 40))
            return cls.open(directory)
        data, offsets = spelling.normalise_all(raw_data, raw_offsets)
        hashes = spelling.hash_all(data, offsets)
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        if count > BRUTE_FORCE:
            lists = postings.postings(data, offsets)
        else:
            lists = Postings(np.zeros(0, np.int64), np.zeros(0, np.uint8), np.zeros(0, np.uint8))
        arrays: dict[str, NDArray[Any]] = {
            "names": data,
            "offsets": offsets,
            "hashes": hashes[order],
            "order": order,
            "raw": (spelling.hash_all(raw_data, raw_offsets) >> np.uint64(32)).astype(np.uint32),
            "numbers": np.zeros(0, np.int32) if numbers is None else np.asarray(numbers, np.int32),
            "buckets": lists.places,
            "postings": lists.coded,
            "grams": lists.grams,
        }
        max_words = min(MAX_WORDS, spelling.most_words(data, offsets))
        return cls(arrays, first_alias, max_words)

    @classmethod
    def open(cls, directory: Path) -> NameIndex:
        """Map the index in `directory`. Raises FormatError when it is damaged, absent or from a newer version."""
        files: dict[str, NDArray[Any]] = {}
        try:
            files["names/names.json"] = np.frombuffer((directory / "names.json").read_bytes(), np.uint8)
            for name in (*ARRAYS, *(stem for stem in HALVES if (directory / f"{stem}.npy").exists())):
                files[f"names/{name}.npy"] = np.load(directory / f"{name}.npy", mmap_mode="c", allow_pickle=False)
        except (OSError, ValueError, EOFError) as error:
            raise FormatError(f"{directory}: no readable name index ({error}); build the graph again") from None
        for fault in name_faults({name.split("/")[1]: array for name, array in files.items()}):
            raise FormatError(f"{directory}: {fault}; build the graph again")
        return cls.of(files, str(directory))

    @classmethod
    def of(cls, files: Mapping[str, NDArray[Any]], where: str) -> NameIndex:
        """The index among the open files of a graph. Raises FormatError when it is from a newer version."""
        meta = names_meta(files["names/names.json"].tobytes())
        if meta["version"] != VERSION:
            raise FormatError(
                f"{where}: name index of version {meta['version']}, this clew reads {VERSION}; build the graph again"
            )
        arrays = {name: files[f"names/{name}.npy"] for name in (*ARRAYS, *HALVES) if f"names/{name}.npy" in files}
        return cls(arrays, meta["aliases_from"], meta["max_words"])

    def search(self, text: str, limit: int = 10) -> list[NameMatch]:
        """Entities called `text` or nearly so, best first, each once.

        Every entity with exactly this name comes before any other, and ties are in order of number: when more than
        `limit` share a name, the first are returned, so raise `limit` to see all. Of a million names and more, those
        that are further off than a letter are sought where no nearer one was found.
        """
        if limit < 1 or not text.strip():
            return []
        wanted = normalise(text)
        best: dict[int, NameMatch] = {}
        raw = hash_text(text) >> 32
        for found in self._equal(hash_text(wanted), wanted, raw):
            self._keep(best, found)
        if len(best) < limit:
            near = list(self._one_off(wanted))
            alike = near if self._halves is not None and (near or best) else self._alike(wanted, limit + len(best))
            for row, score, reason in alike:
                self._keep(
                    best, NameMatch(self._number(row), score, reason + (" of an alias" if self._alias(row) else ""))
                )
        return sorted(best.values(), key=lambda found: (-found.score, found.number))[:limit]

    def exact(self, text: str) -> list[NameMatch]:
        """Entities whose label or alias equals `text` up to case, accents and signs; all of them, best first."""
        wanted, raw = normalise(text), hash_text(text) >> 32
        best: dict[int, NameMatch] = {}
        for found in self._equal(hash_text(wanted), wanted, raw):
            self._keep(best, found)
        return sorted(best.values(), key=lambda found: (-found.score, found.number))

    def spans(self, text: str) -> list[Span]:
        """Every part of `text` that is a name, the longest first; nested and overlapping ones are all returned.

        Possessives ("Heat's director") and plurals ("the directors" for "director") of the last word also count.
        Costs one sorted search for all W windows.
        """
        words = words_of(text)
        hashes: list[int] = []
        windows: list[tuple[int, int, str, str, float]] = []
        for first in range(len(words)):
            state, so_far = FNV_START, ""
            for last in range(first, min(len(words), first + self._max_words)):
                for word, reason, score in _variants(words[last], text):
                    hashes.append(hash_text(word, state))
                    windows.append((first, last, so_far + word, reason, score))
                gap = "" if _glued(words, last) else " "
                state = hash_text(words[last].folded + gap, state)
                so_far += words[last].folded + gap
        if not windows:
            return []
        left, right = pages.located(self._hashes, np.array(hashes, np.uint64))
        spans: dict[tuple[int, int], Span] = {}
        for w in np.flatnonzero(right > left):  # a word as it stands comes before its variants
            first, last, wanted, reason, score = windows[w]
            rows = self._called(self._order[left[w] : right[w]], wanted)
            start, end = words[first].start, words[last].end
            if reason == "possessive":
                end -= len(cast(re.Match[str], _POSSESSIVE.search(text[start:end])).group())
            if not len(rows) or ((start, end) in spans):
                continue
            raw = hash_text(text[start:end]) >> 32
            best: dict[int, NameMatch] = {}
            for found in self._matches(rows, raw):
                said = f"{found.reason}, {reason}" if reason else found.reason
                self._keep(best, NameMatch(found.number, found.score * score, said))
            closest = tuple(sorted(best.values(), key=lambda found: (-found.score, found.number)))
            spans[start, end] = Span(start, end, text[start:end], last - first + 1, closest)
        return sorted(spans.values(), key=lambda span: (-span.words, span.start - span.end, span.start))

    def _equal(self, hashed: int, wanted: str, raw: int) -> list[NameMatch]:
        """Those whose normal form is `wanted`."""
        left, right = pages.located(self._hashes, np.array([hashed], np.uint64))
        return self._matches(self._called(self._order[left[0] : right[0]], wanted), raw)

    def _called(self, rows: NDArray[np.int32], wanted: str) -> NDArray[np.int32]:
        """Those of some rows whose normal form is `wanted`."""
        text = np.frombuffer(wanted.encode(), np.uint8)
        for array in (self._offsets, self._raw, self._numbers):  # the two last for whoever asks next
            pages.wanted_at(array, rows)
        starts = self._offsets[rows]
        right = self._offsets[rows + 1] - starts == len(text)
        rows, starts = rows[right], starts[right]
        pages.wanted(self._names, starts, starts + len(text))
        same: NDArray[np.int32] = rows[(self._names[starts[:, None] + np.arange(len(text))] == text).all(axis=1)]
        return same

    def _matches(self, rows: NDArray[np.int32], raw: int) -> list[NameMatch]:
        """What is said of rows that were found by their normal form."""
        numbers = self._numbers[rows] if len(self._numbers) else rows
        found = []
        for number, same, alias in zip(
            numbers.tolist(), (self._raw[rows] == raw).tolist(), (rows >= self._aliases_from).tolist(), strict=True
        ):
            kind = "alias" if alias else "label"
            score = (1.0 if same else 0.98) - (0.02 if alias else 0.0)
            found.append(NameMatch(number, score, f"exact {kind}" if same else f"{kind} up to case and signs"))
        return found

    def misspelt(self, words: Sequence[Word], limit: int = 64) -> list[tuple[int, int, int, NameMatch]]:
        """Names that stand in a text with a letter or two wrong: first word, last word, letters off, name.

        One pass over the posting lists of the text's trigrams nominates; what each name is nearest to in the text, cut
        at words, decides. A letter in seven may be off; digits must agree. Of a million names and more only those are
        nominated that are one letter off a run of words.
        """
        text = " ".join(word.folded for word in words)
        starts = [0]
        for word in words:
            starts.append(starts[-1] + len(word.folded) + 1)
        result = []
        rows = self._nominated(words, text, limit)
        for row, name in zip(rows.tolist(), self._texts(rows), strict=True):
            allowed = len(name) // 7 if len(name) > 13 else 1
            if len(name) < 5 or len(name) > len(text) + allowed:
                continue
            place = fuzz.partial_ratio_alignment(name, text, score_cutoff=70)
            if place is None:
                continue
            low = max(bisect_right(starts, place.dest_start) - 1, 0)
            high = min(bisect_right(starts, max(place.dest_end - 1, 0)) - 1, len(words) - 1)
            best: tuple[int, int, int] | None = None
            for first in range(max(low - 1, 0), min(low + 2, len(words))):
                for last in range(max(high - 1, first), min(high + 2, len(words))):
                    part = text[starts[first] : starts[last + 1] - 1]
                    off = OSA.distance(name, part, score_cutoff=allowed)
                    if off <= allowed and (best is None or off < best[0]) and _digits(part) == _digits(name):
                        best = (off, first, last)
            if best is not None and best[0] > 0:
                off, first, last = best
                reason = f"spelled alike ({off} letter{'s' * (off != 1)} off)" + " of an alias" * self._alias(row)
                score = 0.95 * (1 - off / max(len(name), 1))
                result.append((first, last, off, NameMatch(self._number(row), score, reason)))
        return result

    def holding(self, text: str, limit: int = CANDIDATES, *, apart: bool = False) -> list[NameMatch]:
        """Names that hold the words of `text` among others, up to `limit` of the shortest; the shorter the higher.

        Args:
            apart: others may stand between the words as well.
        """
        wanted = normalise(text).encode("utf-8", "replace")
        if len(wanted) < 2 or not len(self):
            return []
        parts = wanted.split() if apart else [wanted]
        if self._few is not None:
            rows = self._few.holding(parts, limit)
        else:
            rows = self._postings().holding(parts, self._names, self._offsets, limit)
        longest = max(map(len, parts))
        lengths = self._offsets[rows + 1] - self._offsets[rows]
        aliases = rows >= self._aliases_from
        numbers = self._numbers[rows] if len(self._numbers) else rows
        return [
            NameMatch(number, 0.5 + 0.45 * longest / length, "part of an alias" if alias else "part of the name")
            for number, length, alias in zip(numbers.tolist(), lengths.tolist(), aliases.tolist(), strict=True)
        ]

    def initials(self, letters: str, limit: int = 50) -> list[NameMatch]:
        """Names of several words that begin with `letters`: "ufc" for "Ultimate Fighting Championship"."""
        wanted = normalise(letters).encode()
        if not 2 <= len(wanted) <= 6 or not wanted.isalpha():
            return []
        if self._few is not None:
            rows = self._few.initials(wanted, limit)
        else:
            with pages.in_order(self._names, self._offsets):
                rows = spelling.initials(wanted, self._names, self._offsets, limit)
        return [NameMatch(self._number(int(row)), 0.9, "initials") for row in rows]

    @cached_property
    def _few(self) -> FewNames | None:
        """The names as one text; None where they are too many."""
        return FewNames(self._names, self._offsets) if len(self) <= BRUTE_FORCE else None

    def _nominated(self, words: Sequence[Word], text: str, limit: int) -> NDArray[np.int32]:
        """Rows whose names may stand in a normalised text."""
        if self._halves is not None:
            most = min(self._max_words, RUN)
            runs = (words[i:j] for i in range(len(words)) for j in range(i + 1, min(i + most, len(words)) + 1))
            parts = dict.fromkeys(" ".join(word.folded for word in run).encode("utf-8", "replace") for run in runs)
            return self._halves.near([part for part in parts if len(part) >= 4], limit)
        if self._few is not None:
            return self._few.within(text.encode("utf-8", "replace"), limit)
        return self._postings().within(text.encode("utf-8", "replace"), limit)

    def _postings(self) -> Postings:
        """The posting lists, made now where the folder has none."""
        if not len(self._lists.grams) and len(self):
            self._lists = postings.postings(np.ascontiguousarray(self._names), np.ascontiguousarray(self._offsets))
        return self._lists

    def _similar(self, wanted: str) -> tuple[NDArray[np.int32], list[str]]:
        """Rows that may be like a normalised text or hold it, and their normal forms."""
        if len(self) > FEW:
            rows = self._postings().similar(wanted.encode("utf-8", "replace"), CANDIDATES)
            return rows, self._texts(rows)
        if self._all is None:
            self._all = [self._bytes(row).decode("utf-8", "replace") for row in range(len(self))]
        return np.arange(len(self), dtype=np.int32), self._all

    def _one_off(self, wanted: str) -> Iterable[tuple[int, float, str]]:
        """Rows one letter off, where the halves of names are kept, with scores below those of equal names."""
        if self._halves is not None:
            rows = self._halves.near([wanted.encode("utf-8", "replace")], CANDIDATES)
            for row, name in zip(rows.tolist(), self._texts(rows), strict=True):
                if OSA.distance(wanted, name, score_cutoff=1) == 1:
                    yield row, 0.95 * fuzz.ratio(wanted, name) / 100, "spelled alike (1 letter off)"

    def _alike(self, wanted: str, limit: int) -> Iterable[tuple[int, float, str]]:
        """Rows spelled like `wanted` or containing it, with scores below those of equal names."""
        rows, names = self._similar(wanted)
        framed = f" {wanted} "
        for name, ratio, i in process.extract(wanted, names, scorer=fuzz.ratio, limit=limit, score_cutoff=100 * ALIKE):
            if name and name != wanted and framed not in f" {name} ":
                distance = OSA.distance(wanted, name)
                yield int(rows[i]), 0.95 * ratio / 100, f"spelled alike ({distance} letter{'s' * (distance != 1)} off)"
        if len(wanted) >= 3:
            holding = sorted((len(name), i) for i, name in enumerate(names) if framed in f" {name} " and name != wanted)
            for length, i in holding[:limit]:
                yield int(rows[i]), 0.5 + 0.45 * len(wanted) / length, "part of the name"

    def _keep(self, best: dict[int, NameMatch], found: NameMatch) -> None:
        if found.number not in best or best[found.number].score < found.score:
            best[found.number] = found

    def _texts(self, rows: NDArray[np.int32]) -> list[str]:
        """The normal forms of some rows."""
        for array in (self._offsets, self._numbers):  # the last for whoever asks next
            pages.wanted_at(array, rows)
        pages.wanted(self._names, self._offsets[rows], self._offsets[rows + 1])
        return [self._bytes(row).decode("utf-8", "replace") for row in rows.tolist()]

    def _bytes(self, row: int) -> bytes:
        return self._names[self._offsets[row] : self._offsets[row + 1]].tobytes()

    def _number(self, row: int) -> int:
        return int(self._numbers[row]) if len(self._numbers) else row

    def _alias(self, row: int) -> bool:
        return row >= self._aliases_from


class Word(NamedTuple):
    """A word of a text in normal form, and the characters it came from."""

    folded: str
    start: int
    end: int


def words_of(text: str) -> list[Word]:
    """The words of the normal form, each with the characters it came from.

    In a script without spaces between words each character is one: a name may begin and end anywhere.
    """
    words: list[Word] = []
    letters: list[str] = []
    start = end = 0
    for at, char in enumerate([*text, " "]):
        for piece in FOLD[ord(char)] or ("" if at == len(text) else "\0"):
            if piece == "\0":  # dropped: an accent or apostrophe belongs to the word it stands in
                end = at + 1 if letters else end
                continue
            alone = piece > "\u0dff" and spelling.unspaced(piece)
            if letters and (piece == " " or alone):
                words.append(Word("".join(letters), start, end))
                letters = []
            if alone:
                words.append(Word(piece, at, at + 1))
            elif piece != " ":
                start = at if not letters else start
                letters.append(piece)
                end = at + 1
    return words


def _glued(words: Sequence[Word], last: int) -> bool:
    """Whether no space stands between a word and the next in their normal form."""
    after = words[last + 1] if last + 1 < len(words) else None
    if after is None or words[last].end < after.start:
        return False
    return spelling.unspaced(words[last].folded[-1]) or spelling.unspaced(after.folded[0])


def _digits(text: str) -> str:
    return "".join(char for char in text if char.isdigit())


def _variants(word: Word, text: str) -> list[tuple[str, str, float]]:
    """Forms under which a mention's last word may stand in the graph, with how and how surely."""
    forms = [(word.folded, "", 1.0)]
    possessive = _POSSESSIVE.search(text[word.start : word.end])
    if possessive and len(possessive.group()) < word.end - word.start:
        bare = word.folded[:-1] if possessive.group().endswith("s") else word.folded
        if bare != word.folded and bare:
            forms.append((bare, "possessive", 0.995))
        return forms
    if word.folded.endswith("s") and len(word.folded) > 3:
        forms.append((word.folded[:-1], "plural", 0.9))
        if word.folded.endswith("ies"):
            forms.append((word.folded[:-3] + "y", "plural", 0.9))
        elif word.folded.endswith("es"):
            forms.append((word.folded[:-2], "plural", 0.9))
    return forms
