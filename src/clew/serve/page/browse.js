// The view of one entity: what the graph says about it, in pages, and its surroundings drawn.
import { count, fill, h, oneLine } from "./dom.js";
import { draw, ofEntity } from "./drawing.js";
import { entity as fetchEntity } from "./server.js";

const PAGE = 40;

/** Show an entity. Returns its drawing. */
export async function showEntity(view, id, page) {
  const first = await fetchEntity(id, page.graph(), { limit: PAGE });
  const me = first.entity;
  const table = h("tbody", {});
  const more = h("div", {});
  const facets = h("ul", { class: "facets", "aria-label": "Relations" });
  const link = (entity) => entity.id !== me.id && entity.kind !== "literal" ? h("a", { href: page.href({ entity: entity.id }) }, oneLine(entity.label, 160)) : oneLine(entity.label, 300);
  const row = (triple) => h("tr", {}, h("td", {}, link(triple.head)), h("td", {}, oneLine(triple.relation.label, 120)), h("td", {}, link(triple.tail)));
  let chosen = {};

  function put(found) {
    table.append(...found.triples.map(row));
    fill(more, found.next !== null && h("button", { type: "button", class: "quiet small", onclick: async () => {
      try { put(await fetchEntity(me.id, page.graph(), { ...chosen, offset: found.next, limit: PAGE })); } catch (error) { page.failed(error); }
    } }, `Show more: ${count(found.total - found.next)} left`));
  }
  async function choose(filter, button) {
    chosen = filter;
    facets.querySelectorAll("button").forEach((each) => each.setAttribute("aria-pressed", String(each === button)));
    try {
      const found = await fetchEntity(me.id, page.graph(), { ...filter, limit: PAGE });
      fill(table);
      put(found);
    } catch (error) { page.failed(error); }
  }
  const facet = (text, filter, on = false) => {
    const button = h("button", { type: "button", class: "quiet small", "aria-pressed": String(on), onclick: () => choose(filter, button) }, text);
    return h("li", {}, button);
  };
  const relations = [...first.relations].sort((a, b) => b.triples - a.triples);
  fill(facets, facet(`all ${count(first.total)}`, {}, true), relations.slice(0, 24).map((each) =>
    facet(`${each.direction === "in" ? "← " : ""}${oneLine(each.relation.label, 50)} ${count(each.triples)}`, { relation: each.relation.id, direction: each.direction })));
  put(first);

  const card = h("section", { class: "card drawing-card", "aria-label": "Drawing" });
  fill(view,
    h("div", { class: "answer-head" },
      h("div", {}, h("h1", { tabindex: "-1" }, oneLine(me.label, 300)),
        first.description && h("p", {}, oneLine(first.description, 400)),
        h("p", { class: "hint" }, oneLine(me.id, 300)),
        first.aliases.length > 0 && h("p", { class: "hint" }, `also called ${first.aliases.map((alias) => oneLine(alias, 60)).join(", ")}`)),
      h("div", { class: "tools" }, h("button", { type: "button", class: "quiet small", onclick: () => page.askAbout(me) }, "Ask about this"))),
    h("div", { class: "columns" },
      h("section", { class: "card", "aria-label": "Facts" },
        h("header", {}, h("h2", {}, "What the graph says"), h("p", { class: "hint" }, `${count(first.total)} facts`)), facets,
        h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, ["from", "relation", "to"].map((text) => h("th", { scope: "col" }, text)))), table)), more),
      first.triples.length > 0 && card));
  if (!first.triples.length) return null;
  return draw(card, ofEntity({ ...first, triples: first.triples.slice(0, 20) }), (entity) => [
    entity.kind === "named" && h("a", { href: page.href({ entity: entity.id }) }, "Browse")]);
}
