"""A question in the words of a graph: misspelt words (`spelling`), and names behind a kind that is used as a title.

Done before anything is linked, so that every reader of the question sees the same words. Only what has one meaning is
changed: one thing of the kind that is called so.
"""

from __future__ import annotations

import re
from dataclasses import replace

from clew.graph import Graph
from clew.graph.names import words_of
from clew.query import plan as p
from clew.query.capitals import with_names, without_names
from clew.query.execute import execute
from clew.query.rewording import asked_first, only_asked
from clew.query.values import unit_of
from clew.query.vocabulary import NUMBERS, PAST, SYNONYMS, UNDONE, forms, head_of, several, stem
from clew.retrieval.events.kinds import Events
from clew.retrieval.lexicon import Lexicon, kind_meant, stems
from clew.retrieval.spelling import spelt
from clew.retrieval.states import with_states
from clew.retrieval.still_open import with_undone
from clew.retrieval.two_values import with_two_values
from clew.retrieval.whose_figures import with_their_kind
from clew.types import Question

LABELS = 20_000  # things of a kind whose names are looked at
_THEN_WHICH = re.compile(  # what is asked for comes after the question whether there is one
    r"^\W*(?:is|are) (?:there )?(?:some|any)(?:body|one|thing)? (?:else )?(?P<that>that |who |which )?"
    r"(?P<rest>[^?]+)\? *(?P<wh>who|which|what)(?: (?P<noun>[\w -]+?))?(?: (?:is|are) (?:it|they|that))?\W*$",
    re.IGNORECASE,
)
_IN_SIGNS = {">=|≥": "at least", "<=|≤": "at most", ">": "more than", "<": "less than"}  # before a number
_NUMBER = rf"(?P<n>\d+|{'|'.join(each for each in NUMBERS if len(each) > 2)})"
_SO_MANY = re.compile(rf"\b(?:the )?{_NUMBER}-(?P<noun>[a-z]{{3,}}) (?P<things>[a-z]+s)\b", re.IGNORECASE)
_IN_SO_MANY = re.compile(rf" in {_NUMBER} (?P<noun>[a-z]{{3,}}s)(?=\W*$)", re.IGNORECASE)
_WHETHER = re.compile(r"^(?:is|was) (?P<x>.+) with exactly (?P<rest>.+)$", re.IGNORECASE)
_UNDONE = re.compile(
    rf"\b(?P<be>is|are|was|were) (?:still |yet )?(?P<said>{UNDONE})\b(?! (?:[a-z]+s|with|by)\b)", re.IGNORECASE
)
_BEYOND = re.compile(  # "how many invoices over 200 does X have", "which invoices over 500 are there"
    r"^(?P<wh>how many|which|what) (?P<things>[a-z][a-z -]*?s) (?P<beyond>(?:of )?(?:over|under|above|below|more than"
    r"|less than|at least|at most) [£$€]? ?\d[\d,.]*(?: (?!do\b|does\b|did\b|has\b|have\b|are\b|is\b)[a-z]+)?)"
    r"(?: (?:do|does|did|has|have|had) (?P<owner>.+?)(?: (?:have|got|get))*| (?:are|were) there)?(?=[\s?.!]*$)",
    re.IGNORECASE,
)
_AWAITING = re.compile(
    r"\b(?:(?:is|are|was|were) )?(?:still |yet |now )?(?:waiting for|awaiting|pending|in need of)"
    r"(?: an?| the| its| their)? (?P<noun>[a-z]+)\b",
    re.IGNORECASE,
)
_OWNED = re.compile(
    r"^(?:what|which|who) (?:is|are|was|were) (?:all (?:of )?)?(?:the )?(?P<owner>(?-i:[A-Z]).+?)['’]s? "
    r"(?P<things>[a-z]+)\W*$",
    re.IGNORECASE,
)
_BY_VERBS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = (  # verbs that ask for what a property is called by
    (
        re.compile(
            r"^what (?:does|did|is|was) (?P<x>.+?) do(?:ing)? "
            r"(?:for (?:a|his|her|their) (?:living|work|job)|for work|as a job)$",
            re.IGNORECASE,
        ),
        ("occupation", "profession", "job", "trade", "position", "role"),
    ),
    (
        re.compile(
            r"^(?:what|how much) (?:does|did) (?P<x>(?!it\b|one\b).+?) charge(?: (?:for|per) .+)?$", re.IGNORECASE
        ),
        ("fee", "charge", "rate", "price", "tariff"),
    ),
    (
        re.compile(
            r"^how many (?:people|guests|visitors|spectators|passengers) (?:(?:can|could|does|do|will) (?P<x>.+?) "
            r"(?:hold|seat|accommodate|fit|sleep)|(?:can|could) (?:sit|fit|be seated|stand|sleep)(?: down)? "
            r"(?:in|into|at|inside|on) (?P<y>.+))$",
            re.IGNORECASE,
        ),
        ("capacity", "seat", "seating", "place", "bed"),
    ),
)
_WHO_HAS = re.compile(
    r"^who (?:has|have|had)(?: got)? (?P<before>(?:[a-z-]+ ){0,5}?)(?P<things>[a-z]+)"
    r"(?=[?.! ]*$| (?:that|which|due|over|under|above|in|from|on|at|before|after|since|with|for)\b)",
    re.IGNORECASE,
)
_WHO_MOST = re.compile(
    r"^who (?:has |have |had )?(?!is\b|was\b|are\b|were\b)[a-z]+\b.*\b(?:most|fewest|least|highest|largest|greatest"
    r"|longest|lowest)\b.*\b(?:in|over|across|on|of|from|for)\b",
    re.IGNORECASE,
)
_WHO_DID_MOST = re.compile(
    r"^who (?:has |have )?(?P<verb>[a-z]+) (?P<most>(?:the )?(?:most|fewest|least|largest number of)) "
    r"(?P<things>[a-z]+)\b",
    re.IGNORECASE,
)
_TITLED = re.compile(r"\b(?P<title>[A-Z][a-z]+) (?P<name>[A-Z][\w'’-]*\w)(?! [A-Z])")


def in_graph_words(question: Question, graph: Graph) -> Question:
    """The question with kinds spelt, and things named, as in the graph; unchanged where its topics are given."""
    lexicon = Lexicon.of(graph)
    if question.topics:
        return question
    said = _plain(question.text)
    if not lexicon.types:
        text = spelt(_by_noun(said, lexicon), graph)
        return question if text == question.text else replace(question, text=text)
    text = with_states(with_undone(asked_first(_asking_which(said)), graph), graph)
    text = _SO_MANY.sub(lambda match: _so_many(match, lexicon), text)
    text = _IN_SO_MANY.sub(lambda match: _so_many(match, lexicon), text)
    text = _by_noun(text, lexicon)
    text = _AWAITING.sub(lambda match: _awaited(match, lexicon), text)
    text = _BEYOND.sub(lambda match: _beyond(match, lexicon), text)
    text = _UNDONE.sub(lambda match: _not_done(match, lexicon, graph), text)
    text = _OWNED.sub(lambda match: _of_owner(match, lexicon), text)
    text = _WHETHER.sub(r"does \g<x> have exactly \g<rest>", text) if text != question.text else text
    text = _TITLED.sub(lambda match: _named(match, lexicon, graph), text)
    text = _WHO_HAS.sub(lambda match: _whoever_has(match, graph), text)
    text = _whoever_most(text, graph)
    text = _WHO_DID_MOST.sub(lambda match: _whoever_did(match, graph), text)
    text = with_two_values(with_their_kind(spelt(text, graph), graph), graph)
    return question if text == question.text else replace(question, text=text)


def as_said(question: Question, graph: Graph) -> Question:
    """The question in its own words, without what only asks for it and with its slips mended."""
    if not Lexicon.of(graph).types:
        return question
    text = question.text
    for sign, words in _IN_SIGNS.items():
        text = re.sub(rf" *(?:{sign}) *(?=[£$€]? ?\d)", f" {words} ", text)
    return replace(question, text=spelt(_plain(text), graph))


def _plain(text: str) -> str:
    """A question without what only asks for it: "which players in our data are …"; as it stands where it has none."""
    stripped = re.sub(r"\s+", " ", text.strip()).rstrip("?!. ")
    hidden = without_names(stripped)
    plain = only_asked(hidden)
    if plain == hidden:
        return text
    return f"{with_names(plain)}{'?' if text.rstrip().endswith('?') else ''}"


def _so_many(match: re.Match[str], lexicon: Lexicon) -> str:
    """ "Four-act operas", "operas in four acts" as "operas with exactly four acts", where the graph speaks of acts."""
    noun, things = stem(match["noun"]), match.groupdict().get("things")
    same = {noun, *SYNONYMS.get(noun, ())}  # of bedrooms a listing states the beds
    known = any(same & set(stems(label)) for label in lexicon.labels.values()) or (noun,) in lexicon.classes
    if not known or unit_of(noun) is not None or (things and (stem(things),) not in lexicon.classes):
        return match.group(0)
    said = f"with exactly {match['n']} {noun}s"
    return f"{things} {said}" if things else f" {said}"


def _by_noun(text: str, lexicon: Lexicon) -> str:
    """ "What does X do for a living" as what its trade is, where the graph has one such property."""
    plain = text.strip().rstrip("?!. ")
    for pattern, nouns in _BY_VERBS:
        match = pattern.match(plain)
        if match is None:
            continue
        heads = {label: stem(head_of(label).split()[-1]) for label in dict.fromkeys(lexicon.labels.values()) if label}
        named = next((found for noun in nouns if (found := [x for x, head in heads.items() if head == noun])), [])
        if len(named) == 1:
            return f"what is the {named[0]} of {match['x'] or match.groupdict().get('y')}?"
    return text


def _not_done(match: re.Match[str], lexicon: Lexicon, graph: Graph) -> str:
    """ "Unpaid invoices", "are unpaid" as what has not been paid, where the graph says when something was paid, or by
    whom, and nothing is called unpaid."""
    whole = match["said"]
    done = whole[2:].lower()
    told = any(forms(done) & set(label.lower().split()) for label in lexicon.labels.values())
    if not told or graph.resolve(whole) or graph.resolve(whole.capitalize()):
        return match.group(0)
    return f"{'has' if match['be'].lower() in ('is', 'was') else 'have'} not been {done}"


def _beyond(match: re.Match[str], lexicon: Lexicon) -> str:
    """ "Invoices over 200 does X have" as which of X are over 200, where invoices are a kind."""
    if (stem(match["things"].split()[-1]),) not in lexicon.classes:
        return match.group(0)
    owner = f" of {match['owner']}" if match["owner"] else ""
    return f"{match['wh']} {match['things']}{owner} are {match['beyond'].removeprefix('of ')}"


def _awaited(match: re.Match[str], lexicon: Lexicon) -> str:
    """ "Still waiting for a decision" as what has no decision, where the graph states these."""
    noun = stem(match["noun"])
    known = any(stem(head_of(label).split()[-1]) == noun for label in lexicon.labels.values() if label)
    return f"have no {match['noun']}" if known else match.group(0)


def _of_owner(match: re.Match[str], lexicon: Lexicon) -> str:
    """ "What are Doris's invoices" as which invoices she has, where invoices are a kind."""
    known = stem(match["things"]) != match["things"] and (stem(match["things"]),) in lexicon.classes
    return f"which {match['things']} does {match['owner']} have" if known else match.group(0)


def _whoever_has(match: re.Match[str], graph: Graph) -> str:
    """ "Who has unpaid fines" as which members have, where only members can."""
    lexicon, events = Lexicon.of(graph), Events(graph)
    kind = lexicon.classes.get((stem(match["things"]),))
    before = match["before"].lower().split()
    if any(word in PAST or (word.endswith("ed") and not word.startswith("un")) for word in before):
        return match.group(0)  # "who has led trials"
    if kind is None or kind not in events.kinds():
        return match.group(0)
    whose = events.whose(kind)
    if not whose:
        return match.group(0)
    return f"which {several(lexicon.class_ids[whose])} have {match['before']}{match['things']}"


def _whoever_most(text: str, graph: Graph) -> str:
    """ "Who has covered the most km over all their trips" as which driver, where trips are drivers'."""
    if _WHO_MOST.match(text) is None:
        return text
    lexicon, events = Lexicon.of(graph), Events(graph)
    theirs = re.findall(r"\b(?:their|his|her|all)(?: (?:their|his|her|own))* ([a-z]+)", text.lower())
    kinds = [lexicon.classes.get((stem(word),)) for word in theirs]
    of = [kind for kind in dict.fromkeys(kinds) if kind in events.kinds()]
    if len(of) != 1 or of[0] is None or of[0] in events.people():
        return text
    whose = events.whose(of[0])
    return f"which {lexicon.class_ids[whose]}{text[3:]}" if whose else text


def _whoever_did(match: re.Match[str], graph: Graph) -> str:
    """ "Who reported the most tickets" as which users did, where a ticket says by whom it was reported."""
    lexicon, events = Lexicon.of(graph), Events(graph)
    kind = lexicon.classes.get((stem(match["things"]),))
    if kind is None or kind not in events.kinds():
        return match.group(0)
    said = forms(match["verb"])
    by = {link.to for link in events.links(kind) if any(forms(word) & said for word in link.words)}
    whom = [id for id in events.people() if id in by]
    if len(whom) != 1:
        return match.group(0)
    return f"which {lexicon.class_ids[whom[0]]} {match['verb']} {match['most']} {match['things']}"


def _asking_which(text: str) -> str:
    """ "Is anybody in both clubs? Who?" asks who is in both clubs."""
    match = _THEN_WHICH.match(text)
    if match is None:
        return text
    asked = f"{match['wh'].lower()} {match['noun']}" if match["noun"] else match["wh"].lower()
    return f"{asked} {'' if match['that'] else 'is '}{match['rest'].strip()}?"


def _named(match: re.Match[str], lexicon: Lexicon, graph: Graph) -> str:
    """ "Judge Pike" as "Rosalind Pike", where judges are a kind and one of them is called so."""
    title = match["title"].lower()
    kind = lexicon.classes.get((stem(title),))
    if kind is None and (meant := kind_meant(title, lexicon)) is not None:
        kind = meant[0]  # "Councillor Pike" of a member
    if kind is None or graph.resolve(match.group(0)) or graph.resolve(match["name"]):
        return match.group(0)
    members = execute(p.Class(kind), graph).members
    folded = {word.folded for word in words_of(match["name"])}
    if len(members) > LABELS or not folded:
        return match.group(0)
    labels = [label for label in graph.labels_at(members) if folded <= {word.folded for word in words_of(label)}]
    return labels[0] if len(labels) == 1 else match.group(0)
