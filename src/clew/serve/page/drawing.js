// The evidence as a graph: pan, zoom, expand, hop colours. cytoscape draws; where things stand is decided here.
/* global cytoscape */
import { entity as fetchEntity } from "./server.js";
import { count, fill, h, oneLine, save } from "./dom.js";
import { folded, named } from "./threads.js";

const COLUMN = 190;
const ROW = 40;
const TALL = 16; // nodes of one column before it is broken in two
const MORE = 12; // neighbours that one click adds
const LARGE = 250; // edges above which motion goes before beauty
const READABLE = .8; // zoom from which the relations of a large drawing are named: measuring a thousand texts takes seconds

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function look(large) {
  const ink = colour("--ink");
  const hops = [1, 2, 3, 4].map((hop) => ({
    selector: `node[hop = ${hop}]`, style: { "border-color": colour(`--hop${hop}`) },
  }));
  const lines = [1, 2, 3, 4].map((hop) => ({
    selector: `edge[hop = ${hop}]`,
    style: { "line-color": colour(`--hop${hop}`), "target-arrow-color": colour(`--hop${hop}`), color: colour(`--hop${hop}`) },
  }));
  return [
    { selector: "node", style: {
      label: "data(name)", "font-size": 12, "font-family": "system-ui, sans-serif", color: ink, "text-wrap": large ? "ellipsis" : "wrap",
      "text-max-width": 130, "text-valign": "bottom", "text-margin-y": 4, width: 20, height: 20,
      "background-color": colour("--card"), "border-width": 3, "border-color": colour("--soft"),
      "text-background-color": colour("--paper"), "text-background-opacity": .8, "text-background-padding": 1,
      "min-zoomed-font-size": large ? 7 : 0 } },
    ...hops,
    { selector: "node.extra", style: { "border-style": "dashed", "border-width": 2, "border-color": colour("--soft"), width: 15, height: 15 } },
    { selector: "node.topic", style: { "background-color": colour("--hop0"), "border-color": colour("--hop0"), width: 26, height: 26, "font-weight": 600 } },
    { selector: "node.answer", style: { "background-color": colour("--accent"), "border-color": colour("--accent"), width: 26, height: 26, "font-weight": 600 } },
    { selector: "node.right", style: { "text-halign": "right", "text-valign": "center", "text-margin-x": 6, "text-margin-y": 0, "text-max-width": 170 } },
    { selector: "node.left", style: { "text-halign": "left", "text-valign": "center", "text-margin-x": -6, "text-margin-y": 0 } },
    { selector: "node.literal", style: { shape: "round-rectangle" } },
    { selector: "node:selected", style: { "overlay-color": colour("--focus"), "overlay-opacity": .22, "overlay-padding": 6 } },
    { selector: "edge", style: {
      label: large ? "" : "data(name)", "font-size": 10.5, "font-family": "system-ui, sans-serif", color: colour("--soft"),
      width: 1.8, "line-color": colour("--line"), "target-arrow-color": colour("--line"), "target-arrow-shape": "triangle",
      "arrow-scale": .9, "curve-style": large ? "haystack" : "bezier", "text-rotation": "autorotate",
      "text-background-color": colour("--paper"), "text-background-opacity": .88, "text-background-padding": 2,
      "text-max-width": 150, "text-wrap": "ellipsis", "min-zoomed-font-size": large ? 9 : 7 } },
    { selector: "edge.named", style: { label: "data(name)" } },
    ...lines,
    { selector: "edge.extra", style: { "line-style": "dashed", width: 1.2, "line-color": colour("--soft"), "target-arrow-color": colour("--soft"), "line-opacity": .6, color: colour("--soft") } },
    { selector: ".faint", style: { opacity: .18 } },
  ];
}

/** Nodes and edges of an answer; hop of a node: how far it is from its topic. */
function elements(answer) {
  const nodes = new Map();
  const edges = new Map();
  const put = (entity, hop) => {
    const known = nodes.get(entity.id);
    if (!known) nodes.set(entity.id, { entity, hop });
    else known.hop = Math.min(known.hop, hop);
  };
  const topics = new Set(answer.topics.map((topic) => topic.entity.id));
  const answers = new Set(answer.candidates.map((candidate) => candidate.entity?.id));
  for (const path of answer.evidence.paths) {
    topics.add(path.start.id);
    put(path.start, 0);
    for (const step of folded(path)) {
      put(step.to, step.hop);
      const [source, target] = step.forward ? [step.from, step.to] : [step.to, step.from];
      const key = JSON.stringify([source.id, named(step), target.id]);
      if (!edges.has(key)) edges.set(key, { source: source.id, target: target.id, name: named(step), hop: step.hop });
    }
  }
  for (const topic of answer.topics) if (answer.evidence.paths.length === 0) put(topic.entity, 0);
  return { nodes, edges, topics, answers };
}

/** Columns by hop, stretched to the shape of the box; in each, a node stands at the middle of what it leads to. */
function places(nodes, edges, shape) {
  const levels = [];
  for (const [id, node] of nodes) (levels[Math.min(node.hop, 8)] ??= []).push(id);
  const columns = levels.filter(Boolean);
  const near = new Map([...nodes.keys()].map((id) => [id, []]));
  for (const edge of edges.values()) { near.get(edge.source)?.push(edge.target); near.get(edge.target)?.push(edge.source); }
  const order = new Map();
  for (const ids of columns) ids.forEach((id, i) => order.set(id, i / Math.max(1, ids.length - 1)));
  for (let round = 0; round < 6; round++) {
    for (const ids of round % 2 ? [...columns].reverse() : columns) { // there and back, as lines cross least then
      const weight = new Map(ids.map((id) => [id, mean(near.get(id).map((other) => order.get(other))) ?? order.get(id)]));
      ids.sort((a, b) => weight.get(a) - weight.get(b));
      ids.forEach((id, i) => order.set(id, ids.length > 1 ? i / (ids.length - 1) : .5));
    }
  }
  const folds = columns.map((ids) => Math.ceil(ids.length / Math.max(TALL, Math.ceil(Math.sqrt(ids.length) * 1.8))));
  const rows = Math.max(...columns.map((ids, i) => Math.ceil(ids.length / folds[i])));
  const height = Math.max(rows * ROW, 3 * ROW);
  const slots = columns.length - 1 + folds.reduce((sum, each) => sum + (each - 1) * .8, 0);
  const step = Math.min(330, Math.max(COLUMN, slots ? height * shape / (slots + .9) : 0));
  const found = new Map();
  const xs = [];
  let x = 0;
  folds.forEach((each) => { xs.push(x); x += step * (1 + (each - 1) * .8); });
  for (let level = columns.length - 1; level >= 0; level--) {
    const ids = columns[level];
    if (folds[level] > 1 || level === columns.length - 1) {
      const tall = Math.ceil(ids.length / folds[level]);
      const gap = Math.min(height / tall, 2.2 * ROW);
      ids.forEach((id, i) => {
        const fold = i % folds[level];
        found.set(id, { x: xs[level] + fold * step * .8, y: (Math.floor(i / folds[level]) - (tall - 1) / 2) * gap + (fold % 2) * gap / 2 });
      });
      continue;
    }
    const wish = ids.map((id) => mean(near.get(id).map((other) => found.get(other)?.y).filter((y) => y !== undefined)) ?? 0);
    const least = ROW * 1.5;
    const spots = spread(wish, least);
    ids.forEach((id, i) => found.set(id, { x: xs[level], y: spots[i] }));
  }
  return found;
}

const mean = (values) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : undefined);

/** Heights near those that were wished for, in that order, at least `least` apart. */
function spread(wish, least) {
  const spots = [];
  wish.forEach((y, i) => spots.push(i ? Math.max(y, spots[i - 1] + least) : y));
  const shift = mean(wish.map((y, i) => y - spots[i])) ?? 0;
  return spots.map((y) => y + shift);
}

/** The surroundings of one entity as a star. */
function star(nodes, shape) {
  const found = new Map();
  const around = [...nodes].filter(([, node]) => node.hop > 0).map(([id]) => id);
  const radius = Math.max(140, around.length * 13);
  for (const [id, node] of nodes) if (node.hop === 0) found.set(id, { x: 0, y: 0 });
  around.forEach((id, i) => {
    const angle = 2 * Math.PI * (i + .25) / around.length;
    found.set(id, { x: radius * Math.min(1.6, Math.max(.9, shape)) * Math.cos(angle), y: radius * Math.sin(angle) });
  });
  return found;
}

/** A drawing inside `card`; `actions` says what can be done with a node beside expanding it. */
export function draw(card, { graph, nodes, edges, topics, answers, round = false }, actions) {
  const box = h("div", { class: nodes.size <= 6 ? "drawing small" : "drawing", tabindex: "0", role: "application", "aria-roledescription": "graph drawing",
    "aria-label": `Drawing of ${nodes.size} entities and ${edges.size} relations. Arrow keys move it, plus and minus zoom. The same as a list is below.` });
  const info = h("div", { class: "node-card", hidden: true, "aria-live": "polite" });
  const list = h("details", { class: "list" }, h("summary", {}, "The drawing as a list"));
  const zoom = (factor) => () => cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: box.clientWidth / 2, y: box.clientHeight / 2 } });
  const fit = () => cy.animate({ fit: { padding: 34 }, duration: quiet() ? 0 : 250 });
  const tool = (text, label, action) => h("button", { type: "button", class: "quiet small", "aria-label": label, title: label, onclick: action }, text);
  fill(card,
    h("header", {}, h("h2", {}, round ? "Drawn" : "The evidence, drawn"), h("div", { class: "drawing-tools" },
      tool("−", "Zoom out", () => zoom(1 / 1.3)()), tool("+", "Zoom in", () => zoom(1.3)()), tool("Fit", "Show everything", () => fit()),
      tool("PNG", "Save the drawing as PNG", () => png()), tool("SVG", "Save the drawing as SVG", () => svg()))),
    box, info,
    h("ul", { class: "legend" },
      !round && [h("li", {}, h("span", { class: "dot topic" }), "topic"), h("li", {}, h("span", { class: "dot answer" }), "answer"),
        [1, 2, 3, 4].filter((hop) => [...nodes.values()].some((node) => node.hop === hop)).map((hop) => h("li", {}, h("span", { class: `dot h${hop}` }), hop === 1 ? "1 hop" : `${hop} hops`))],
      h("li", {}, h("span", { class: "dot more" }), "click an entity to see its neighbours")),
    list);

  const large = edges.size > LARGE;
  const shape = box.clientWidth / Math.max(1, box.clientHeight);
  const spots = round ? star(nodes, shape) : places(nodes, edges, shape);
  const furthest = Math.max(...[...nodes.values()].map((node) => node.hop));
  const side = (id, node) => round ? (node.hop && (spots.get(id).x < 0 ? "left" : "right")) : node.hop === furthest && furthest > 0 ? "right" : node.hop === 0 && furthest > 0 && shape > 1 ? "left" : null;
  const parts = [...nodes].map(([id, node]) => ({
    group: "nodes", data: { id, name: oneLine(node.entity.label, 60), hop: node.hop, kind: node.entity.kind },
    position: spots.get(id),
    classes: [topics.has(id) && "topic", answers.has(id) && !topics.has(id) && "answer", node.entity.kind === "literal" && "literal", side(id, node)].filter(Boolean).join(" "),
  }));
  let number = 0;
  for (const [key, edge] of edges) parts.push({ group: "edges", data: { id: `e${number++}`, key, ...edge } });
  const cy = cytoscape({
    container: box, elements: parts, style: look(large), layout: { name: "preset", fit: false }, minZoom: .05, maxZoom: 3,
    boxSelectionEnabled: false, selectionType: "single",
    textureOnViewport: large, pixelRatio: large ? 1 : "auto", hideEdgesOnViewport: false,
  });
  if (large) {
    show(cy, box, spots.values());
    let waiting;
    cy.on("zoom", () => { clearTimeout(waiting); waiting = setTimeout(() => cy.destroyed() || cy.edges().toggleClass("named", cy.zoom() >= READABLE), 150); });
  } else {
    cy.fit(undefined, 26);
    if (cy.zoom() > 1.3) { cy.zoom(1.3); cy.center(); }
  }

  const seen = new Map(); // how far each entity's neighbours were fetched; null: all of them
  const known = new Map([...nodes].map(([id, node]) => [id, node.entity]));
  const edgeKeys = new Set(edges.keys());

  async function expand(id) {
    if (seen.get(id) === null) return;
    let page;
    try {
      page = await fetchEntity(id, graph, { offset: seen.get(id) ?? 0, limit: MORE });
    } catch (error) {
      return tell(id, error.message);
    }
    seen.set(id, page.next);
    const opened = cy.getElementById(id);
    opened.removeClass("left right"); // its name would lie on the new lines
    opened.dirtyBoundingBoxCache(); // else cytoscape cuts the name to where it stood
    const at = opened.position();
    const fresh = [];
    for (const triple of page.triples) {
      for (const end of [triple.head, triple.tail]) {
        if (!known.has(end.id)) { known.set(end.id, end); fresh.push(end); }
      }
    }
    const away = cy.nodes().reduce((sum, node) => ({ x: sum.x + node.position("x"), y: sum.y + node.position("y") }), { x: 0, y: 0 });
    const middle = { x: away.x / cy.nodes().length, y: away.y / cy.nodes().length };
    const towards = Math.atan2(at.y - middle.y, at.x - middle.x) || 0;
    const radius = 120 + 9 * fresh.length + 40 * ((page.offset / MORE) % 3);
    cy.batch(() => {
      fresh.forEach((end, i) => {
        const angle = towards + (fresh.length === 1 ? 0 : (i / (fresh.length - 1) - .5) * Math.min(5.4, .42 * fresh.length));
        cy.add({ group: "nodes", classes: `extra ${end.kind === "literal" ? "literal" : ""}`,
          data: { id: end.id, name: end.kind === "mediator" ? "·" : oneLine(end.label, 60), hop: 9, kind: end.kind },
          position: { x: at.x + radius * Math.cos(angle), y: at.y + radius * Math.sin(angle) } });
      });
      for (const triple of page.triples) {
        const key = JSON.stringify([triple.head.id, triple.relation.label, triple.tail.id]);
        if (edgeKeys.has(key)) continue;
        edgeKeys.add(key);
        cy.add({ group: "edges", classes: "extra", data: { source: triple.head.id, target: triple.tail.id, name: triple.relation.label, hop: 9 } });
      }
    });
    cy.animate({ fit: { padding: 30 }, duration: quiet() ? 0 : 300 });
    tell(id, `${fresh.length} added; ${page.next === null ? "these are all" : `${count(page.total - page.next)} more`} of ${count(page.total)} facts`, page.next !== null);
    relist();
  }

  function tell(id, text = "", more = true) {
    const entity = known.get(id);
    info.hidden = false;
    fill(info, h("span", {}, h("strong", {}, oneLine(entity.label, 120)), text ? ` — ${text}` : ""),
      h("span", { class: "drawing-tools" },
        more && h("button", { type: "button", class: "quiet small", onclick: () => expand(id) }, "Expand"),
        ...actions(entity)));
  }

  cy.on("tap", "node", (event) => { const id = event.target.id(); tell(id); expand(id); });

  function relist() {
    const rows = cy.edges().map((edge) => [edge.source().id(), edge.data("name"), edge.target().id()]);
    const button = (id) => h("button", { type: "button", class: "link", onclick: () => { tell(id); expand(id); } }, oneLine(known.get(id).label, 80));
    fill(list, h("summary", {}, "The drawing as a list"), h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ["from", "relation", "to"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, rows.slice(0, 300).map(([source, name, target]) => h("tr", {}, h("td", {}, button(source)), h("td", {}, oneLine(name, 80)), h("td", {}, button(target))))))));
  }
  list.addEventListener("toggle", () => { if (list.open) relist(); });

  box.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [50, 0], ArrowRight: [-50, 0], ArrowUp: [0, 50], ArrowDown: [0, -50] }[event.key];
    if (step) cy.stop().animate({ panBy: { x: step[0], y: step[1] }, duration: quiet() ? 0 : 90 });
    else if (event.key === "+" || event.key === "=") zoom(1.2)();
    else if (event.key === "-") zoom(1 / 1.2)();
    else if (event.key === "0") fit();
    else return;
    event.preventDefault();
  });

  async function png() {
    save(await cy.png({ output: "blob-promise", full: true, scale: 2, bg: colour("--paper") }), "clew.png");
  }
  function svg() {
    save(new Blob([asSvg(cy)], { type: "image/svg+xml" }), "clew.svg");
  }

  const observer = new ResizeObserver(() => cy.resize());
  observer.observe(box);
  return {
    cy, expand,
    restyle: () => cy.style(look(large)),
    /** Show one answer's threads alone; null: all. */
    focus: (ids) => cy.batch(() => {
      cy.elements().removeClass("faint");
      if (!ids) return;
      const kept = cy.edges().filter((edge) => ids.has(edge.data("key")));
      cy.elements().not(kept.union(kept.connectedNodes())).addClass("faint");
    }),
    destroy: () => { observer.disconnect(); cy.destroy(); },
  };
}

/** Fit where nodes stand into the box; their names, which `cy.fit` would measure one by one, get a margin. */
function show(cy, box, spots) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of spots) {
    left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = Math.max(bottom, y);
  }
  const [wide, high] = [right - left + 2 * COLUMN, bottom - top + 2 * ROW];
  const zoom = Math.min(1.3, box.clientWidth / wide, box.clientHeight / high);
  cy.viewport({ zoom, pan: { x: box.clientWidth / 2 - zoom * (left + right) / 2, y: box.clientHeight / 2 - zoom * (top + bottom) / 2 } });
}

const quiet = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The drawing as SVG, from where everything stands. */
function asSvg(cy) {
  const bounds = cy.elements().boundingBox();
  const pad = 20;
  const escape = (text) => String(text).replace(/[<>&"'\p{Cc}]/gu, (c) => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;", "'": "&#39;" })[c] ?? " ");
  const round = (value) => Math.round(10 * value) / 10;
  const out = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${round(bounds.x1 - pad)} ${round(bounds.y1 - pad)} ${round(bounds.w + 2 * pad)} ${round(bounds.h + 2 * pad)}" font-family="system-ui, sans-serif">`,
    `<defs><marker id="to" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z" fill="context-stroke"/></marker></defs>`,
    `<rect x="${round(bounds.x1 - pad)}" y="${round(bounds.y1 - pad)}" width="100%" height="100%" fill="${colour("--paper")}"/>`];
  for (const edge of cy.edges()) {
    const [a, b] = [edge.source().position(), edge.target().position()];
    const far = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const [dx, dy] = [(b.x - a.x) / far, (b.y - a.y) / far];
    const from = { x: a.x + 14 * dx, y: a.y + 14 * dy };
    const to = { x: b.x - 16 * dx, y: b.y - 16 * dy };
    out.push(`<line x1="${round(from.x)}" y1="${round(from.y)}" x2="${round(to.x)}" y2="${round(to.y)}" stroke="${edge.style("line-color")}" stroke-width="1.8" marker-end="url(#to)"/>`,
      `<text x="${round((a.x + b.x) / 2)}" y="${round((a.y + b.y) / 2 - 4)}" font-size="10.5" text-anchor="middle" fill="${edge.style("color")}">${escape(edge.data("name"))}</text>`);
  }
  for (const node of cy.nodes()) {
    const { x, y } = node.position();
    out.push(`<circle cx="${round(x)}" cy="${round(y)}" r="${node.width() / 2}" fill="${node.style("background-color")}" stroke="${node.style("border-color")}" stroke-width="3"/>`,
      `<text x="${round(x)}" y="${round(y + node.width() / 2 + 14)}" font-size="12" text-anchor="middle" fill="${colour("--ink")}">${escape(node.data("name"))}</text>`);
  }
  return [...out, "</svg>"].join("\n");
}

/** What an answer's drawing consists of. */
export const ofAnswer = (answer) => ({ graph: answer.graph, ...elements(answer) });

/** What an entity's surroundings consist of. */
export function ofEntity(page) {
  const nodes = new Map([[page.entity.id, { entity: page.entity, hop: 0 }]]);
  const edges = new Map();
  for (const triple of page.triples) {
    for (const end of [triple.head, triple.tail]) if (!nodes.has(end.id)) nodes.set(end.id, { entity: end, hop: 1 });
    edges.set(JSON.stringify([triple.head.id, triple.relation.label, triple.tail.id]), { source: triple.head.id, target: triple.tail.id, name: triple.relation.label, hop: 1 });
  }
  return { graph: page.graph, nodes, edges, topics: new Set([page.entity.id]), answers: new Set(), round: true };
}

/** The keys of the edges of some paths, as `focus` takes them. */
export function keysOf(paths) {
  const keys = new Set();
  for (const path of paths) for (const step of folded(path)) {
    const [source, target] = step.forward ? [step.from, step.to] : [step.to, step.from];
    keys.add(JSON.stringify([source.id, named(step), target.id]));
  }
  return keys;
}

