// The view of an answer: topics to correct, answers with their threads, the drawing, the plan, why not.
import { count, fill, h, oneLine, percent, plural, save } from "./dom.js";
import { draw, keysOf, ofAnswer } from "./drawing.js";
import { post } from "./server.js";
import { suggest } from "./suggest.js";
import { folded, named, said } from "./threads.js";

const FIRST = 20; // answers asked for at first

/** A thread in words, its entities as links to themselves. */
export function thread(path, page) {
  const link = (entity) => entity.kind === "named" ? h("a", { href: page.href({ entity: entity.id }) }, oneLine(entity.label, 120)) : oneLine(entity.kind === "mediator" ? "·" : entity.label, 120);
  const parts = [link(path.start)];
  for (const step of folded(path)) {
    const text = step.forward ? ` —${named(step)}→ ` : ` ←${named(step)}— `;
    parts.push(h("span", { class: `rel h${Math.min(4, step.hop)}` }, oneLine(text, 120).replace(/^|$/g, " ")), link(step.to));
  }
  return parts;
}

/** A share of one as a bar; its number stands beside it. */
function bar(share) {
  const full = h("span", {});
  full.style.width = `${Math.round(100 * Math.min(1, Math.max(0, share)))}%`;
  return h("span", { class: "bar", "aria-hidden": "true" }, full);
}

function answers(answer, page, onFocus, other) {
  const same = other ? new Set(other.candidates.map((candidate) => candidate.entity?.id ?? candidate.text)) : null;
  return h("ol", { class: "answers" }, answer.candidates.map((candidate) => {
    const paths = candidate.paths.map((position) => answer.evidence.paths[position]);
    const entity = candidate.entity;
    const name = oneLine(candidate.text);
    return h("li", {
      onpointerenter: () => onFocus?.(keysOf(paths)), onpointerleave: () => onFocus?.(null),
      onfocusin: () => onFocus?.(keysOf(paths)), onfocusout: () => onFocus?.(null),
    },
    h("div", { class: "answer-line" },
      entity && entity.kind === "named" ? h("a", { class: "name", href: page.href({ entity: entity.id }) }, name) : h("span", { class: "name" }, name),
      h("span", { class: "chance" },
        candidate.computed ? h("span", { class: "tag" }, "computed") : !candidate.supported && h("span", { class: "tag warn" }, "not in the graph"),
        same && same.has(entity?.id ?? candidate.text) && h("span", { class: "tag good" }, "both"),
        bar(candidate.score),
        h("span", { title: `score ${candidate.score}` }, percent(candidate.score)))),
    h("ul", { class: "threads" }, paths.map((path) => h("li", {}, thread(path, page)))));
  }));
}

function column(answer, page, onFocus, other, title) {
  const shown = answer.candidates.length;
  const more = answer.total > shown && h("button", { type: "button", class: "quiet small", onclick: () => page.ask({ limit: Math.min(500, shown * 5) }) }, `Show more of ${count(answer.total)}`);
  if (answer.state === "abstained") return nothing(answer, page, title);
  return h("section", { class: "card", "aria-label": title },
    h("header", {}, h("h2", {}, title), h("p", { class: "hint" }, plural(answer.total, "answer"))),
    answers(answer, page, onFocus, other), more,
    answer.reply && h("p", { class: "note" }, `In the model's words: ${oneLine(answer.reply, 1000)}`),
    answer.note && h("p", { class: "note" }, oneLine(answer.note, 600)));
}

function nothing(answer, page, title) {
  const topics = answer.topics.length > 0;
  return h("section", { class: "card empty", "aria-label": title },
    h("h2", {}, "No answer found"),
    h("p", { class: "note" }, oneLine(answer.note || "The graph does not hold one, as far as the method can tell.", 600)),
    h("p", {}, "What may help:"),
    h("ul", {},
      h("li", {}, topics ? "Look at the topics above: is the right entity among them? Pick another, or add one." : "Name an entity of the graph: type the beginning of its name and choose it, or add it as a topic above."),
      h("li", {}, "Choose another method, or compare two."),
      topics && h("li", {}, "See what the graph knows about ", answer.topics.slice(0, 3).map((topic, i) => [i ? ", " : "", h("a", { href: page.href({ entity: topic.entity.id }) }, oneLine(topic.entity.label, 80))]), ".")));
}

/** The topics as chips: pick a namesake, remove, add; each change asks again. */
function chips(answer, page) {
  const ids = answer.topics.map((topic) => topic.entity.id);
  const again = (topics) => page.ask({ topics: [...new Set(topics)] });
  const list = h("ul", { class: "chips", "aria-label": "Topics" }, h("li", { class: "word" }, ids.length ? "About" : "About nothing in the graph yet"));
  let open = null;
  const close = () => { open?.remove(); open = null; };
  const picker = (chip, label, onPick, namesakes) => {
    close();
    const id = `pick-${Math.random().toString(36).slice(2)}`;
    const input = h("input", { type: "text", "aria-label": label, placeholder: "Another entity…", role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id });
    const found = h("ul", { id, class: "suggestions", role: "listbox", "aria-label": "Entities", hidden: true });
    const same = h("ul", { class: "suggestions", "aria-label": "Of the same name" });
    open = h("div", { class: "picker", onkeydown: (event) => { if (event.key === "Escape") { close(); chip.querySelector("button").focus(); } } }, h("div", {}, input, found), same);
    chip.append(open);
    input.focus();
    suggest(input, found, { graph: () => answer.graph, whole: true, onPick: (entity) => { close(); onPick(entity.id); } });
    namesakes?.().then((entities) => fill(same, entities.map((entity) => h("li", {}, h("button", { type: "button", class: "link", onclick: () => { close(); onPick(entity.id); } }, oneLine(entity.label, 80)), h("small", {}, oneLine(entity.id, 60))))), () => {});
  };
  answer.topics.forEach((topic, i) => {
    const label = oneLine(topic.entity.label, 80);
    const chip = h("li", { class: "chip" });
    const others = async () => {
      const linked = await post("/v1/link", { question: answer.asked, graph: answer.graph });
      const kept = linked.candidates.filter((each) => !ids.includes(each.entity.id) && each.entity.kind === "named");
      return [...kept.filter((each) => each.mention === topic.mention), ...kept.filter((each) => each.mention !== topic.mention)].slice(0, 8).map((each) => each.entity);
    };
    chip.append(
      h("button", { type: "button", "aria-haspopup": "true", title: `${topic.reason} (${percent(topic.score)}): ${topic.entity.id}`, "aria-label": `Topic ${label}, found because: ${topic.reason}. Choose another.`,
        onclick: () => picker(chip, `Instead of ${label}`, (id) => again(ids.map((mine, at) => at === i ? id : mine)), others) }, label, " ▾"));
    if (ids.length > 1) chip.append(
      h("button", { type: "button", "aria-label": `Remove the topic ${label}`, onclick: () => again(ids.filter((mine, at) => at !== i)) }, "×"));
    list.append(chip);
  });
  const add = h("li", { class: "chip" });
  add.append(h("button", { type: "button", "aria-haspopup": "true", onclick: () => picker(add, "Add a topic", (id) => again([...ids, id])) }, "+ add a topic"));
  list.append(add);
  document.addEventListener("pointerdown", (event) => { if (open && !open.parentElement?.contains(event.target)) close(); });
  return list;
}

/** What two methods have in common. */
function agreement(answer, other) {
  const names = (each) => new Set(each.candidates.map((candidate) => candidate.entity?.id ?? candidate.text));
  const [mine, theirs] = [names(answer), names(other)];
  const both = [...mine].filter((name) => theirs.has(name)).length;
  return h("p", { class: "summary-line" }, `${plural(both, "answer")} by both, ${mine.size - both} by ${answer.method} alone, ${theirs.size - both} by ${other.method} alone.`);
}

function plan(answer) {
  if (!answer.plan) return null;
  const copied = h("span", { class: "hint", role: "status" });
  const copy = async () => { await navigator.clipboard.writeText(answer.plan.sparql); copied.textContent = "copied"; };
  return h("section", { class: "card", "aria-label": "Plan" },
    h("header", {}, h("h2", {}, "The plan in words"), h("p", { class: "hint" }, answer.plan.source === "method" ? "as it was carried out" : "read off the best answer's thread")),
    h("ol", { class: "steps" }, answer.plan.words.map((line) => h("li", {}, oneLine(line, 400)))),
    answer.plan.text && h("details", {}, h("summary", {}, "On one line, for clew query"), h("pre", { tabindex: "0" }, answer.plan.text)),
    answer.plan.sparql && h("details", {}, h("summary", {}, "As SPARQL"), h("pre", { tabindex: "0" }, answer.plan.sparql), h("button", { type: "button", class: "quiet small", onclick: copy }, "Copy"), " ", copied));
}

function whyNot(answer, page) {
  const input = h("input", { type: "text", "aria-label": "The entity you expected", placeholder: "The entity you expected…", role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "why-list" });
  const list = h("ul", { id: "why-list", class: "suggestions", role: "listbox", "aria-label": "Entities", hidden: true });
  const out = h("div", { "aria-live": "polite" });
  let chosen = null;
  const completion = suggest(input, list, { graph: () => answer.graph, whole: true, onPick: (entity) => { chosen = entity.id; input.value = entity.label; look(); } });
  input.addEventListener("input", () => { chosen = null; });
  async function look() {
    completion.close();
    const wanted = chosen ?? input.value.trim();
    if (!wanted) return;
    fill(out, h("p", { class: "hint" }, "Looking…"));
    try {
      const found = await post("/v1/why-not", { question: answer.asked, graph: answer.graph, method: answer.method, topics: page.topics(), entity: wanted });
      fill(out,
        h("p", {}, h("strong", {}, oneLine(found.entity.label, 100)), ": ", oneLine(found.reason, 500), "."),
        found.followed && found.rank === null && h("p", { class: "hint" }, `Followed: ${oneLine(found.followed, 400)}`),
        found.paths.length > 0 && h("ul", { class: "threads" }, found.paths.map((near) => h("li", {}, thread(found.evidence.paths[near.path], page),
          near.differs && h("span", { class: "hint" }, ` — ${oneLine(near.differs, 200)}${near.likeness === null ? "" : `, likeness ${near.likeness.toFixed(2)}`}`)))));
    } catch (error) {
      fill(out, h("p", { class: "note" }, error.message));
    }
  }
  return h("section", { class: "card", "aria-label": "Why not" },
    h("header", {}, h("h2", {}, "Why not…?"), h("p", { class: "hint" }, "the nearest path, and where it fell behind")),
    h("form", { class: "row", onsubmit: (event) => { event.preventDefault(); look(); } }, input, h("button", { class: "quiet" }, "Why not?"), list), out);
}

function csv(answer) {
  // A cell that begins like a formula would be one in a spreadsheet.
  const cell = (value) => { const text = String(value ?? ""); return `"${(/^[=+\-@\t\r]/.test(text) ? "'" : "") + text.replaceAll('"', '""')}"`; };
  const rows = [["answer", "id", "score", "supported", "thread"]];
  for (const candidate of answer.candidates) {
    const threads = candidate.paths.map((position) => said(answer.evidence.paths[position]));
    for (const text of threads.length ? threads : [""]) rows.push([candidate.text, candidate.entity?.id, candidate.score, candidate.supported, text]);
  }
  return rows.map((row) => row.map(cell).join(",")).join("\r\n");
}

/** Show an answer, or two side by side. Returns what must be let go when the view changes. */
export function showAnswer(view, answer, other, page) {
  let drawing = null;
  const focus = (keys) => drawing?.focus(keys);
  const card = h("section", { class: "card drawing-card", "aria-label": "Drawing" });
  const drawable = answer.evidence.paths.length > 0;
  const link = h("button", { type: "button", class: "quiet small", onclick: async () => { await navigator.clipboard.writeText(location.href); link.textContent = "Link copied"; } }, "Copy link");
  fill(view,
    h("div", { class: "answer-head" }, h("h1", { tabindex: "-1" }, oneLine(answer.asked, 400)), h("div", { class: "tools" }, link,
      h("button", { type: "button", class: "quiet small", onclick: () => save(new Blob([JSON.stringify(answer, null, 1)], { type: "application/json" }), "clew.json") }, "JSON"),
      h("button", { type: "button", class: "quiet small", onclick: () => save(new Blob([csv(answer)], { type: "text/csv" }), "clew.csv") }, "CSV"))),
    chips(answer, page),
    other && agreement(answer, other),
    h("div", { class: other ? "columns compare" : "columns" },
      column(answer, page, focus, other, other ? `By ${answer.method}` : "Answers"),
      other && column(other, page, null, answer, `By ${other.method}`),
      drawable && card,
      h("div", { class: "lower" }, plan(answer), whyNot(answer, page))),
    h("p", { class: "hint made" }, [`Method ${answer.method}`, `graph ${answer.version}`,
      Object.keys(answer.seconds).length ? `${Math.round(1000 * Object.values(answer.seconds).reduce((sum, s) => sum + s, 0))} ms` : null,
      answer.usage.calls ? `${answer.usage.calls} calls of a language model, ${count(answer.usage.prompt_tokens + answer.usage.completion_tokens)} tokens` : null].filter(Boolean).join(" · ")));
  if (drawable) drawing = draw(card, ofAnswer(answer), (entity) => [
    entity.kind === "named" && h("a", { href: page.href({ entity: entity.id }) }, "Browse")]);
  return drawing;
}

export { FIRST };
