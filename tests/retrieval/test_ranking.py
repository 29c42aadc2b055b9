"""Every plan over events that a question may mean, and which of them it means: what is put together, what is seen of
it, and when it is taken instead of what was found otherwise."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import clew
import plan_oracle
from clew.api import open_method
from clew.graph import Graph
from clew.query import plan as p
from clew.query.text import parse
from clew.retrieval.events.asked import CUES, EventQuestion
from clew.retrieval.events.candidates import EventPlan, candidates
from clew.retrieval.events.cases import cases
from clew.retrieval.events.choosing import SIGNS, TAKEN, Decision, signs_of
from clew.retrieval.events.in_words import in_words
from clew.retrieval.events.ranking import (
    FORMS,
    LookedAt,
    RankedPlan,
    best_of,
    executed,
    features,
    likeliest,
    network,
    ranked,
    scored,
    to_look_at,
)
from clew.retrieval.events.reading import scene_of
from clew.retrieval.events.scene import Scene
from clew.retrieval.events.second_look import (
    MOST_PLAN,
    MOST_QUESTION,
    Looked,
    cross_encoder,
    found_in_words,
    look,
    sequences,
)
from clew.retrieval.operators import Operators
from clew.retrieval.unnamed.weighing import probability
from clew.types import Answer, Question
from clew.types import Candidate as Found
from written_tables import built

CLINIC = {
    "owners": "owner_id,owner,town\nO1,Ida Brandt,Lund\nO2,Per Holm,Ystad\nO3,Tove Ek,Lund\n",
    "animals": "animal_id,name,species,owner_id\nA1,Rex,dog,O1\nA2,Mimi,cat,O1\nA3,Bo,dog,O2\nA4,Sot,cat,O3\n",
    "vets": "vet_id,vet,started\nV1,Nils Dahl,2015-01-05\nV2,Eva Lind,2019-08-01\n",
    "visits": "visit_id,animal_id,vet_id,date,reason,fee,paid_on\n1,A1,V1,2025-01-10,vaccination,40,2025-01-10\n"
              "2,A1,V2,2025-02-11,injury,120,2025-03-01\n3,A2,V2,2025-02-12,vaccination,40,2025-02-12\n"
              "4,A3,V2,2025-03-01,injury,200,\n5,A4,V2,2025-03-05,check-up,30,2025-03-05\n",
}  # fmt: skip
KENNEL = {
    "owners": "owner_id,owner,town\nO1,Ida Brandt,Lund\nO2,Per Holm,Ystad\nO3,Tove Ek,Lund\n",
    "dogs": "dog_id,dog,breed,weight_kg,owner_id\nD1,Rex,terrier,9,O1\nD2,Mimi,poodle,6,O1\nD3,Bo,terrier,11,O2\n"
            "D4,Sot,collie,19,O3\n",
    "stays": "stay_id,dog_id,arrived,due_out,collected_on,quoted,charged\n1,D1,2025-01-10,2025-01-12,2025-01-12,50,50\n"
             "2,D1,2025-02-01,2025-02-05,2025-02-20,100,140\n3,D2,2025-02-12,2025-02-13,2025-02-13,25,25\n"
             "4,D4,2025-03-01,2025-03-04,,75,\n5,D3,2025-03-05,2025-03-06,2025-03-06,25,45\n",
    "groomers": "groomer_id,groomer\nG1,Nils Dahl\nG2,Eva Lind\n",
    "trims": "trim_id,dog_id,groomer_id,trimmed_on,price,paid_on,billed_on\n"
             "1,D1,G1,2025-01-11,30,2025-01-11,2025-01-11\n2,D1,G2,2025-02-02,30,,2025-02-03\n3,D3,G2,2025-03-05,45,2025-03-06,2025-03-05\n4,D4,G1,2025-03-02,60,,\n",
}  # fmt: skip


NOTHING = Answer(Question("q", "Which vet had the most visits?"), "auto")  # found otherwise


@pytest.fixture(scope="module")
def kennel(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return Graph.open(built(tmp_path_factory.mktemp("kennel"), KENNEL))


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return Graph.open(built(tmp_path_factory.mktemp("clinic"), CLINIC))


@pytest.fixture(scope="module")
def method() -> Operators:
    opened = open_method(Graph.from_triples([("a", "b", "c")]), "auto")
    assert isinstance(opened, Operators)
    return opened


def asked_of(text: str, graph: Graph, method: Operators) -> EventQuestion:
    question = Question("q", text)
    assert method.encoder is not None
    return EventQuestion(Scene(question, graph, method.encoder), method.encoder)


@pytest.mark.parametrize(
    ("text", "form", "plan"),
    [
        ("How many visits has Rex had?", "count_e",
         "count(and(class(visit), follow(entity(\"animals/A1\"), ^animal)))"),
        ("What did Ida Brandt pay in fees altogether?", "sum",
         "sum(and(class(visit), follow(follow(entity(\"owners/O1\"), ^owner), ^animal)), fee)"),
        ("Which vet had the most visits?", "top_k_count", "top(class(vet), count(^vet, class(visit)), largest)"),
        ("Which vet's visits cost the most on average?", "top_k_mean", "top(class(vet), mean(^vet/fee), largest)"),
        ("Which owners have a visit not paid yet?", "list_k",
         "and(class(owner), follow(follow(and(class(visit), wherecount(class(visit), paid_on, =, 0)), animal), "
         "owner))"),
        ("Which animals has Eva Lind never seen?", "minus",
         "minus(class(animal), follow(and(class(visit), follow(entity(\"vets/V2\"), ^vet)), animal))"),
        ("When was Rex last here?", "max_date",
         "max(and(class(visit), follow(entity(\"animals/A1\"), ^animal)), date)"),
        ("Who has more visits, Rex or Bo?", "compare_count",
         "compare(entity(\"animals/A1\"), entity(\"animals/A3\"), count(^animal, class(visit)), largest)"),
        ("Which vet saw both Rex and Bo?", "common",
         "and(class(vet), follow(and(class(visit), follow(entity(\"animals/A1\"), ^animal)), vet), "
         "follow(and(class(visit), follow(entity(\"animals/A3\"), ^animal)), vet))"),
        ("Which animals had two or more visits?", "wherecount",
         "wherecount(class(animal), ^animal, >=, 2, class(visit))"),
    ],
)  # fmt: skip
def test_what_is_meant_is_among_the_candidates(
    text: str, form: str, plan: str, clinic: Graph, method: Operators
) -> None:
    made = candidates(asked_of(text, clinic, method))
    assert Counter(each.plan for each in made).most_common(1)[0][1] == 1  # each plan once
    assert (parse(plan), form) in [(each.plan, each.form) for each in made]


@pytest.mark.parametrize(
    ("text", "form", "plan"),
    [
        ("Which groomers have trimmed Sot but not Bo?", "differ",
         "minus(and(class(groomer), follow(and(class(trim), follow(entity(\"dogs/D4\"), ^dog)), groomer)), "
         "follow(and(class(trim), follow(entity(\"dogs/D3\"), ^dog)), groomer))"),
        ("Which dogs have had a stay but never a trim?", "differ",
         "minus(and(class(dog), follow(class(stay), dog)), follow(class(trim), dog))"),
        ("Which dogs stayed and were trimmed?", "common",
         "and(class(dog), follow(class(stay), dog), follow(class(trim), dog))"),
        ("Which stay was charged the most above its quote?", "top_own",
         "top(class(stay), calc(-, charged, quoted), largest)"),
        ("How much more than quoted have we charged for stays in total?", "sum",
         "sum(class(stay), calc(-, charged, quoted))"),
        ("Which dogs' trims cost more than 50 altogether?", "where_sum",
         "where(class(dog), sum(^dog/price), >, 50)"),
        ("How many dogs have never been trimmed?", "count_minus",
         "count(minus(class(dog), follow(class(trim), dog)))"),
        ("Which dog is heavier, Rex or Bo?", "compare_own",
         "compare(entity(\"dogs/D1\"), entity(\"dogs/D3\"), weight_kg, largest)"),
        ("Which owners have had trims by both Nils Dahl and Eva Lind?", "common",
         "and(class(owner), follow(follow(and(class(trim), follow(entity(\"groomers/G1\"), ^groomer)), dog), owner), "
         "follow(follow(and(class(trim), follow(entity(\"groomers/G2\"), ^groomer)), dog), owner))"),
        ("Which stays of terriers have not been charged?", "list_e",
         "and(and(class(stay), follow(follow(entity(\"\\\"terrier\\\"\"), ^breed), ^dog)), "
         "wherecount(class(stay), charged, =, 0))"),
        ("Which dogs have trims that were billed but not paid?", "list_k",
         "and(class(dog), follow(and(class(trim), wherecount(class(trim), paid_on, =, 0), "
         "wherecount(class(trim), billed_on, >, 0)), dog))"),
        ("Which dogs were collected more than 7 days after they were due out?", "list_k",
         "and(class(dog), follow(where(class(stay), span(due_out, collected_on, days), >, 7), dog))"),
        ("Which stays were charged more than 10 above what was quoted?", "list_e",
         "and(class(stay), where(class(stay), calc(-, charged, quoted), >, 10))"),
    ],
)  # fmt: skip
def test_two_of_something_and_two_conditions(text: str, form: str, plan: str, kennel: Graph, method: Operators) -> None:
    made = [(each.plan, each.form) for each in candidates(asked_of(text, kennel, method))]
    assert (parse(plan), form) in made


@pytest.mark.parametrize(
    ("text", "form", "plan"),
    [
        ("How much more did Sot's trims cost than Rex's in total?", "gap_sum",
         "difference(entity(\"dogs/D4\"), entity(\"dogs/D1\"), sum(^dog/price, class(trim)))"),
        ("How many more stays has Rex had than Mimi?", "gap_count",
         "difference(entity(\"dogs/D1\"), entity(\"dogs/D2\"), count(^dog, class(stay)))"),
        ("By how many kilos is Sot heavier than Bo?", "gap_own",
         "difference(entity(\"dogs/D4\"), entity(\"dogs/D3\"), weight_kg)"),
        ("Are all stays of Rex charged?", "truth_all",
         "is(and(class(stay), follow(entity(\"dogs/D1\"), ^dog)), "
         "and(and(class(stay), follow(entity(\"dogs/D1\"), ^dog)), wherecount(class(stay), charged, >, 0)))"),
        ("What breed is the dog with the most trims?", "attr_top",
         "follow(top(class(dog), count(^dog, class(trim)), largest), breed)"),
        ("Which dog stayed the longest, from its arrival to its collection?", "top_own_k",
         "follow(top(class(stay), span(arrived, collected_on, days), largest), dog)"),
        ("Which stays were of terriers or collies?", "list_e",
         "and(class(stay), or(follow(follow(entity(\"\\\"terrier\\\"\"), ^breed), ^dog), "
         "follow(follow(entity(\"\\\"collie\\\"\"), ^breed), ^dog)))"),
        ("How many trims not counting those of Nils Dahl were there?", "count_e",
         "count(and(class(trim), minus(class(trim), follow(entity(\"groomers/G1\"), ^groomer))))"),
    ],
)  # fmt: skip
def test_one_number_less_another_and_all_of_some(
    text: str, form: str, plan: str, kennel: Graph, method: Operators
) -> None:
    made = [(each.plan, each.form) for each in candidates(asked_of(text, kennel, method))]
    assert (parse(plan), form) in made, [in_words(each, kennel) for each, of in made if of == form]


@pytest.mark.parametrize(
    ("text", "form", "plan"),
    [
        ("Rex or Bo: weight?", "compare_own", "compare(entity(\"dogs/D1\"), entity(\"dogs/D3\"), weight_kg, largest)"),
        ("Which stays were of terriers and collies?", "list_e",
         "and(class(stay), or(follow(follow(entity(\"\\\"terrier\\\"\"), ^breed), ^dog), "
         "follow(follow(entity(\"\\\"collie\\\"\"), ^breed), ^dog)))"),
        ("no trims 2025: which dogs", "minus",
         "minus(class(dog), follow(where(class(trim), trimmed_on, =, date(2025)), dog))"),
        ("How many trims does a groomer do on average?", "count_each",
         "calc(/, count(class(trim)), count(follow(class(trim), groomer)))"),
        ("What does a dog cost its owner in trims on average?", "sum_each",
         "calc(/, sum(class(trim), price), count(follow(class(trim), dog)))"),
        ("Breed and owner of the dog with the most trims?", "attr_two",
         "or(follow(top(class(dog), count(^dog, class(trim)), largest), breed), "
         "follow(top(class(dog), count(^dog, class(trim)), largest), owner))"),
        ("Which stay was charged the most per euro quoted?", "top_own",
         "top(class(stay), calc(/, charged, quoted), largest)"),
        ("The owner of the stay with the largest overrun of charged against quoted?", "top_own_k",
         "follow(follow(top(class(stay), calc(-, charged, quoted), largest), dog), owner)"),
        ("On what date did the dearest trim take place?", "attr_top",
         "values(top(class(trim), price, largest), trimmed_on)"),
    ],
)  # fmt: skip
def test_means_of_each_and_two_things_at_once(
    text: str, form: str, plan: str, kennel: Graph, method: Operators
) -> None:
    made = [(each.plan, each.form) for each in candidates(asked_of(text, kennel, method))]
    assert (parse(plan), form) in made, [in_words(each, kennel) for each, of in made if of == form]


def test_a_year_on_its_own_is_a_date_and_so_is_a_short_september(kennel: Graph) -> None:
    def dates(text: str) -> list[tuple[str, str]]:
        return [(op, date.text) for op, date, _ in Scene(Question("q", text), kennel, None).dates()]

    assert dates("no stays 2025") == [("=", "2025")]
    assert dates("stays of 6 Sept 2025") == [("=", "2025-09-06")]
    assert dates("who paid more than 2000 for stays") == []
    assert dates("who ran 2000 metres") == []


def test_what_is_asked_is_no_part_of_a_name(tmp_path: Path, method: Operators) -> None:
    tables = {
        "horses": "horse_id,horse,test\nH1,Rex,worm count\nH2,Bo,blood\n",
        "lessons": "lesson_id,horse_id,grade,note\n1,H1,High,nothing ordered yet\n2,H2,Low,\n3,H1,High,\n4,H2,Low,\n",
    }
    graph = Graph.open(built(tmp_path, tables))
    for text, word in (("lessons of Rex count", "count"), ("Which horse is higher graded?", "higher")):
        assert all(
            asked.scene.words[c.start] != word for asked in [asked_of(text, graph, method)] for c in asked.topics
        )
    assert [c.start for c in asked_of("lessons graded High", graph, method).topics] == [2]


def test_a_name_in_small_letters_is_no_kind(kennel: Graph) -> None:
    named = Scene(Question("q", "ida brandt total weight"), kennel, None).topics
    assert [c.kind for c in named] == ["topic"]


@pytest.mark.parametrize(
    ("text", "said"), [("has Rex stayed, yes or no", True), ("We wondered. Was Rex trimmed?", True),
                       ("all stays charged y/n", True), ("Which dogs stayed?", False)],
)  # fmt: skip
def test_whether_something_is_so(text: str, said: bool, kennel: Graph, method: Operators) -> None:
    asked = asked_of(text, kennel, method)
    assert asked.cues["truth"] == said and not asked.cues["not"]


def test_people_of_a_column_have_both(tmp_path: Path, method: Operators) -> None:
    tables = {
        "products": "product_id,product,species\nP1,Board,oak\nP2,Strip,oak\nP3,Decking,larch\n",
        "orders": "order_id,product_id,customer,ordered\n1,P1,Ida Brandt,2025-01-03\n2,P3,Ida Brandt,2025-01-09\n"
                  "3,P2,Per Holm,2025-02-03\n4,P3,Tove Ek,2025-02-05\n5,P1,Per Holm,2025-02-07\n",
    }  # fmt: skip
    graph = Graph.open(built(tmp_path, tables))
    asked = asked_of("Which customers have ordered both oak and larch?", graph, method)
    both = [asked.executor.members(each.plan) for each in candidates(asked) if each.form == "common"]
    assert ["Ida Brandt"] in [graph.labels_at(members) for members in both]


def test_what_is_left_of_a_figure(tmp_path: Path, method: Operators) -> None:
    tables = {
        "classes": "class_id,class,places\nC1,Judo,12\nC2,Yoga,3\n",
        "pupils": "pupil_id,pupil\nP1,Ida Brandt\nP2,Per Holm\nP3,Tove Ek\nP4,Ola Ny\n",
        "bookings": "booking_id,class_id,pupil_id,price\n1,C1,P1,10\n2,C1,P2,10\n3,C2,P3,8\n4,C2,P4,8\n5,C2,P1,8\n",
    }
    graph = Graph.open(built(tmp_path, tables))
    made = candidates(asked_of("How many places are left in Judo?", graph, method))
    left = [each.plan for each in made if each.form == "left"]
    asked = asked_of("How many places are left in Judo?", graph, method)
    assert any(str(asked.executor.quantity(plan)) == "10" for plan in left if isinstance(plan, p.Arithmetic))


def test_a_gap_below_zero_is_no_candidate(kennel: Graph, method: Operators) -> None:
    asked = asked_of("By how many kilos is Sot heavier than Bo?", kennel, method)
    gaps = [each for each in candidates(asked) if each.form == "gap_own"]
    assert len(gaps) == 2 and sum(executed(each, asked) is not None for each in gaps) == 1


def test_a_word_met_in_a_remark_is_no_topic(tmp_path: Path, method: Operators) -> None:
    tables = {
        "logs": "log_id,species,memo\nL1,oak,two logs were cut with a chainsaw\nL2,ash,\nL3,oak,\n",
        "suppliers": "supplier_id,supplier\nS1,Ida Brandt\nS2,Per Holm\n",
        "sales": "sale_id,log_id,supplier_id,volume\n1,L1,S1,3\n2,L2,S2,5\n3,L3,S1,4\n",
    }
    graph = Graph.open(built(tmp_path, tables))
    asked = asked_of("Which supplier had the largest volume of oak logs?", graph, method)
    assert all(asked.scene.words[chunk.start] != "logs" for chunk in asked.topics)


def test_what_is_of_one_thing_is_never_of_two(kennel: Graph, method: Operators) -> None:
    """A trim is of one dog, so that no trim is of Sot and not of Bo."""
    made = candidates(asked_of("Which trims were of Sot but not of Bo?", kennel, method))
    assert not [each for each in made if each.form == "differ" and each.kind == "trim"]


def test_cases_are_conditions_that_the_words_may_mean(clinic: Graph, method: Operators) -> None:
    found = cases("visit", asked_of("Which visits for an injury are not paid yet?", clinic, method))
    outcomes = {(each.outcome.done, each.so) for each in found if each.outcome is not None}
    assert outcomes == {("paid", True), ("paid", False)}
    assert not any(case.tests for case in found)
    dated = cases("visit", asked_of("Which visits in February 2025 were paid?", clinic, method))
    paths = {case.tests[0].path[0].relation for case in dated if case.outcome is None}
    assert paths >= {"date", "paid_on"}
    assert cases("owner", asked_of("Which owners came in February 2025?", clinic, method)) == []  # states no date


def test_what_is_seen_holds_no_word_of_the_graph(clinic: Graph, method: Operators) -> None:
    """The same question over other names is seen alike."""
    asked = asked_of("Which vet had the most visits?", clinic, method)
    made = [each for c in candidates(asked) if (each := executed(c, asked)) is not None]
    seen = features([each.candidate for each in made], [each.found for each in made], asked, network().signs)
    assert seen.shape == (len(made), len(network().signs) + 9 + len(FORMS) * (len(CUES) + 1) + 4)
    logits = scored(made, asked, network())
    assert logits.shape == (len(made) + 1,) and np.isfinite(logits).all()


def test_nothing_with_a_name_is_no_candidate(clinic: Graph, method: Operators) -> None:
    asked = asked_of("How many visits has Rex had?", clinic, method)
    nobody = p.Minus(p.Class("visit"), p.Class("visit"))
    assert executed(EventPlan(nobody, "list_e", "visit", {"left": 0.0}), asked) is None
    assert (
        executed(EventPlan(p.Count(nobody), "count_e", "visit", {"left": 0.0}), asked) is not None
    )  # none is a number


def test_the_likeliest_plan(clinic: Graph, method: Operators) -> None:
    best = likeliest(asked_of("Which vet had the most visits?", clinic, method), network(), NOTHING)
    assert best is not None and best.candidate.form == "top_k_count" and best.probability > 0.5
    assert method.encoder is not None
    scene = Scene(Question("q", "Which vet had the most visits?"), clinic, method.encoder)
    assert ranked(scene, method.encoder, NOTHING) == best
    plain = Graph.from_triples([("Ann", "knows", "Bob")])
    assert scene_of(Question("q", "who does Ann know"), plain, method.encoder) is None  # no kinds


def test_a_refusal_is_replaced_by_a_likely_plan_and_a_sure_answer_by_none(clinic: Graph, method: Operators) -> None:
    best = likeliest(asked_of("Which vet had the most visits?", clinic, method), network(), NOTHING)
    assert best is not None
    refused = Answer(Question("q", "x"), "auto")
    sure = replace(refused, candidates=(Found(text="Rex", score=0.97),))
    numbers = network().choosing
    assert set(numbers) == {"choice", "plan", "found"} and set(signs_of(best, sure)) == set(SIGNS)
    assert all(set(each) == {"bias", *SIGNS} for each in numbers.values())
    no, yes = LookedAt(-3.0, 1.0, 2.0), LookedAt(4.0, 0.0, 0.0)
    assert probability(signs_of(replace(best, probability=0.99, looked=yes), refused), numbers["choice"]) > TAKEN
    assert probability(signs_of(replace(best, probability=0.2, looked=no), sure), numbers["choice"]) < TAKEN
    odds = [signs_of(replace(best, probability=share), refused)["ranked"] for share in (0.0, 0.3, 0.9, 1.0)]
    assert odds == sorted(odds) and np.isfinite(odds).all()


def test_a_superlative_of_one_and_a_sum_of_nothing_are_no_candidates(kennel: Graph, method: Operators) -> None:
    asked = asked_of("How much was Sot's stay charged, and which was the dearest?", kennel, method)
    sot = p.And((p.Class("stay"), p.Follow(p.Entities(("dogs/D4",)), (p.Step("dog", False),))))
    charged = (p.Step("charged"),)
    for plan in (p.Top(sot, p.Key((p.Step("quoted"),))), p.Aggregate("sum", sot, charged)):
        assert executed(EventPlan(plan, "sum", "stay", {"left": 0.0}), asked) is None
    assert executed(EventPlan(p.Aggregate("sum", sot, (p.Step("quoted"),)), "sum", "stay", {"left": 0.0}), asked)


def test_so_many_of_the_largest(kennel: Graph, method: Operators) -> None:
    tops = [each.plan for each in candidates(asked_of("What are the two heaviest dogs?", kennel, method))]
    assert any(isinstance(plan, p.Top) and plan.k == 2 and plan.key.path == (p.Step("weight_kg"),) for plan in tops)


def test_a_month_of_no_year_is_not_left_out(kennel: Graph, method: Operators) -> None:
    assert method.encoder is not None
    text = "How many trims were there in March?"
    scenes = [Scene(Question("q", each), kennel, method.encoder) for each in (text, f"{text[:-1]} 2025?")]
    assert [ranked(scene, method.encoder, NOTHING) is None for scene in scenes] == [True, False]


def test_without_ranking_nothing_is_weighed(clinic: Graph) -> None:
    opened = open_method(Graph.from_triples([("a", "b", "c")]), "auto")
    assert isinstance(opened, Operators)
    text = "Vets by fees, who comes top?"
    with_it = opened.answer(Question("q", text), clinic)
    opened.ranks = False
    without = opened.answer(Question("q", text), clinic)
    assert isinstance(without, Answer)
    assert with_it.texts == ("Eva Lind",) and with_it.details["router"].startswith("the likeliest plan over events")
    assert not without.candidates


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Adding up all of Ida Brandt's visits, what did they come to?", ["200"]),
        ("Which of our vets brings in the most in fees?", ["Eva Lind"]),
        ("Whose animals came in for an injury?", ["Ida Brandt", "Per Holm"]),
    ],
)
def test_answers(text: str, answers: list[str], clinic: Graph) -> None:
    found = clew.ask(clinic, text)
    assert sorted(found.texts) == answers, found


def test_the_answer_says_that_a_plan_was_taken_instead(clinic: Graph, method: Operators) -> None:
    answer = method.answer(Question("q", "Which vet's visits cost the most on average?"), clinic)
    assert answer.plan is not None and not clew.verify(answer, clinic)
    assert answer.details["router"].startswith("the likeliest plan over events, at 0.")


@pytest.mark.parametrize("text", ["average fee per species", "what is the total of the fees for each vet"])
def test_a_figure_for_each_of_some_things_is_not_one_of_all(text: str, clinic: Graph, method: Operators) -> None:
    asked = asked_of(text, clinic, method)
    assert not {"sum", "mean"} & {each.form for each in candidates(asked)}


def test_the_second_look_changes_which_plan_is_likeliest(clinic: Graph, method: Operators) -> None:
    asked = asked_of("What came of it?", clinic, method)
    made = [EventPlan(parse(text), "list_e", "visit", {}) for text in ("class(vet)", "class(owner)", "class(animal)")]
    twice = [made[0], replace(made[0], form="list_k"), replace(made[0], form="attr_e"), *made[1:]]
    every = [each for plan in twice if (each := executed(plan, asked)) is not None]
    logits = np.array([2.0, 1.5, 1.0, 0.5, -9.0, 0.0], np.float32)  # the last of none of them
    assert to_look_at(every, logits) == [0, 1, 3]  # two of one answer; the owners are not likely enough
    assert to_look_at(every, logits, possible=0.0) == [0, 1, 3, 4] and to_look_at(every, logits, most=1) == [0]
    same = best_of(every, logits, [0, 1, 3], Looked((0.0, 0.0, 0.0), 0.0, 0.0), 0, 3)
    changed = best_of(every, logits, [0, 1, 3], Looked((0.0, 0.0, 9.0), -1.0, 2.0), 0, 3)
    assert same.candidate == made[0] and changed.candidate == made[1]
    assert changed.probability > 0.9 and changed.looked == LookedAt(9.0, -1.0, 2.0)


def test_an_age_is_not_told_by_events_and_one_denial_denies_once(kennel: Graph, method: Operators) -> None:
    def by_arrival(text: str) -> bool:
        made = candidates(asked_of(text, kennel, method))
        return any(each.form == "top_own_k" and each.kind == "dog" and "arrived" in repr(each.plan) for each in made)

    assert by_arrival("Which dog stayed with us first?") and not by_arrival("Who is the oldest dog?")
    texts = ("Which unpaid trims has Rex had?", "Which dogs have no unpaid trims?")
    made = [candidates(asked_of(text, kennel, method)) for text in texts]
    assert [any(each.form == "minus" for each in some) for some in made] == [False, True]


REX = 'and(class(visit), follow(entity("animals/A1"), ^animal))'


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (f"max({REX}, paid_on)", "the latest paid on of every visit whose animal is Rex"),
        (f"min({REX}, fee)", "the lowest fee of every visit whose animal is Rex"),
        (f"sum({REX}, fee)", "the total fee of every visit whose animal is Rex"),
        (f"exists({REX})", "is there any: visit whose animal is Rex"),
        ("top(class(vet), count(^vet, class(visit)), largest)", "every vet with the most visits (vet)"),
        ("top(class(vet), sum(^vet/fee), smallest)", "every vet with the lowest total fee of its vet"),
        ("top(class(visit), date, smallest, 3)", "every visit, the 3 with the earliest date"),
        ("wherecount(class(animal), ^animal, =, 0, class(visit))", "every animal without visits (animal)"),
        ("wherecount(class(animal), ^animal, >=, 2)", "every animal with at least 2 animal"),
        ("wherecount(class(animal), ^animal, >, fee)", "every animal with more animal than its fee"),
        ("minus(class(animal), follow(class(visit), animal))", "every animal that is not the animal of any visit"),
        ("and(class(animal), follow(class(visit), animal))", "every animal that is the animal of every visit"),
        ('compare(entity("animals/A1"), entity("animals/A3"), count(^animal), largest)',
         "Rex or Bo, which has more animal"),
    ],
)  # fmt: skip
def test_plans_in_the_words_of_people(plan: str, words: str, clinic: Graph) -> None:
    assert in_words(parse(plan), clinic) == words


@pytest.mark.parametrize("seed", range(60))
def test_every_plan_has_words(seed: int) -> None:
    rng = random.Random(seed)
    world = plan_oracle.random_world(rng)
    for _ in range(5):
        assert in_words(plan_oracle.Planner(rng, world).plan(), world.graph)


def test_what_the_second_look_reads(clinic: Graph, method: Operators) -> None:
    answer = method.answer(Question("q", "How many visits has Rex had?"), clinic)
    assert found_in_words(answer, clinic) == "how many: every visit whose animal is Rex"
    assert found_in_words(NOTHING, clinic) == ""
    path = replace(NOTHING, candidates=(Found(text="Rex", score=0.4),), details={"plan": "→ animal"})
    assert found_in_words(path, clinic) == "→ animal"
    by = cross_encoder()
    [(tokens, marks)] = sequences("who came " * 60, ["every visit " * 60], by)
    assert len(tokens) == len(marks) == MOST_QUESTION + MOST_PLAN + 3 and set(marks) == {0}
    looked = look("When did Rex come last?", ["the largest date of every visit", "every vet"], "every vet", by)
    assert looked.plans[0] > looked.plans[1] == looked.found


def test_what_was_found_is_as_sure_as_it_is_beside_the_plans(
    clinic: Graph, method: Operators, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Which animals had an injury?"
    before = method.answer(Question("q", text), clinic)
    monkeypatch.setattr("clew.retrieval.operators.chosen", lambda *_: Decision(None, before.candidates[0].score / 2))
    after = method.answer(Question("q", text), clinic)
    assert after.texts == before.texts
    halves = [each.score / 2 for each in before.candidates]
    assert [each.score for each in after.candidates] == pytest.approx(halves, rel=0.3)


def test_a_broken_file_is_no_network(tmp_path: Path) -> None:
    from safetensors import SafetensorError

    from clew.retrieval.events.ranking import RankingNetwork

    (tmp_path / "x.safetensors").write_bytes(b"no network")
    with pytest.raises(SafetensorError):
        RankingNetwork.read(tmp_path / "x.safetensors")


def test_what_is_ranked_may_be_nothing(clinic: Graph, method: Operators) -> None:
    best: RankedPlan | None = likeliest(asked_of("x", clinic, method), network(), NOTHING)
    assert best is None or 0 <= best.probability <= 1
