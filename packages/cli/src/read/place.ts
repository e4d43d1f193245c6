import type { Document, LineCounter, Node, Pair, Scalar } from "yaml";

/** Where a field stands in a file. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The place of a field such as `retry.when[0]`, or of its name; of the nearest field around it where it is absent. */
export type Locate = (field: string, of: "name" | "value") => Place;

export function placesIn(file: string, document: Document, lines: LineCounter): Locate {
  return (field, of) => {
    const offset = offsetOf(document, field, of) ?? document.range?.[0] ?? 0;
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
}

function offsetOf(document: Document, field: string, of: "name" | "value"): number | undefined {
  let node = document.contents as Node | null;
  let offset = node?.range?.[0];
  let rest = field;
  while (rest !== "" && node !== null) {
    const step: Step | undefined = stepInto(node, rest);
    if (step === undefined) break;
    const last = step.rest === "";
    offset = (last && of === "name" ? step.name : step.value)?.range?.[0] ?? step.name?.range?.[0] ?? offset;
    node = step.value;
    rest = step.rest;
  }
  return offset;
}

interface Step {
  readonly name: Node | null;
  readonly value: Node | null;
  readonly rest: string;
}

function stepInto(node: Node, path: string): Step | undefined {
  if (!("items" in node)) return undefined;
  const items = node.items as readonly unknown[];
  const [all, index] = /^\[(\d+)\]\.?/.exec(path) ?? [];
  if (all !== undefined) {
    const value = (items[Number(index)] ?? null) as Node | null;
    return value === null ? undefined : { name: null, value, rest: path.slice(all.length) };
  }
  // Names may hold dots: the longest one that the path begins with is meant.
  const pairs = (items as readonly Pair<Scalar, Node | null>[])
    .map((pair) => ({ pair, name: String(pair.key?.value) }))
    .filter(({ name }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`))
    .sort((a, b) => b.name.length - a.name.length);
  const [best] = pairs;
  if (best === undefined) return undefined;
  return { name: best.pair.key, value: best.pair.value, rest: path.slice(best.name.length).replace(/^\./, "") };
}
