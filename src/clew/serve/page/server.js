// Everything that is asked of the server, and what may go wrong on the way.

/** A refusal of the server, or its absence (status 0). */
export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

const KEY = "clew-token";
export const keepToken = (token) => sessionStorage.setItem(KEY, token);

function headers(more = {}) {
  const token = sessionStorage.getItem(KEY);
  return token ? { ...more, authorization: `Bearer ${token}` } : more;
}

async function request(path, options = {}) {
  let reply;
  try {
    reply = await fetch(path, { ...options, headers: headers(options.headers), credentials: "omit", redirect: "error" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "The server does not answer.");
  }
  if (reply.ok) return reply;
  let detail = `The server says ${reply.status}.`;
  try {
    detail = (await reply.json()).detail ?? detail;
  } catch { /* no problem document: the status has to do */ }
  throw new Problem(reply.status, detail);
}

const query = (values) => new URLSearchParams(Object.entries(values).filter(([, v]) => v !== undefined && v !== null && v !== ""));

export async function get(path, values = {}, signal = undefined) {
  return (await request(`${path}?${query(values)}`, { signal })).json();
}

export async function post(path, body, signal = undefined) {
  const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal };
  return (await request(path, sent)).json();
}

/** Ask; `onStage(name, data)` hears of linking, search and evidence; the whole answer is returned. */
export async function ask(body, onStage, signal) {
  const sent = { method: "POST", headers: { "content-type": "application/json", accept: "text/event-stream" }, signal };
  const reply = await request("/v1/ask", { ...sent, body: JSON.stringify({ ...body, stream: true }) });
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let answer = null;
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem(0, "The server went away while it was answering.");
    }
    if (part.done) break;
    const blocks = (rest + part.value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const name = /^event: (.*)$/m.exec(block)?.[1];
      const text = /^data: (.*)$/m.exec(block)?.[1];
      if (!name || text === undefined) continue;
      const data = JSON.parse(text);
      if (name === "error") throw new Problem(data.status, data.detail);
      if (name === "answer") answer = data;
      else onStage(name, data);
    }
  }
  if (answer === null) throw new Problem(0, "The server went away while it was answering.");
  return answer;
}

export const entity = (id, graph, more = {}, signal = undefined) => get(`/v1/entities/${encodeURIComponent(id)}`, { graph, ...more }, signal);
export const complete = (prefix, graph, limit = 8, signal = undefined) => get("/v1/entities", { prefix, graph, limit }, signal);
