/** Fields that hold words for people, or a hash of them, at whatever depth. Words may change. */
const texts = new Set(["reason", "why", "detail", "hint", "textHash"]);

/** A way to read recorded lines so that only what counts as a decision is left. */
export function normaliser({ fields, kinds }) {
  const dropped = Object.keys(fields).map((path) => path.split("."));
  return {
    /** Whether a line of this kind is compared at all. */
    counts: (line) => Object.keys(kinds).length === 0 || !Object.hasOwn(kinds, JSON.parse(line).kind),
    /** One spelling for a decision: keys in order, no texts, no accepted fields. */
    spell(line) {
      const decision = JSON.parse(line);
      for (const [kind, ...path] of dropped) if (decision.kind === kind) drop(decision, path);
      return JSON.stringify(plain(decision));
    },
  };
}

/**
 * The first decision that two streams of lines do not share: `{ index, base, present }`, where a side that has ended is
 * undefined. Undefined when they are the same. Lines that are the same byte for byte are not looked into.
 */
export async function firstDifference(baseLines, presentLines, { counts, spell }) {
  const [base, present] = [baseLines, presentLines].map((lines) => counted(lines, counts));
  for (let index = 0; ; index++) {
    const [a, b] = [(await base.next()).value, (await present.next()).value];
    if (a === undefined && b === undefined) return undefined;
    if (a === b) continue;
    if (a === undefined || b === undefined || spell(a) !== spell(b)) return { index, base: a, present: b };
  }
}

async function* counted(lines, counts) {
  for await (const line of lines) if (counts(line)) yield line;
}

function drop(record, [name, ...rest]) {
  if (rest.length === 0) delete record[name];
  else if (typeof record[name] === "object" && record[name] !== null) drop(record[name], rest);
}

function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.keys(value).filter((key) => !texts.has(key));
  return Object.fromEntries(kept.sort().map((key) => [key, plain(value[key])]));
}
