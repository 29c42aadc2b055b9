"""A question's operators around the sets that its parts compose, and questions that ask for yes or no.

Kept apart from `operators`, which decides between these and what a method finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from clew.graph import Graph
from clew.graph.sets import first_tails, held
from clew.labels import label_to_text
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.asked import ReadQuestion
from clew.query.binding import Binding
from clew.query.columns import Column, column
from clew.query.decorate import Proposal, best_first, decorate
from clew.query.execute import execute
from clew.query.keys import ANY_TIME, Keys, Likeness, by_words, steps_of
from clew.query.lapses import between_two
from clew.query.meanings import AGEING, meant, spelled_out
from clew.query.values import unit_of
from clew.query.vocabulary import forms as word_forms
from clew.query.vocabulary import head_of, stem
from clew.query.wordnet import people_of
from clew.retrieval.attaching import Attachments
from clew.retrieval.chunks import spot
from clew.retrieval.composing import Composed, compose
from clew.retrieval.conditions import guesses, with_unsaid
from clew.retrieval.joining import followed
from clew.retrieval.lexicon import KINDS, Lexicon, kind_called, kinds_of, owners, stems
from clew.retrieval.linking import link
from clew.retrieval.method_sets import best_of, past_mediators
from clew.retrieval.pronouns import WHO
from clew.retrieval.roles import is_role
from clew.retrieval.words import FUNCTION
from clew.types import Answer, Question

SETS = 4  # composed sets that operators are put around
MAY_BE = 0.38  # cosine of a noun and a kind's name from which a noun may mean the kind that alone has what is compared
BORNE = 0.4  # likeness of words and a relation's name from which its bearers may be what is asked for
LOOKED_AT = 100  # members of a set whose kinds are looked at
MOST_OF = 0.5  # of the rows of a kind, that name somebody
SURE_OF_BOTH = 0.9  # of what a method's own path leads to from each of two things said together
LEAST_ALIKE = 0.45  # cosine of operator words and a relation's label from which an encoder's opinion counts


def operated(graph: Graph, sets: Sequence[Composed], read: ReadQuestion, likeness: Likeness) -> list[Proposal]:
    """The plans that a question's operators make of composed sets, best first."""
    read = replace(read, negated=False, without="")  # the sets hold what the question denies
    made: list[Proposal] = []
    for each in sets[:SETS]:
        if read.count and each.path and not read.filters and (plan := _stated(graph, each)) is not None:
            made.append(Proposal(plan, each.score))
            continue
        if (plan := _commonest(graph, each, read)) is not None:
            made.append(Proposal(plan, each.score))
            continue
        told, ways = with_unsaid(read, each), [_operated_on(graph, each, read)]
        dated = any(isinstance(stated.value, p.Date) for stated in read.filters)
        if ways[0][1] and dated and graph.mediators_at(execute(each.plan, graph).members).any():
            ways.append((each.plan, ()))  # "put on a menu in 2023": the date may be that of the link
        for base, path in ways:
            for found in decorate(graph, base, told, likeness=likeness, domain=domain_of(base)):
                if guesses(found, each, read, graph, likeness):
                    continue
                stated = _tells(found.plan, path) and not _asks_figure(graph, path, read)
                plan = found.plan if stated else _projected(graph, found.plan, path)
                made.append(replace(found, plan=plan, prior=found.prior * each.score))
    return best_first(made)


def _stated(graph: Graph, each: Composed) -> p.Plan | None:
    """What a count of a relation's name means: "how many wins" a number that the graph states, of several things their
    sum. None: the things that the relation leads to."""
    found = _column(graph, each.path)
    if found.kind != "number" or not found.ordered:
        return None
    several = len(execute(each.base, graph).members) > 1
    return p.Aggregate("sum", each.base, each.path) if several else p.Values(each.base, each.path)


def _commonest(graph: Graph, each: Composed, read: ReadQuestion) -> p.Plan | None:
    """ "Which cuisine has the most recipes" of what is said of recipes asks for what a relation leads to most often; so
    does "which director made the most films" in a graph without kinds, unless a relation is called so."""
    ranked, lexicon = read.ranked, Lexicon.of(graph)
    if is_role(each.base) and not lexicon.types and not each.path:  # "which director": what the films lead to
        assert isinstance(each.base, p.Follow)
        each = replace(each, base=each.base.of, path=each.base.path)
    if ranked is None or ranked.words != (ranked.noun,) or not each.path:
        return None
    noun, domain = stem(ranked.noun.split()[-1]), domain_of(each.base)
    if lexicon.types and not (
        domain is not None and (kind_called((noun,), lexicon) == domain.id or _called(graph, domain, noun))
    ):
        if not isinstance(each.base, p.Class):
            return None
        of = p.Follow(each.base, each.path)  # "which department spends the most on salaries", those of its people
        home = p.Step(each.path[-1].relation, not each.path[-1].forward)
        keys = [key for key in Keys(graph).summed(of, (ranked.noun,)) if key.path[0] == home]
        return p.Top(of, p.Key(keys[0].path, "sum"), ranked.largest, ranked.k, ranked.skip) if keys else None
    ends = execute(p.Follow(each.base, each.path), graph).members
    own = {step.relation for step, _ in steps_of(graph, ends, backward=False)}
    if any(noun in stems(label) for id, label in lexicon.labels.items() if id in own or not lexicon.types):
        return None
    back = p.turned(each.path)
    return p.Top(p.Follow(each.base, each.path), p.Key(back, "count"), ranked.largest, ranked.k, ranked.skip)


def _called(graph: Graph, kind: p.Class, noun: str) -> bool:
    """Whether most things of a kind bear a noun that names no kind in their names: the sieges among the conflicts."""
    if (noun,) in Lexicon.of(graph).classes:
        return False
    labels = graph.labels_at(execute(kind, graph).members[:LOOKED_AT])
    return bool(labels) and 2 * sum(noun in stems(label) for label in labels) > len(labels)


def none_stated(question: Question, graph: Graph, encoder: TextEncoder | None) -> list[Proposal]:
    """ "How many subsidiaries does X have" where none is stated: a relation of that name, which others of X's kind have
    and X has not, is counted all the same."""
    spotted = spot(question, graph, encoder)
    topics = [chunk for chunk in spotted.chunks if isinstance(chunk.plan, p.Entities)]
    root = None if spotted.root is None else spotted.chunks[spotted.root]
    if (
        len(topics) != 1
        or root is None
        or root.kind != "relation"
        or len(spotted.chunks) != 2
        or len(root.relations) != 1
    ):
        return []
    said = {i for chunk in spotted.chunks for i in range(chunk.start, chunk.end)}
    if any(word not in FUNCTION for i, word in enumerate(spotted.words) if i not in said):
        return []
    relation, named = root.relations[0], topics[0].plan
    label = Lexicon.of(graph).labels.get(relation, "").lower()
    step = p.Step(relation, forward=root.inverse is label.endswith((" of", " by")))
    assert isinstance(named, p.Entities)
    kinds = Lexicon.of(graph).class_ids.items()
    own = [p.Class(id) for id, name in kinds if name in kinds_of(graph, named.ids)]
    others = any(len(execute(p.Follow(kind, (step,)), graph).members) for kind in own)
    plan = p.Follow(named, (step,))
    return [Proposal(p.Count(plan), root.fit)] if others and not len(execute(plan, graph).members) else []


def in_units(read: ReadQuestion, graph: Graph, encoder: TextEncoder | None, likeness: Likeness) -> list[Proposal]:
    """What "how many litres has X given" adds up: the figures in that unit of what is X's; without a name those of the
    one kind of things that has any."""
    match = _OF_UNIT.match(read.rest)
    noun = match["unit"].lower() if match is not None else ""
    if not noun or unit_of(noun) is None:
        return []
    keys, whole = Keys(graph), replace(read, count=False, summary="sum", summary_words=(noun,))
    topics = link(Question("of", read.rest), graph, encoder=encoder)
    if topics:
        named = p.Entities(tuple(t.entity.id for t in topics if t.entity.label == topics[0].entity.label))
        of = [followed(named, key.path[:-1]) for key in keys.summed(named, (noun,))][:1]
    else:
        measured = [owners(graph, id) for id in Lexicon.of(graph).labels if keys.is_measured(p.Step(id), noun)]
        of = [each for each in dict.fromkeys(measured) if isinstance(each, p.Class)]
    made = decorate(graph, of[0], whole, likeness=likeness) if len(of) == 1 else []
    return [found for found in made if isinstance(found.plan, p.Aggregate) and _stated_in(graph, found.plan.path, noun)]


def _stated_in(graph: Graph, path: p.Path, unit: str) -> bool:
    """Whether figures are stated in a unit, or in none: millilitres are no litres."""
    figures = _column(graph, path)
    stated = unit_of(figures.unit or figures.stated)
    return stated is None or stated == unit_of(unit)


def _operated_on(graph: Graph, each: Composed, read: ReadQuestion) -> tuple[p.SetPlan, p.Path]:
    """The set that operators mean, and what is asked of its members then.

    In "the population of the cities above …" it is the cities; in "how many capitals", "the largest capital" what the
    relation leads to.
    """
    if not each.path:
        return each.plan, ()
    if read.count:
        return each.plan, ()
    values = _column(graph, each.path).ordered
    noun = {stem(word) for word in read.ranked.noun.split()[:1]} if read.ranked is not None else set()
    label = Lexicon.of(graph).labels.get(each.path[-1].relation, "")
    if not values and isinstance(each.base, p.Entities):
        return each.plan, ()  # nothing is the largest of what is named
    if not values and noun and noun <= set(stems(head_of(label))):
        return each.plan, ()
    return each.base, each.path


def _tells(plan: p.Plan, path: p.Path) -> bool:
    """Whether a plan is of what has a stated value at the end of a path."""
    return isinstance(plan, p.Where) and plan.test.path == path


_OF_UNIT = re.compile(r"which (?P<unit>[a-z]+)\b", re.IGNORECASE)
_ASKS_FIGURE = re.compile(r"\b(?:when|how|what (?:is|are|was|were)|values?|dates?|years?|figures?)\b", re.IGNORECASE)


def _asks_figure(graph: Graph, path: p.Path, read: ReadQuestion) -> bool:
    """Whether the values are asked for that a condition is on: not in "what starts in September 2024"."""
    label = Lexicon.of(graph).labels.get(path[-1].relation, "")
    dated = {stem(word) for each in read.filters if isinstance(each.value, p.Date) for word in each.words}
    head = {stem(word.lower()) for word in re.findall(r"[^\W\d_]+", read.text)[:3]} - dated  # "battles fought before"
    return _ASKS_FIGURE.search(read.text) is not None or bool(set(stems(head_of(label))[-1:]) & head)


def _column(graph: Graph, path: p.Path) -> Column:
    return column(graph, *Binding.of(graph).moves(path)[-1])


def _projected(graph: Graph, plan: p.Plan, path: p.Path) -> p.Plan:
    """What is asked of a set's members: values where the relation leads to literals, else the entities there."""
    if not path or not isinstance(plan, p.SetPlan):
        return plan
    ends = first_tails(graph.whole, Binding.of(graph).moves(path)[-1][0], 50)
    literal = path[-1].forward and len(ends) and bool(graph.literals_at(ends).all())
    return p.Values(plan, path) if literal or _column(graph, path).ordered else p.Follow(plan, path)


def bearers(graph: Graph, read: ReadQuestion, likeness: Likeness) -> list[p.SetPlan]:
    """What a question may be about that names no kind ("who earns the most", "films" in a graph without kinds): the
    kinds of things that have the property compared, or anything."""
    words = [*(read.ranked.words if read.ranked is not None else ()), *read.summary_words]
    words += [word for each in read.filters for word in each.words]
    if not words and read.negated:
        words = [word for word in stems(read.stated) if word not in FUNCTION]
    lexicon, asks_who = Lexicon.of(graph), WHO.match(read.text) is not None
    if not lexicon.types:
        return [p.All()]
    labels = list(lexicon.labels.items())
    units = [each.value.unit for each in read.filters if isinstance(each.value, p.Number) and each.value.unit]
    if not labels or not (words or units):
        return []
    base = next((each.base for each in (read.ranked, *read.filters) if each is not None and each.base), "")
    fits = _told_by(words, base, [label for _, label in labels], likeness) if words else [0.0] * len(labels)
    best: dict[p.SetPlan, float] = {}
    counted = {stem(each.words[0].split()[-1]) for each in read.filters if each.of_count and each.words}
    bare = FUNCTION.issuperset(stems(read.stated))
    if bare and read.ranked is not None and read.ranked.words == (read.ranked.noun,):  # "who has the most discoveries"
        counted.add(stem(read.ranked.noun.split()[-1]))
    ends = [p.Class(id) for said, id in lexicon.classes.items() if said and said[-1] in counted]
    for kind in ends:  # "who works on more than one project": whoever is linked to projects
        members = execute(kind, graph).members
        for side, forward in ((graph.whole.tails, True), (graph.whole.heads, False)):
            for number in np.unique(graph.whole.rels[np.isin(side, members)]).tolist():
                of = owners(graph, graph.relation_at(number).id, forward=forward)
                if number not in lexicon.silent and of is not None and of != kind:
                    best |= dict.fromkeys(_who_may(of, graph) if asks_who else (of,), 0.5)
    for (id, _), fit in zip(labels, fits, strict=True):
        if fit >= BORNE and (of := owners(graph, id)) is not None:
            for each in _who_may(of, graph) if asks_who else (of,):
                best[each] = max(fit, best.get(each, 0.0))
    keys = Keys(graph)
    for unit in units if not best else ():  # "ready in 20 minutes": what alone is measured so
        alike = [id for id in lexicon.labels if keys.is_measured(p.Step(id), unit)]
        kinds = {of for id in alike if (of := owners(graph, id)) is not None}
        best |= dict.fromkeys(kinds if len(kinds) == 1 else (), BORNE)
    people = set(people_of(lexicon.class_ids))
    by_people = asks_who and read.ranked is not None  # a condition is on what has the value, and followed to them

    def others(each: p.SetPlan) -> bool:
        return by_people and not isinstance(each, p.Follow) and not (isinstance(each, p.Class) and each.id in people)

    return sorted(best, key=lambda each: (-best[each], others(each)))[:2]


def _who_may(kind: p.SetPlan, graph: Graph) -> list[p.SetPlan]:
    """A kind and the people that its things lead to: of goals in appearances "who scored most" asks for players."""
    people = people_of(Lexicon.of(graph).class_ids)
    if not isinstance(kind, p.Class) or kind.id in people:
        return [kind]
    made, lexicon = dict[p.SetPlan, None](), Lexicon.of(graph)
    for step, share in steps_of(graph, execute(kind, graph).members, backward=False):
        end = owners(graph, step.relation, forward=False)
        if isinstance(end, p.Class) and end.id in people:
            made[end] = None
        elif end is None and share >= MOST_OF and people_of({"": head_of(lexicon.labels.get(step.relation, ""))}):
            made[p.Follow(kind, (step,))] = None  # the runners of a log, whom nothing else is said of
    return [kind, *made]


ANY_KIND = frozenset(["work", "piece", "item", "thing", "object", "place", "site", "spot", "location", "venue"])


def may_be(each: Composed, kind: p.SetPlan, graph: Graph, encoder: TextEncoder | None, least: float) -> bool:
    """Whether the one word that nothing accounts for may mean the kind that has what is compared: "bands" that formed
    in some year are acts."""
    if encoder is None or each.plan != kind or len(each.unsaid) != 1 or not isinstance(kind, p.Class):
        return False
    if stem(each.unsaid[0]) in ANY_KIND:
        return True
    name = Lexicon.of(graph).class_ids.get(kind.id, "")
    near = encoder.encode([name]) @ encoder.encode([stem(each.unsaid[0])], role="query").T
    return bool(name) and each.score >= 0.95 * least and float(near.max()) >= MAY_BE


def _told_by(words: Sequence[str], base: str, labels: Sequence[str], likeness: Likeness) -> list[float]:
    """How well relations fit what is compared; where a word names one, none is taken because it holds some date."""
    said = [spelled_out(label) for label in labels]
    exact = [word for word in words if word not in ANY_TIME]
    fits = likeness(exact, said) if exact else [0.0] * len(said)
    dated = len(exact) < len(words) or base in AGEING
    fits = [max(f, meant(tuple(words), base, label, date=dated)) for f, label in zip(fits, labels, strict=True)]
    return fits if max(fits) >= BORNE else list(likeness(words, said))


def likeness_by(encoder: TextEncoder | None) -> Likeness:
    """How well words fit names of relations: words in common; where there are none, what the encoder makes of it."""

    def likeness(words: Sequence[str], labels: Sequence[str]) -> list[float]:
        plain = [label_to_text(label) for label in labels]
        scores = by_words(words, plain)
        if encoder is None or max(scores, default=0.0) > 0.5 or not words:
            return scores
        asked = encoder.encode([" ".join(words[:2])], role="query")
        alike = (encoder.encode(plain) @ asked[0]).tolist()
        return [max(s, 0.8 * a) if a >= LEAST_ALIKE else s for s, a in zip(scores, alike, strict=True)]

    return likeness


def domain_of(base: p.SetPlan) -> p.Class | None:
    """The kind of thing a set holds, where it is stated."""
    while isinstance(base, (p.And, p.Minus, p.Where, p.WhereCount)):
        base = base.sets[0] if isinstance(base, p.And) else base.of
    return base if isinstance(base, p.Class) else None


_EITHER = re.compile(
    r"\b(?P<one>[a-z]+) or (?P<other>[a-z]+)(?= (?:at|in|on|by|to|from|with|for|through)\b)"
    r"|,? (?:whether|be it|either|regardless of whether) (?P<one2>[a-z]+ed) or (?P<other2>[a-z]+ed)(?=\W*$)"
)


def either(question: Question, graph: Graph, encoder: TextEncoder | None) -> list[Composed]:
    """What either of two relations leads to: "trails that start or end at X"; nothing for other words around "or"."""
    match = _EITHER.search(question.text)
    if match is None:
        return []
    said = {form for label in Lexicon.of(graph).labels.values() for word in stems(label) for form in word_forms(word)}
    verbs = match["one"] or match["one2"], match["other"] or match["other2"]
    if not all(word_forms(word) & said for word in verbs):
        return []
    before, after = question.text[: match.start()], question.text[match.end() :]
    gap = "" if match["one"] else ", "
    found = [compose(replace(question, text=f"{before}{gap}{word}{after}"), graph, encoder) for word in verbs]
    if not all(found) or found[0][0].plan == found[1][0].plan:
        return []
    one, other = found[0][0], found[1][0]
    unsaid = tuple(dict.fromkeys((*one.unsaid, *other.unsaid)))
    return [Composed(p.Or((one.plan, other.plan)), (), min(one.score, other.score), unsaid)]


def of_both(question: Question, found: Answer, graph: Graph, encoder: TextEncoder | None) -> list[Composed]:
    """What the relation paths of a method's answer lead to from two things that are said together: "directed by both A
    and B"; nothing where no path leads from both to the same."""
    spotted = spot(question, graph, encoder)
    parts = Attachments(spotted)
    for k in range(1, len(spotted.chunks)):
        one, other = spotted.chunks[k - 1].plan, spotted.chunks[k].plan
        named = isinstance(one, p.Entities) and isinstance(other, p.Entities)
        if not named or "both" not in parts.between(k - 1) or not parts.coordinated(k):
            continue
        assert isinstance(one, p.Entities) and isinstance(other, p.Entities)
        paths = [path for c in best_of(found) for path in found.paths_of(c) if path.start.id in (*one.ids, *other.ids)]
        for relations in dict.fromkeys(path.relations for path in paths):
            way = tuple(p.Step(relation, forward) for relation, forward in relations)
            plan = p.And((followed(one, way), followed(other, way)))
            if len(execute(plan, graph).members):
                return [Composed(plan, (), SURE_OF_BOTH, ())]
    return []


def named_together(question: Question, graph: Graph, encoder: TextEncoder | None) -> list[Composed]:
    """The things that a question names and nothing else: "Belgium and Luxembourg"."""
    spotted = spot(question, graph, encoder)
    ids = [id for chunk in spotted.chunks if isinstance(chunk.plan, p.Entities) for id in chunk.plan.ids]
    if not ids or any(chunk.kind != "topic" for chunk in spotted.chunks):
        return []
    return [Composed(p.Entities(tuple(dict.fromkeys(ids))), (), 0.9, ())]


def of_named(proposals: Sequence[Proposal], graph: Graph) -> Iterator[Proposal]:
    """The plans, with what nameless nodes lead to in their place: such a node is never an answer."""
    for each in proposals:
        plan = past_mediators(each.plan, graph) if isinstance(each.plan, p.SetPlan) else each.plan
        if isinstance(plan, p.Count):
            plan = p.Count(_of_one_kind(plan.of, graph))
        if plan is not None:
            yield replace(each, plan=plan)


def _of_one_kind(plan: p.SetPlan, graph: Graph) -> p.SetPlan:
    """A set to be counted without the nameless nodes beside things of one kind: a link with properties leads to its
    node and to what it links, which are not two."""
    members = execute(plan, graph).members
    nameless = graph.mediators_at(members)
    if not nameless.any() or nameless.all():
        return plan
    named, kinds = members[~nameless], Lexicon.of(graph).class_ids
    if len(kinds) > KINDS:
        return plan
    own = kinds_of(graph, graph.ids_at(named[:1]))  # the first member's: others are none of all
    for kind in sorted(id for id, name in kinds.items() if name in own):
        if held(named, execute(p.Class(kind), graph).members).all():
            return p.And((p.Class(kind), plan))
    return plan


def sides_of(read: ReadQuestion, graph: Graph, encoder: TextEncoder | None) -> tuple[p.Entities, p.Entities] | None:
    """The two things that a question holds against each other; None where one of them is not in the graph."""
    sides = []
    for name in read.sides or ():
        topics = link(Question("side", name), graph, encoder=encoder)
        if not topics:
            return None
        same = [t.entity.id for t in topics if t.entity.label == topics[0].entity.label]
        sides.append(p.Entities(tuple(same)))  # whichever of the namesakes has what is compared
    return (sides[0], sides[1]) if len(sides) == 2 else None


def compared(read: ReadQuestion, graph: Graph, encoder: TextEncoder | None, likeness: Likeness) -> list[Proposal]:
    """Plans that hold two things named against each other; none where one of them is not in the graph."""
    sides = sides_of(read, graph, encoder)
    if sides is None:
        return []
    both = p.Or((sides[0], sides[1]))
    binding, made = Binding.of(graph), []
    for proposal in decorate(
        graph, both, replace(read, sides=None, difference=False, answer="entity"), likeness=likeness
    ):
        if isinstance(proposal.plan, p.Top):
            key = proposal.plan.key
            last = binding.moves(key.path)[-1]
            if read.difference and not column(graph, *last).ordered:
                continue
            plan: p.Plan = p.Compare(sides[0], sides[1], key, proposal.plan.largest)
            if read.difference:
                plan = _difference(
                    sides, key, between_two(read.text) if column(graph, *last).kind == "date" else None, graph
                )
            if read.answer == "truth" and isinstance(plan, p.Compare):
                plan = p.Is(sides[0], plan)
            made.append(Proposal(plan, proposal.prior))
    return list(_compared_by_links(read, sides, graph, encoder, likeness)) or made


def _difference(sides: Sequence[p.Entities], key: p.Key, unit: p.TimeUnit | None, graph: Graph) -> p.Difference:
    """How far two things are apart; of dates, where a question says in what, from the earlier to the later."""
    if unit is None or key.beside is not None:
        return p.Difference(sides[0], sides[1], key)
    plan = p.Difference(sides[0], sides[1], key, unit)
    found = execute(plan, graph).quantity
    return plan if found is None or found.value >= 0 else p.Difference(sides[1], sides[0], key, unit)


def _compared_by_links(
    read: ReadQuestion, sides: Sequence[p.Entities], graph: Graph, encoder: TextEncoder | None, likeness: Likeness
) -> Iterator[Proposal]:
    """Two things held against each other by what is said of each together with a third: where a book is cheaper."""
    ranked, named = read.ranked, {id for side in sides for id in side.ids}
    topics = [
        each for each in link(Question("third", read.text), graph, encoder=encoder) if each.entity.id not in named
    ]
    if ranked is None or read.difference or not topics:
        return
    third = p.Entities(tuple(each.entity.id for each in topics if each.entity.label == topics[0].entity.label))
    words = [word for word in ranked.words if word not in topics[0].mention.lower().split()]
    both, keys = p.Or((sides[0], sides[1])), Keys(graph, likeness)
    mine, theirs = ([step for step, _ in steps_of(graph, keys.members(each))] for each in (both, third))
    for step in mine:
        for other in theirs:
            nodes = p.And((p.Follow(both, (step,)), p.Follow(third, (other,))))
            if not len(keys.members(nodes)):
                continue
            for key in keys.values(nodes, words or ("number",), dates=None, base=ranked.base) or keys.only(nodes):
                top = p.Top(nodes, p.Key(key.path), ranked.largest)
                chosen = p.And((both, p.Follow(top, (p.Step(step.relation, not step.forward),))))
                plan: p.Plan = p.Is(sides[0], chosen) if read.answer == "truth" else chosen
                yield Proposal(plan, key.fit)
