"""Slips in the words of a question that are no names: a kind, a property, or a word that questions are made of.

A word that is none of English and in none of the graph's names becomes the one word that is a slip away: of the names
of kinds first, then of properties, then of what questions say. Names of things are found with slips by the name index.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from rapidfuzz.distance import OSA

from clew.graph import Graph
from clew.query.meanings import spelled_out
from clew.query.vocabulary import COMPARATIVES, IRREGULAR, MEASURES, MONTHS, SYNONYMS, WEEKDAYS, stem
from clew.query.wordnet import is_word
from clew.retrieval.chunks import LIGHT
from clew.retrieval.lexicon import Lexicon, stems
from clew.retrieval.mentions import words_of_names
from clew.retrieval.words import FUNCTION, ORDINARY

SHORTEST = 4  # letters of a word that may be a slip of a longer one; of one as long, one more
LONGEST = 200  # kinds and properties whose names are compared with a word
_BEFORE_NAMES = re.compile(r"\b(?:from|in|at|to|by|near|of|for) $")
_SAID = """
which what when where whose without between before after during except never neither average total combined number
amount different distinct altogether least fewest please something anything anybody somebody everything together
"""
_OPERATORS = frozenset(_SAID.split())
_WORD = re.compile(r"(?<![\w'’-])[a-z]{4,}(?![\w'’-])")


def spelt(text: str, graph: Graph) -> str:
    """A text without slips in its words in lower case that are no names."""
    lexicon = Lexicon.of(graph)
    return _WORD.sub(lambda match: _spelt(match.group(0), text[: match.start()], lexicon, graph), text)


def _spelt(word: str, before: str, lexicon: Lexicon, graph: Graph) -> str:
    if not _unknown(word, lexicon):
        return word
    for known in (_kinds(lexicon), _properties(lexicon), _doers(lexicon), _said_in_questions()):
        near = {stem(each): each for each in known if _one_slip(word, each)}
        if not near:
            continue
        if len(near) > 1 or any(names.holding(word, 1) for names in graph.indexes):
            return word  # of several none is meant; or it is a word of some name
        if known is _said_in_questions() and _may_be_a_name(word, before, graph):
            return word
        [found] = near.values()
        return f"{found}s" if word.endswith("s") and not found.endswith("s") else found
    return word


def _may_be_a_name(word: str, before: str, graph: Graph) -> bool:
    """ "From leeds" is no slip of "leads", nor is "harier" of "harder" where a harrier is named."""
    return _BEFORE_NAMES.search(before) is not None or any(_one_slip(word, each) for each in words_of_names(graph))


def _unknown(word: str, lexicon: Lexicon) -> bool:
    root = stem(word)
    if word in FUNCTION or word in ORDINARY or word in LIGHT or root in SYNONYMS:
        return False
    if any(map(is_word, (word, word.removesuffix("es") if word.endswith("oes") else word, word.removesuffix("ly")))):
        return False
    said = {part for labels in (*lexicon.classes, *lexicon.relations) for part in labels}
    return root not in said and root not in _stems_of_questions()


def _kinds(lexicon: Lexicon) -> Iterable[str]:
    return (part for said in list(lexicon.classes)[:LONGEST] for part in said)


def _properties(lexicon: Lexicon) -> Iterable[str]:
    return (part for label in list(lexicon.labels.values())[:LONGEST] for part in stems(spelled_out(label)))


def _doers(lexicon: Lexicon) -> Iterable[str]:
    """Who does what properties say: designers of `designedBy`."""
    done = (part for label in list(lexicon.labels.values())[:LONGEST] for part in spelled_out(label).lower().split())
    return (
        made for part in done if part.endswith("ed") for made in (f"{part[:-1]}r", f"{part[:-2]}or") if is_word(made)
    )


@cache
def _said_in_questions() -> frozenset[str]:
    tables = (ORDINARY, MEASURES, IRREGULAR, SYNONYMS, MONTHS, WEEKDAYS, _OPERATORS)
    adjectives = (f"{base[:-1]}iest" if base.endswith("y") else f"{base.removesuffix('e')}est" for base in MEASURES)
    comparatives = (part for each in COMPARATIVES for part in each.split())
    return frozenset([*(word for table in tables for word in table), *adjectives, *comparatives])


@cache
def _stems_of_questions() -> frozenset[str]:
    return frozenset(map(stem, _said_in_questions()))


def _one_slip(word: str, known: str) -> bool:
    """Whether a word is another one, or several of it, with one letter wrong, missing, too many or in another's place,
    or written as it sounds ("telefone"). The first letter is rarely wrong, and short words are all alike."""
    if known[:1] != word[:1] or len(known) < SHORTEST or (len(word) <= SHORTEST and len(known) <= len(word)):
        return False
    forms = (known, f"{known}s") if word.endswith("s") else (known,)
    return f"{known}s" != word and any(
        OSA.distance(form, word, score_cutoff=1) == 1 or form.replace("ph", "f") == word for form in forms
    )
