"""Questions about events in words of their own, as people who run a business ask them: how events came out, which group
comes first, what two have in common, when something was last done, what events come to, what has none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

import clew
from clew.graph import Graph, build
from clew.query import plan as p
from clew.query.execute import execute
from clew.retrieval.events import reading
from clew.retrieval.events.kinds import Events
from clew.retrieval.events.outcomes import done_by, outcomes
from clew.retrieval.events.scene import Scene
from clew.types import Question
from written_tables import built

HIRE = {
    "customers": "customer_id,customer,town\nC1,Priya Nandal,Aldwick\nC2,Dunmore Roofing,Castleby\n"
                 "C3,Karl Jessop,Aldwick\nC4,Siobhan Carrick,Castleby\n",
    "tools": "tool_id,tool,category,daily_rate\nT1,Scaffold tower,Access,32.00\nT2,Roof ladder,Access,14.00\n"
             "T3,Cement mixer,Building,18.00\nT4,Trestle set,Access,6.00\n",
    "staff": "staff_id,name,job,started\nS1,Gordon Mabey,Manager,2014-03-03\nS2,Tessa Rowntree,Counter,2019-08-19\n"
             "S3,Yusuf Demir,Counter,2021-05-10\n",
    "hires": "hire_no,customer_id,tool_id,served_by,out_date,due_date,back_date\n"
             "H1,C1,T1,S2,2024-05-02,2024-05-06,2024-05-06\nH2,C2,T2,S3,2024-05-03,2024-05-07,2024-05-09\n"
             "H3,C1,T3,S3,2024-05-07,2024-05-10,2024-05-10\nH4,C3,T1,S3,2024-05-20,2024-05-24,\n"
             "H5,C2,T3,S2,2024-06-03,2024-06-06,2024-06-10\nH6,C4,T2,S3,2024-06-10,2024-06-14,\n",
    "damages": "report_no,hire_no,reported_on,damage,repair_cost\nD1,H1,2024-05-06,Bent strut,58.00\n"
               "D2,H2,2024-05-09,Split rung,22.00\nD3,H5,2024-06-10,Torn drum,41.00\n",
}  # fmt: skip
GYM = {
    "members": "member_no,name,joined\nM1,Bettina Krall,2022-11-02\nM2,Hanna Wirth,2023-01-09\n"
               "M3,Emil Messaoud,2023-02-01\nM4,Idris Falk,2023-05-05\n",
    "trainers": "trainer_id,trainer,speciality\nT1,Sofia Brandt,Yoga\nT2,Marek Oyelaran,Strength\n",
    "classes": "class_id,class_name,trainer_id,date,capacity\nK1,Sunrise Yoga,T1,2024-04-02,4\n"
               "K2,Kettlebells,T2,2024-04-03,5\nK3,Evening Flow,T1,2024-04-09,6\n",
    "bookings": "booking_id,class_id,member_no,booked_on,attended\nB1,K1,M1,2024-03-25,yes\nB2,K1,M2,2024-03-26,yes\n"
                "B3,K2,M4,2024-03-28,no\nB4,K3,M1,2024-03-30,no\nB5,K2,M1,2024-04-01,yes\n"
                "B6,K2,M2,2024-04-01,yes\n",
    "certificates": "member_no,certificate,awarded,expires\nM1,First aid,2021-05-01,2024-05-01\n"
                    "M2,First aid,2023-05-01,2026-05-01\nM4,Lifting,2022-01-01,2024-12-31\n",
    "payments": "payment_no,member_no,amount,due_date,paid_date\nP1,M1,36.00,2024-03-05,2024-03-04\n"
                "P2,M2,74.00,2024-03-05,2024-03-18\nP3,M4,36.00,2024-03-05,\nP4,M1,36.00,2024-04-05,2024-04-05\n"
                "P5,M3,22.00,2024-04-05,\nP6,M2,74.00,2024-04-05,2024-04-04\n",
}  # fmt: skip
CREW = {
    "crew": "crew_id,name,department,day_rate\nC1,Marion Tate,Production,425\nC2,Gareth Pullen,Production,360\n"
            "C3,Dawid Nowak,Sound,400\nC4,Mia Corrigan,Camera,350\nC5,Tom Hessle,Camera,300\nC6,Asha Menon,Sound,420\n",
    "productions": "prod_id,title,status\nP1,The Salt Road,Post\nP2,Harbour Lights,Post\n",
    "shooting_days": "day_id,prod_id,shoot_date\nSD1,P1,2025-03-03\nSD2,P1,2025-03-04\nSD3,P2,2025-04-22\n",
    "crew_calls": "call_id,day_id,crew_id,call_time,released\n1,SD1,C4,07:30,17:50\n2,SD1,C3,07:00,18:00\n"
                  "3,SD2,C4,07:30,18:10\n4,SD3,C4,08:00,18:00\n5,SD3,C5,08:00,18:00\n6,SD2,C3,07:00,17:00\n",
    "hires": "hire_ref,prod_id,item,supplier,due_back,returned\nHR1,P1,Smoke machine,Northlight,2025-03-05,2025-03-07\n"
             "HR2,P1,Camera package,Northlight,2025-03-05,2025-03-05\nHR3,P2,Wind machine,Pennine,2025-04-25,\n"
             "HR4,P2,Radio mics,Pennine,2025-04-25,2025-04-25\n",
    "expenses": "claim_no,prod_id,crew_id,spent_on,category,amount\nE1,P1,C1,2025-03-03,Catering,100.50\n"
                "E2,P1,C2,2025-03-04,Fuel,40\nE3,P2,C2,2025-04-22,Catering,80\nE4,P1,C4,2025-03-04,Catering,20\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def hire(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("hire"), HIRE)


@pytest.fixture(scope="module")
def gym(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("gym"), GYM)


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("film"), CREW)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("customers who returned a hire late", ["Dunmore Roofing"]),
        ("Which clients handed hired kit back past the date it should have been in?", ["Dunmore Roofing"]),
        ("Which customers still have a tool out on hire?", ["Karl Jessop", "Siobhan Carrick"]),
        ("Which clients are still holding on to our equipment?", ["Karl Jessop", "Siobhan Carrick"]),
        ("customers with hires not back", ["Karl Jessop", "Siobhan Carrick"]),
        ("who hasn't brought back a tool they hired", ["Karl Jessop", "Siobhan Carrick"]),
        ("how many hires have not come back yet", ["2"]),
        ("Which member of staff has dealt with the largest number of hires?", ["Yusuf Demir"]),
        ("who served the most hires", ["Yusuf Demir"]),
        ("When did Priya Nandal last hire something?", ["2024-05-07"]),
        ("Priya Nandal latest hire date", ["2024-05-07"]),
        ("I was in the store room this morning, so which tools has nobody ever hired?", ["Trestle set"]),
        ("Has Dunmore Roofing hired more tools than Karl Jessop?", ["yes"]),
        ("Dunmore Roofing or Karl Jessop, who has had more hires from us?", ["Dunmore Roofing"]),
        ("Which customers have hired both the Roof ladder and the Cement mixer?", ["Dunmore Roofing"]),
        ("What do the repairs to Dunmore Roofing's hires come to altogether?", ["63"]),
    ],
)
def test_a_hire_shop(text: str, answers: list[str], hire: Path) -> None:
    assert sorted(clew.ask(hire, text).texts) == answers


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Which members actually attended a class given by Sofia Brandt?", ["Bettina Krall", "Hanna Wirth"]),
        ("Who really came along to a session led by Sofia Brandt?", ["Bettina Krall", "Hanna Wirth"]),
        ("How many no-shows has Bettina Krall had?", ["1"]),
        ("Was Idris Falk ever a no-show for a session he had reserved?", ["yes"]),
        ("which members failed to turn up", ["Bettina Krall", "Idris Falk"]),
        ("Can you tell me how much money members still owe us altogether?", ["58"]),
        ("What do the open fees come to?", ["58"]),
        ("Who settled a fee only after the deadline had passed?", ["Hanna Wirth"]),
        ("Which members paid something late?", ["Hanna Wirth"]),
        ("Are there any unpaid payments?", ["yes"]),
        ("Which members have a payment that was due before 1 April 2024 and is still unpaid?", ["Idris Falk"]),
        ("Whose certificates had expired by 1 June 2024?", ["Bettina Krall"]),
        (
            "Which members held a certificate that was no longer valid on 1 January 2025?",
            ["Bettina Krall", "Idris Falk"],
        ),
        ("Which members have no unpaid payments?", ["Bettina Krall", "Hanna Wirth"]),
        ("How much has Bettina Krall paid us so far in total?", ["72"]),
        ("which members have been to neither class", None),  # left to others, whatever they say
    ],
)
def test_a_gym(text: str, answers: list[str] | None, gym: Path) -> None:
    found = clew.ask(gym, text)
    assert answers is None or sorted(found.texts) == answers


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Which department has the highest average day rate?", ["Sound"]),
        ("On average, people in which department charge us the most per day?", ["Sound"]),
        ("Who has had more crew calls than anyone else?", ["Mia Corrigan"]),
        ("Which crew have been called for shooting days on both The Salt Road and Harbour Lights?", ["Mia Corrigan"]),
        ("Which hired items were returned after their due date?", ["Smoke machine"]),
        ("hire gear still out not returned", ["Wind machine"]),
        ("What do the catering expenses on The Salt Road come to in total?", ["120.5"]),
        ("total catering spend Salt Road", ["120.5"]),
        ("overdue hires at 1 May 2025", ["Wind machine"]),
        ("Which crew have both put in an expense and been called?", ["Mia Corrigan"]),
    ],
)
def test_a_film_crew(text: str, answers: list[str], film: Path) -> None:
    assert sorted(clew.ask(film, text).texts) == answers


def test_answers_say_what_they_rest_on(hire: Path) -> None:
    answer = clew.ask(hire, "Which customers still have a tool out on hire?")
    assert answer.plan is not None
    assert "wherecount(class(hire), back_date, =, 0)" in answer.plan.text
    assert not clew.verify(answer, Graph.open(hire))


def test_large_graphs_are_left_to_others(hire: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, asked = Graph.open(hire), Question("q", "who still has one of our tools")
    assert reading.read_events(asked, asked, graph, None, reading.scene_of(asked, graph, None))
    monkeypatch.setattr(reading, "ALL_UP_TO", graph.num_triples - 1)
    assert not reading.read_events(asked, asked, graph, None, reading.scene_of(asked, graph, None))


def test_outcomes_are_told_by_the_columns(hire: Path, gym: Path) -> None:
    told = {(each.kind, each.what, each.done) for each in outcomes(Graph.open(hire))}
    assert {("hire", "open", "returned"), ("hire", "late", "returned"), ("hire", "overdue", "returned")} <= told
    assert ("booking", "flag", "attended") in {(o.kind, o.what, o.done) for o in outcomes(Graph.open(gym))}
    assert done_by("settled") == done_by("paid") == "paid"
    assert done_by("painted") == ""


def test_a_state_tells_what_is_open(tmp_path: Path) -> None:
    made = {"tickets": "ticket_id,title,customer,status\n1,Login fails,Ann Lee,Open\n2,Slow search,Bo Ray,Resolved\n"
                       "3,Wrong total,Ann Lee,In progress\n4,Typo,Cy Orr,Cancelled\n5,No mail,Bo Ray,Resolved\n",
    }  # fmt: skip
    graph = Graph.open(built(tmp_path, made))
    still = next(each for each in outcomes(graph) if each.what == "open")
    assert sorted(graph.labels_at(execute(still.so, graph).members)) == ["Login fails", "Wrong total"]


@pytest.mark.parametrize(
    ("text", "clause", "dates"),
    [
        ("I'm ringing round about money this afternoon, so which members haven't paid?", "so which members", []),
        ("Which members joined before 1 March 2023?", "which members", [("<", "2023-03-01")]),
        ("who joined in May 2023, please", "who joined", [("=", "2023-05")]),
        ("the class of room 2024", "the class", []),  # no date without a word that makes it one
        ("members since 2023", "members since", [(">=", "2023")]),
        ("on average, which members pay most", "on average", []),  # too short for an aside
    ],
)
def test_a_scene_finds_what_asks_and_when(text: str, clause: str, dates: list[tuple[str, str]], gym: Path) -> None:
    scene = Scene(Question("q", text), Graph.open(gym), None)
    assert scene.clause.startswith(clause)
    assert [(op, date.text) for op, date, _ in scene.dates()] == dates


def test_a_name_in_an_aside_is_one_only_with_a_capital(gym: Path) -> None:
    graph = Graph.open(gym)
    aside = "before I go to the yoga studio now, which members have paid late?"
    assert [c.plan for c in Scene(Question("q", aside), graph, None).named] == []
    capital = "Sofia Brandt was asking about it again, which members have paid late?"
    assert Scene(Question("q", capital), graph, None).named[0].plan == p.Entities(("trainers/T1",))


def test_parts_lead_to_their_whole(tmp_path: Path) -> None:
    """The lines of nested orders lead to the order that lists them, and by it to the customer."""
    (tmp_path / "shop.json").write_text(
        '{"customers": [{"id": 1, "name": "Ann Lee"}, {"id": 2, "name": "Bo Ray"}],'
        ' "books": [{"id": 11, "name": "Salt Ferry"}, {"id": 12, "name": "The Tin Lighthouse"}],'
        ' "orders": [{"order_no": "BD-1", "customer_id": 1, "lines": [{"line_id": 7, "book_id": 11, "qty": 1},'
        ' {"line_id": 8, "book_id": 12, "qty": 2}]}, {"order_no": "BD-2", "customer_id": 2, "lines":'
        ' [{"line_id": 9, "book_id": 11, "qty": 1}]}]}'
    )
    build([tmp_path / "shop.json"], tmp_path / "shop.kg")
    graph = Graph.open(tmp_path / "shop.kg")
    events = Events(graph)
    assert [(link.to, link.step.forward) for link in events.links("line") if link.to == "order"] == [("order", False)]
    assert len(events.ways("line", "customer")[0]) == 2
    assert sorted(clew.ask(tmp_path / "shop.kg", "Who has bought both Salt Ferry and The Tin Lighthouse?").texts) == [
        "Ann Lee"
    ]
    assert graph.resolve("BD-1")
