// Elements from data. Text goes in as text nodes only: whatever a graph calls its entities, nothing of it is markup.

/** An element: h("a", {href: "#", class: "x", onclick: f}, "text", child, [children]). */
export function h(name, options = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "class") element.className = value;
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const $ = (id) => document.getElementById(id);

/** Replace what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
}

/** A label on one line, without control characters and of a bearable length. */
export function oneLine(text, most = 300) {
  const clean = String(text).replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, " ").trim();
  return clean.length > most ? clean.slice(0, most - 1) + "…" : clean;
}

/** 0.973 → "97 %"; nothing that is not certain is shown as certain. */
export const percent = (value) => value < 1 && value >= .995 ? "> 99 %" : value > 0 && value < .005 ? "< 1 %" : `${Math.round(100 * value)} %`;

export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

export const count = (value) => Number(value).toLocaleString("en");

/** Save a blob as a file. */
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
