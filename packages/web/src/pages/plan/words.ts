import { count, spellGpus } from "../../format/numbers.ts";
import { spellClock } from "../../format/times.ts";
import { type Drawn, isBlock } from "./layout.ts";

const bases: Readonly<Record<string, string>> = {
  max_time: "its max_time",
  expected_time: "its expected_time",
  "past-runs": "what past runs took",
  plan: "the ends of running jobs",
  "run-times": "what past runs took",
  eviction: "room is being made for it",
};

/** What a block is called. */
export function nameOf(drawn: Drawn): string {
  if (!isBlock(drawn)) return drawn.why === "maintenance" ? "maintenance" : "out of service";
  if (drawn.whose === "others") return "other accounts";
  if (drawn.whose === "rest") return count(drawn.jobs ?? 0, "smaller job");
  return drawn.name ?? "";
}

/** A block in a sentence. */
export function sentenceOf(drawn: Drawn): string {
  const clock = (at: string) => spellClock(at);
  if (!isBlock(drawn)) {
    const until = drawn.until === undefined ? "" : ` until ${clock(drawn.until)}`;
    return `${nameOf(drawn)}: ${count(drawn.nodes, "node")}, ${spellGpus(drawn.gpus)}, from ${clock(drawn.from)}${until}`;
  }
  const basis = drawn.basis === undefined ? "" : ` (${bases[drawn.basis]})`;
  const what = `${nameOf(drawn)}${drawn.project === undefined ? "" : ` of ${drawn.project}`}: ${spellGpus(drawn.gpus)}`;
  if (drawn.kind === "planned") {
    const end = drawn.until === undefined ? "" : `, ends about ${clock(drawn.until)}`;
    return `${what}, planned to start ${clock(drawn.from)}${basis}${end}`;
  }
  return drawn.until === undefined
    ? `${what}, its end is not known`
    : `${what}, ends ${drawn.whose === "job" ? "about" : "by"} ${clock(drawn.until)}${basis}`;
}
