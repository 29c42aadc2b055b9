// Completion of entity names while somebody types: a combobox as ARIA describes it.
import { complete } from "./server.js";
import { count, fill, h, oneLine } from "./dom.js";

const WAIT = 130; // ms of quiet before the server is asked
const WORDS = 4; // of a name that is looked for before the caret
const COMMON = new Set("a an and are by did do does for from has have how in is it its many much of on or the their there they to was were what when where which who whom whose why with".split(" "));

/** The parts of the text before the caret that may be the beginning of a name, the longest first. */
export function beginnings(text, caret) {
  const before = text.slice(0, caret);
  const words = [...before.matchAll(/[^\s?!,;:]+/gu)].slice(-WORDS);
  const last = words.at(-1);
  if (!last || last.index + last[0].length !== caret || last[0].length < 2) return [];
  return words
    .map((word) => ({ start: word.index, text: before.slice(word.index) }))
    .filter(({ text: part }) => !COMMON.has(part.split(/\s/u)[0].toLowerCase()));
}

/**
 * Attach completion to an input and its list.
 * whole: the whole input is one name; else names inside a sentence. onPick(entity, start): what is done with a choice.
 */
export function suggest(input, list, { graph, whole = false, onPick }) {
  let found = [];
  let at = -1;
  let timer = 0;
  let asking = null;

  const close = () => {
    list.hidden = true;
    found = [];
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const mark = (index) => {
    at = index;
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    if (at >= 0) {
      input.setAttribute("aria-activedescendant", list.children[at].id);
      list.children[at].scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  };
  const pick = (index) => {
    const { entity, start } = found[index];
    close();
    onPick(entity, start);
  };
  const show = (entities, start) => {
    found = entities.map((each) => ({ entity: each.entity, start }));
    fill(list, entities.map((each, i) => h("li", {
      id: `${list.id}-${i}`, role: "option", "aria-selected": "false",
      onpointerdown: (event) => { event.preventDefault(); pick(i); },
    }, h("span", {}, oneLine(each.entity.label, 90)), h("small", {}, oneLine(each.description ?? hint(each, entities), 60)))));
    list.hidden = found.length === 0;
    at = -1;
    input.setAttribute("aria-expanded", String(found.length > 0));
    input.removeAttribute("aria-activedescendant");
  };
  const look = async () => {
    asking?.abort();
    asking = new AbortController();
    const parts = whole ? [{ start: 0, text: input.value.trim() }].filter(({ text }) => text) : beginnings(input.value, input.selectionStart);
    try {
      for (const part of parts) {
        const reply = await complete(part.text, graph(), 8, asking.signal);
        const good = whole ? reply.entities : reply.entities.filter((each) => each.score === 1);
        if (good.length) return show(good, part.start);
      }
      close();
    } catch {
      close(); // completion is a convenience: asking says what is wrong
    }
  };
  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(look, WAIT); });
  input.addEventListener("blur", () => { clearTimeout(timer); asking?.abort(); close(); });
  input.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown") { mark((at + 1) % found.length); event.preventDefault(); }
    else if (event.key === "ArrowUp") { mark((at - 1 + found.length) % found.length); event.preventDefault(); }
    else if ((event.key === "Enter" || event.key === "Tab") && at >= 0) { pick(at); event.preventDefault(); event.stopImmediatePropagation(); }
    else if (event.key === "Escape") { close(); event.stopPropagation(); }
  });
  return { close: () => { clearTimeout(timer); asking?.abort(); close(); } };
}

/** What tells an entity from its namesakes. */
function hint(each, all) {
  const shared = all.filter((other) => other.entity.label === each.entity.label).length > 1;
  return shared ? each.entity.id : each.degree !== null ? `${count(each.degree)} facts` : "";
}
