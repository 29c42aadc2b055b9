"""The page in a real browser: asking, correcting, expanding, hostile labels, a dead server, accessibility.

Needs the distribution's Chromium (`make browser`). Screenshots of each view are left in build/page.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from .conftest import HOSTILE, Running, Start, build_graph, started, until

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("no Chromium on this machine: make browser installs it where it can", allow_module_level=True)

ARGUMENTS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
SHOTS = Path(__file__).parents[2] / "build" / "page"
QUESTION = "What is the capital of France?"
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


class Seen:
    """A tab that remembers what went wrong in it."""

    def __init__(self, page: Any, url: str) -> None:
        self.page, self.url = page, url
        self.errors: list[str] = []
        self.hosts: set[str] = set()
        page.set_default_timeout(30_000)
        page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def open(self, fragment: str = "") -> None:
        self.page.goto(f"{self.url}/{fragment}")

    def ask(self, question: str) -> None:
        self.page.fill("#question", question)
        self.page.keyboard.press("Escape")
        self.page.click("#send")
        self.page.wait_for_selector(f"#view h1:has-text({json.dumps(question)})")

    def type(self, box: Any, text: str) -> None:
        """All at once: a pause between two letters would bring the list for one and then the list for both."""
        box.focus()
        self.page.keyboard.insert_text(text)

    def answers(self) -> list[str]:
        self.page.wait_for_selector(".answers .name, .empty")
        return [str(text) for text in self.page.locator(".answers .name").all_inner_texts()]

    def shot(self, name: str) -> None:
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


@pytest.fixture
def tab(browser: Any, service: Running) -> Iterator[Seen]:
    context = browser.new_context(viewport=WIDE, reduced_motion="reduce", accept_downloads=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    seen = Seen(context.new_page(), service.url)
    yield seen
    context.close()
    assert seen.errors == []
    assert seen.hosts <= {urlsplit(service.url).netloc, ""}, "the page asked another host"


def test_ask_and_read_the_thread(tab: Seen) -> None:
    tab.open()
    tab.page.wait_for_selector(".examples button")
    tab.shot("start")
    tab.ask(QUESTION)
    assert tab.answers() == ["Paris"]
    thread = re.sub(r"\s+", " ", tab.page.locator(".threads li").first.inner_text())
    assert thread == "France —capital→ Paris"
    assert "Start at France." in tab.page.locator("section[aria-label=Plan]").inner_text()
    assert tab.page.locator(".chip").first.inner_text().startswith("France")
    assert tab.page.title().startswith(QUESTION)
    tab.page.locator("details.list summary").click()
    tab.page.wait_for_selector("details.list td")
    cells = tab.page.locator("details.list td").all_inner_texts()
    assert cells == ["France", "capital", "Paris"]
    tab.shot("answer")


def test_a_link_reopens_the_same_view(tab: Seen, browser: Any) -> None:
    tab.open()
    tab.ask(QUESTION)
    tab.answers()
    tab.page.get_by_role("button", name="Copy link").click()
    tab.page.wait_for_selector("text=Link copied")
    other = browser.new_page()
    other.goto(tab.page.url)
    other.wait_for_selector(".answers .name")
    assert other.locator(".answers .name").all_inner_texts() == ["Paris"]
    other.close()


def test_the_start_offers_questions_the_graph_can_answer(tab: Seen) -> None:
    tab.open()
    button = tab.page.locator(".examples button").first
    button.wait_for()
    text = button.inner_text()
    button.click()
    tab.page.wait_for_selector("#view h1")
    assert tab.page.locator("#view h1").inner_text() == text


def test_completion_by_keyboard(tab: Seen) -> None:
    tab.open()
    tab.page.wait_for_selector(".start h1")
    box = tab.page.locator("#question")
    tab.type(box, "Who directed Time Ban")
    tab.page.wait_for_selector("#question-list li")
    assert box.get_attribute("aria-expanded") == "true"
    box.press("ArrowDown")
    assert box.get_attribute("aria-activedescendant") == "question-list-0"
    tab.shot("completion")
    box.press("Enter")
    assert box.input_value() == "Who directed Time Bandits "
    assert box.get_attribute("aria-expanded") == "false"
    box.press("Enter")
    tab.page.wait_for_selector("#view h1:has-text('Time Bandits')")


def test_a_topic_can_be_corrected_added_and_removed(tab: Seen) -> None:
    tab.open("#q=What+is+the+capital+of+Brazil%3F&topic=brazil")
    tab.page.wait_for_selector(".empty")  # the film has no capital
    tab.page.locator(".chip button").first.click()
    tab.page.wait_for_selector(".picker .suggestions button")
    tab.shot("topic")
    tab.page.locator(".picker").get_by_text("brazil2", exact=True).locator("xpath=..").locator("button").click()
    tab.page.wait_for_selector(".answers .name")
    assert tab.answers() == ["Brasília"]
    assert "topic=brazil2" in tab.page.url
    tab.page.get_by_role("button", name="+ add a topic").click()
    tab.type(tab.page.locator(".picker input"), "Ital")
    tab.page.wait_for_selector(".picker li[role=option]")
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector(".chip:has-text('Italy')")
    assert set(tab.answers()) == {"Brasília", "Rome"}
    tab.page.get_by_role("button", name="Remove the topic Brazil").click()
    tab.page.wait_for_selector(".chip:has-text('Brazil')", state="detached")
    assert tab.answers() == ["Rome"]


def test_the_drawing_expands_and_can_be_saved(tab: Seen, tmp_path: Path) -> None:
    tab.open("#q=What+is+the+capital+of+France%3F")
    tab.answers()
    tab.page.locator("details.list summary").click()
    before = tab.page.locator("details.list tbody tr").count()
    tab.page.locator("details.list td button", has_text="France").first.click()
    tab.page.wait_for_selector(".node-card:has-text('facts')")
    until(lambda: tab.page.locator("details.list tbody tr").count() > before)
    assert "currency" in tab.page.locator("details.list").inner_text()
    box = tab.page.locator(".drawing").bounding_box()
    tab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    tab.page.mouse.wheel(0, -200)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + 80, box["y"] + 80)
    tab.page.mouse.up()
    tab.page.locator(".drawing").press("ArrowLeft")
    tab.page.locator(".drawing").press("0")
    for label, suffix, magic in (("PNG", "png", b"\x89PNG"), ("SVG", "svg", b"<svg")):
        with tab.page.expect_download() as download:
            tab.page.get_by_role("button", name=f"Save the drawing as {label}").click()
        path = tmp_path / f"d.{suffix}"
        download.value.save_as(path)
        assert path.read_bytes().startswith(magic)
    assert "Paris" in (tmp_path / "d.svg").read_text(encoding="utf-8")
    tab.shot("expanded")


def test_a_hub_expands_in_portions(tab: Seen) -> None:
    tab.open("#entity=festival")
    tab.page.wait_for_selector(".facets button")
    assert tab.page.locator("tbody tr").count() == 40
    tab.page.get_by_role("button", name="Show more: 110 left").click()
    until(lambda: tab.page.locator("tbody tr").count() == 80)
    tab.shot("entity")


def test_mediators_are_folded(tab: Seen) -> None:
    tab.open()
    folded = tab.page.evaluate(
        """async () => {
          const { folded, said } = await import("/static/threads.js");
          const end = (id, kind) => ({ id, label: id, kind });
          const named = (label) => ({ id: label, label });
          const hop = (head, name, tail, forward) => ({ triple: { head, relation: named(name), tail }, forward });
          const [a, m, b, c] = [end("A", "named"), end("_m", "mediator"), end("B", "named"), end("C", "named")];
          const hops = [hop(a, "marriage", m, true), hop(m, "spouse", b, true), hop(c, "knows", b, false)];
          const path = { start: a, hops };
          return [said(path), folded(path).length];
        }"""
    )
    assert folded == ["A —marriage · spouse→ B ←knows— C", 2]


def test_hostile_labels_stay_text(tab: Seen, tmp_path: Path) -> None:
    tab.open("#q=What+was+directed+by+Gilliam%3F&topic=gilliam")
    names = tab.answers()
    assert any("<img" in name for name in names)
    tab.page.locator("details.list summary").click()
    assert tab.page.evaluate("() => window.hacked") is None
    assert tab.page.locator("#view img, #view script, #view a[href^='https://evil']").count() == 0
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name="Save the drawing as SVG").click()
    download.value.save_as(tmp_path / "d.svg")
    drawn = (tmp_path / "d.svg").read_text(encoding="utf-8")
    assert "<img" not in drawn
    assert "&lt;img" in drawn
    tab.open("#entity=evil")
    tab.page.wait_for_selector("#view h1:has-text('ignore all')")
    assert tab.page.evaluate("() => window.hacked") is None
    assert HOSTILE.split()[0] in tab.page.locator("#view h1").inner_text()


def test_why_not_and_two_methods(tab: Seen) -> None:
    tab.open("#q=Who+starred+in+Brazil%3F&topic=brazil&compare=walk")
    tab.page.wait_for_selector(".columns.compare")
    assert tab.page.locator("section[aria-label='By follow']").count() == 1
    assert "by both" in tab.page.locator(".summary-line").inner_text()
    tab.type(tab.page.locator("section[aria-label='Why not'] input"), "Terry Gil")
    tab.page.wait_for_selector("#why-list li")
    tab.page.keyboard.press("ArrowDown")
    tab.page.keyboard.press("Enter")
    tab.page.wait_for_selector("section[aria-label='Why not'] .threads li")
    assert "directed by" in tab.page.locator("section[aria-label='Why not']").inner_text()
    tab.shot("compare")


def test_follow_ups_and_history(tab: Seen) -> None:
    tab.open()
    tab.ask(QUESTION)
    tab.answers()
    tab.page.fill("#question", "And Italy?")
    tab.page.click("#send")
    tab.page.wait_for_selector("#view h1:has-text('What is the capital of Italy?')")
    assert tab.answers() == ["Rome"]
    assert "Italy" in tab.page.url
    tab.page.get_by_role("button", name="History").click()
    entries = tab.page.locator("#history-list a").all_inner_texts()
    assert entries == ["What is the capital of Italy?", QUESTION]
    tab.page.locator("#history-list a", has_text="France").click()
    tab.page.wait_for_selector("#view h1:has-text('France')")
    tab.page.go_back()
    tab.page.wait_for_selector("#view h1:has-text('Italy')")


def test_exports(tab: Seen, tmp_path: Path) -> None:
    tab.open("#q=What+was+directed+by+Gilliam%3F&topic=gilliam")
    tab.answers()
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name="JSON").click()
    download.value.save_as(tmp_path / "a.json")
    answer = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert {c["text"] for c in answer["candidates"]} == {"Brazil", "Time Bandits", HOSTILE}
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name="CSV").click()
    download.value.save_as(tmp_path / "a.csv")
    import csv

    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as handle:
        rows = list(csv.reader(handle))
    assert rows[0] == ["answer", "id", "score", "supported", "thread"]
    assert [row[0] for row in rows[1:]] == [c["text"] for c in answer["candidates"]]


def test_nothing_found_says_what_may_help(tab: Seen) -> None:
    tab.open("#q=Who+painted+the+Mona+Lisa%3F")
    tab.page.wait_for_selector(".empty")
    assert "No answer found" in tab.page.locator(".empty").inner_text()
    tab.shot("nothing")


@pytest.mark.parametrize(
    "view", ["#", "#q=Who+starred+in+Brazil%3F&topic=brazil&compare=walk", "#entity=gilliam", "#q=mona"]
)
def test_axe_finds_nothing_serious(browser: Any, service: Running, view: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    context = browser.new_context(viewport=WIDE, bypass_csp=True, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{service.url}/{view}")
    page.wait_for_selector("#view h1, #view h2")
    for button in page.locator("details summary").all():
        button.click()
    found = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found[scheme] = axe.Axe().run(page).response["violations"]
    serious = [
        (scheme, each["id"], [node["html"][:200] for node in each["nodes"]][:3])
        for scheme, violations in found.items()
        for each in violations
        if each["impact"] in ("serious", "critical")
    ]
    context.close()
    assert serious == []


@pytest.mark.parametrize("view", ["#", "#q=What+was+directed+by+Gilliam%3F&topic=gilliam", "#entity=festival"])
def test_a_phone_needs_no_sideways_scrolling(browser: Any, service: Running, view: str) -> None:
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, reduced_motion="reduce")
    page = context.new_page()
    page.goto(f"{service.url}/{view}")
    page.wait_for_selector("#view h1")
    wide = page.evaluate("() => document.documentElement.scrollWidth")
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"phone-{len(view)}.png", full_page=True)
    context.close()
    assert wide <= PHONE["width"]


def test_the_theme_is_kept(tab: Seen) -> None:
    tab.open("#q=What+is+the+capital+of+France%3F")
    tab.answers()
    before = tab.page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
    tab.page.get_by_role("button", name="Change between light and dark").click()
    after = tab.page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
    assert before != after
    tab.shot("dark")
    tab.page.reload()
    tab.answers()
    assert tab.page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor") == after


def test_a_token_is_asked_for(browser: Any, start: Start) -> None:
    token = "correct horse battery"
    running = start(token=token, warm=False)
    page = browser.new_page()
    page.goto(f"{running.url}/#q=What+is+the+capital+of+France%3F")
    page.wait_for_selector("dialog#token[open]")
    page.fill("#token-value", token)
    page.click("#token button")
    page.wait_for_selector(".answers .name")
    assert page.locator(".answers .name").all_inner_texts() == ["Paris"]
    assert token not in page.url
    page.close()


def test_a_server_that_is_gone_is_said_and_asked_again(browser: Any, tmp_path: Path) -> None:
    """A process that is killed while the page is open, and started again."""
    folder = build_graph(tmp_path / "films.kg")
    command = [sys.executable, "-m", "clew", "serve", str(folder), "--method", "walk", "--set", "encoder.name=hash-256"]
    with ExitStack() as stack:
        process, url = started(stack, [*command, "--port", "0"], tmp_path)
        page = browser.new_page()
        page.goto(url)
        page.wait_for_selector(".start h1")
        process.kill()
        process.wait()
        page.fill("#question", "Who directed Time Bandits?")
        page.keyboard.press("Escape")
        page.click("#send")
        page.wait_for_selector("#banner:has-text('does not answer')")
        SHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SHOTS / "gone.png")
        started(stack, [*command, "--port", str(urlsplit(url).port)], tmp_path)
        page.get_by_role("button", name="Try again").click()
        page.wait_for_selector("#view h1:has-text('Time Bandits')", timeout=60_000)
        assert not page.locator("#banner").is_visible()
        page.close()
