// Paths as people read them: mediators folded, every hop with its direction.

/** The hops of a path with those around a mediator folded into one: {from, to, names, forward, hop, triples}. */
export function folded(path) {
  const steps = [];
  let from = path.start;
  let names = [];
  let triples = [];
  let forward = null;
  for (const hop of path.hops) {
    const { head, relation, tail } = hop.triple;
    const to = hop.forward ? tail : head;
    names.push(relation.label);
    triples.push(hop.triple);
    forward ??= hop.forward;
    if (to.kind === "mediator" && hop !== path.hops.at(-1)) continue;
    steps.push({ from, to, names, forward: names.length > 1 ? true : hop.forward, triples, hop: steps.length + 1 });
    from = to;
    names = [];
    triples = [];
    forward = null;
  }
  return steps;
}

/** The name of a step: "marriage · spouse". */
export const named = (step) => step.names.join(" · ");

/** A path in plain words, for files and screen readers. */
export function said(path) {
  const parts = [path.start.label];
  for (const step of folded(path)) parts.push(step.forward ? `—${named(step)}→ ${step.to.label}` : `←${named(step)}— ${step.to.label}`);
  return parts.join(" ");
}
