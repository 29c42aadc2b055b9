// The page: what the address asks for is shown, what the reader does becomes an address.
import { FIRST, showAnswer } from "./answer.js";
import { showEntity } from "./browse.js";
import { $, count, fill, h, oneLine, plural } from "./dom.js";
import { Problem, ask, entity, get, keepToken } from "./server.js";
import { suggest } from "./suggest.js";

const HISTORY = "clew-history";
const KEPT = 50;
const TURNS = 4; // earlier questions that a follow-up may refer to

const state = { graphs: [], methods: [], turns: [], drawing: null, asking: null, shown: "", limit: FIRST };

/** What the address asks for. */
function wanted() {
  const values = new URLSearchParams(location.hash.slice(1));
  return {
    graph: values.get("graph"), question: values.get("q"), method: values.get("method"), compare: values.get("compare"),
    topics: values.getAll("topic"), entity: values.get("entity"), limit: Number(values.get("limit")) || FIRST,
  };
}

function address({ graph = currentGraph(), question, method, compare, topics = [], entity: id, limit }) {
  const values = new URLSearchParams();
  if (graph) values.set("graph", graph);
  if (question) values.set("q", question);
  if (method) values.set("method", method);
  if (compare) values.set("compare", compare);
  for (const topic of topics) values.append("topic", topic);
  if (id) values.set("entity", id);
  if (limit && limit !== FIRST) values.set("limit", limit);
  return `#${values}`;
}

const currentGraph = () => $("graph").value || state.graphs[0];

/** What the views may do with the page. */
const page = {
  graph: currentGraph,
  href: (values) => address(values),
  topics: () => wanted().topics,
  ask: (changes) => go({ ...asked(), ...changes }),
  askAbout: (about) => {
    $("question").value = `What … ${about.label}?`;
    $("question").focus();
    $("question").setSelectionRange(5, 6);
  },
  failed,
};

function asked() {
  const now = wanted();
  return { question: now.question ?? $("question").value.trim(), method: now.method, compare: now.compare, topics: now.topics, limit: now.limit };
}

function go(values) {
  const next = address(values);
  if (next === location.hash) render();
  else location.hash = next;
}

// -- showing -----------------------------------------------------------------------------------------------------

async function render() {
  const now = wanted();
  state.asking?.abort();
  const mine = state.asking = new AbortController();
  $("banner").hidden = true;
  if (now.graph && now.graph !== currentGraph() && state.graphs.includes(now.graph)) await choose(now.graph);
  $("method").value = now.method ?? "";
  $("compare").value = now.compare ?? "";
  document.body.classList.toggle("fresh", !now.question && !now.entity);
  letGo();
  try {
    if (now.entity) await browse(now.entity);
    else if (now.question) await answer(now, mine.signal);
    else await begin();
  } catch (error) {
    if (error.name !== "AbortError" && mine === state.asking) failed(error);
  }
}

function letGo() {
  state.drawing?.destroy();
  state.drawing = null;
  fill($("view"));
  fill($("status"));
}

async function browse(id) {
  stages("linking", ["Looking it up"]);
  const found = await showEntity($("view"), id, page);
  fill($("status"));
  state.drawing = found;
  document.title = `${$("view").querySelector("h1").textContent} – clew`;
  $("view").querySelector("h1").focus({ preventScroll: true });
}

async function answer(now, signal) {
  $("question").value = now.question;
  following();
  const body = { question: now.question, graph: currentGraph(), topics: now.topics, limit: now.limit, history: now.topics.length ? [] : state.turns };
  const heard = stages("linking");
  const ours = ask(now.method ? { ...body, method: now.method } : body, heard, signal);
  const theirs = now.compare && now.compare !== now.method ? ask({ ...body, method: now.compare }, () => {}, signal) : null;
  const found = await ours;
  const other = theirs ? await theirs.catch((error) => { if (error.name === "AbortError") throw error; failed(error); return null; }) : null;
  fill($("status"), h("span", { class: "quietly" }, found.state === "abstained" ? "No answer found." : `${plural(found.total, "answer")}. The best: ${oneLine(found.candidates[0].text, 100)}.`));
  state.drawing = showAnswer($("view"), found, other, page);
  document.title = `${oneLine(found.asked, 60)} – clew`;
  remember(found);
  if (found.asked !== found.question && found.topics.length) {
    // The address says what was understood, so that it shows the same without what went before.
    history.replaceState(null, "", address({ ...asked(), question: found.asked, topics: now.topics }));
  }
  following();
  $("view").querySelector("h1").focus({ preventScroll: true });
}

/** Says how far an answer has come. */
function stages(first, names = ["Finding the topics", "Searching the graph", "Gathering evidence"]) {
  const order = ["linking", "search", "evidence"];
  const items = names.map((name) => h("span", { class: "stage" }, name));
  items[order.indexOf(first)]?.classList.add("now");
  fill($("status"), items);
  return (name, data) => {
    const at = order.indexOf(name);
    items.forEach((item, i) => { item.classList.toggle("done", i <= at); item.classList.toggle("now", i === at + 1); });
    if (name === "linking" && data.topics.length) items[0].textContent = `About ${data.topics.slice(0, 3).map((topic) => oneLine(topic.entity.label, 40)).join(", ")}`;
  };
}

async function begin() {
  document.title = "clew";
  const graph = currentGraph();
  const list = h("ul", { class: "examples", "aria-label": "Examples" });
  fill($("view"), h("div", { class: "start" }, h("h1", {}, "What would you like to know?"),
    h("p", {}, "Every answer comes with the thread through the graph that leads to it."), list));
  const info = await get("/v1/graph", { graph });
  fill($("about"), `${info.name}: ${count(info.triples ?? 0)} facts about ${count(info.entities ?? 0)} entities`);
  const shown = await Promise.all(info.examples.map((name, i) => example(name, graph, i).catch(() => null)));
  fill(list, [...new Set(shown.filter(Boolean))].slice(0, 4).map((text) => h("li", {}, h("button", { type: "button", onclick: () => start(text) }, text))));
}

/** A question that the graph can answer, from a relation of one of its entities. */
async function example(name, graph, turn) {
  const found = await entity(name, graph, { direction: "out", limit: 60 });
  const single = new Set(found.relations.filter((each) => each.direction === "out" && each.triples === 1).map((each) => each.relation.id));
  const fit = found.triples.filter((each) => each.tail.kind === "named" && single.has(each.relation.id) && !/type|label|name/i.test(each.relation.label));
  if (!fit.length) return null;
  const relation = oneLine(fit[turn % fit.length].relation.label.replaceAll("_", " "), 60);
  const about = oneLine(found.entity.label, 60);
  if (/ by$/i.test(relation)) return `Who was ${about} ${relation}?`;
  if (/ in$/i.test(relation)) return `What is ${about} ${relation}?`;
  return `What is the ${relation} of ${about}?`;
}

// -- asking ------------------------------------------------------------------------------------------------------

function start(text) {
  $("question").value = text;
  completion.close();
  go({ question: text, method: $("method").value, compare: $("compare").value });
}

$("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("question").value.trim();
  if (!text) return $("question").focus();
  start(text);
});
for (const id of ["method", "compare"]) {
  $(id).addEventListener("change", () => { if (wanted().question) page.ask({ method: $("method").value, compare: $("compare").value }); });
}
$("home").addEventListener("click", () => { state.turns = []; $("question").value = ""; following(); });

const completion = suggest($("question"), $("question-list"), {
  graph: currentGraph,
  onPick: (chosen, from) => {
    const input = $("question");
    const rest = input.value.slice(input.selectionStart);
    input.value = input.value.slice(0, from) + chosen.label + (rest || " ");
    const caret = from + chosen.label.length + (rest ? 0 : 1);
    input.setSelectionRange(caret, caret);
  },
});

// -- what was said before ----------------------------------------------------------------------------------------

function remember(found) {
  const turn = {
    question: found.asked, topics: [...new Set(found.topics.map((topic) => topic.entity.id))].slice(0, 5),
    answers: found.candidates.slice(0, 5).map((candidate) => candidate.entity?.id).filter(Boolean),
  };
  state.turns = [...state.turns.filter((each) => each.question !== turn.question), turn].slice(-TURNS);
  const line = { at: location.hash, question: found.asked, graph: found.graph, method: found.method, best: oneLine(found.candidates[0]?.text ?? "no answer", 80) };
  const kept = [line, ...past().filter((each) => each.question !== line.question || each.graph !== line.graph)].slice(0, KEPT);
  try { localStorage.setItem(HISTORY, JSON.stringify(kept)); } catch { /* a full or closed store: the page works without */ }
}

function past() {
  try {
    const kept = JSON.parse(localStorage.getItem(HISTORY) ?? "[]");
    return Array.isArray(kept) ? kept.filter((each) => typeof each?.at === "string" && each.at.startsWith("#")) : [];
  } catch { return []; }
}

function following() {
  const last = state.turns.at(-1);
  $("thread").hidden = !last;
  if (last) fill($("thread"), "You may go on: “it”, “they”, “and …?” ", h("button", { type: "button", class: "link", onclick: () => { state.turns = []; following(); } }, "start afresh"));
}

$("open-history").addEventListener("click", () => {
  const kept = past();
  fill($("history-list"), kept.length ? kept.map((each) => h("li", {}, h("a", { href: each.at, onclick: () => $("history").close() }, oneLine(each.question, 200)), h("br"), h("span", { class: "hint" }, `${each.best} · ${each.method} · ${each.graph}`))) : h("li", {}, "Nothing yet."));
  $("history").showModal();
});
$("history-clear").addEventListener("click", () => { localStorage.removeItem(HISTORY); $("history").close(); });

// -- what may be wrong -------------------------------------------------------------------------------------------

function failed(error) {
  fill($("status"));
  if (!(error instanceof Problem)) console.error(error);
  if (error.status === 401) return $("token").open || $("token").showModal();
  const text = error instanceof Problem ? error.message : "Something went wrong in this page.";
  $("banner").hidden = false;
  fill($("banner"), h("span", {}, error.status === 0 ? `${text} Is it still running?` : text),
    h("button", { type: "button", class: "quiet small", onclick: () => { $("banner").hidden = true; state.graphs.length ? render() : open(); } }, "Try again"));
}

$("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  keepToken($("token-value").value.trim());
  $("token").close();
  open();
});

// -- beginning ---------------------------------------------------------------------------------------------------

async function choose(graph) {
  $("graph").value = graph;
  state.methods = (await get("/v1/methods", { graph })).methods;
  const ready = state.methods.filter((method) => method.ready);
  const chosen = ready.find((method) => method.default);
  const option = (method) => h("option", { value: method.name, title: method.summary }, method.name);
  fill($("method"), h("option", { value: "" }, chosen ? `${chosen.name} (the graph's own)` : "the graph's own"), ready.filter((m) => m !== chosen).map(option));
  fill($("compare"), h("option", { value: "" }, "nothing"), ready.map(option));
}

async function open() {
  try {
    const known = await get("/v1/graphs");
    state.graphs = known.graphs;
    fill($("graph"), known.graphs.map((name) => h("option", { value: name }, name)));
    $("graph-choice").hidden = known.graphs.length < 2;
    const now = wanted();
    await choose(now.graph && known.graphs.includes(now.graph) ? now.graph : known.default);
    await render();
    if (!now.question && !now.entity) $("question").focus({ preventScroll: true });
  } catch (error) { failed(error); }
}

$("graph").addEventListener("change", async () => {
  state.turns = [];
  try { await choose($("graph").value); } catch (error) { return failed(error); }
  go({});
});
$("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("clew-theme", dark ? "light" : "dark");
  state.drawing?.restyle();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => state.drawing?.restyle());
addEventListener("hashchange", render);
open();
