import type { NodeShape } from "@tessera/wire";
import { readDuration } from "@tessera/wire/duration";
import { count, spellGpus } from "../../format/numbers.ts";
import { spell, spellSpan } from "../../format/times.ts";

/** Acts on a node that are asked about first. */
export const nodeActs = ["cordon", "drain", "down"] as const;
export type NodeAct = (typeof nodeActs)[number];

/** When jobs on a drained node are stopped; none: they run to their end. */
export type Deadline = { readonly within?: number } | { readonly wrong: string };

/** A deadline as it is typed. */
export function readDeadline(text: string): Deadline {
  const typed = text.trim();
  if (typed === "") return {};
  const within = readDuration(typed);
  return within === undefined ? { wrong: `${typed} is not a duration: write 30m or 2h.` } : { within };
}

/** What follows from an act on a node, with what runs there now. */
export function effectOn(act: NodeAct, { load }: Pick<NodeShape, "load">, deadline: Deadline): string {
  const what = happens[act];
  if (load === undefined || load.jobs === 0) return `${what} Nothing runs on it now.`;
  const one = load.jobs === 1;
  const many = `${count(load.jobs, "job")} on ${spellGpus(load.gpus)}`;
  const then = {
    cordon: `${one ? "goes" : "go"} on`,
    drain: drained(one, deadline),
    down: `${one ? "counts" : "count"} as ended and ${one ? "waits" : "wait"} again`,
  }[act];
  return `${what} ${many} ${then}. ${whose(load)}`;
}

const happens: Readonly<Record<NodeAct, string>> = {
  cordon: "The node takes no new work.",
  drain: "The node takes no new work.",
  down: "Declare a node lost only if the machine is gone: its jobs restart elsewhere.",
};

function drained(one: boolean, deadline: Deadline): string {
  if ("wrong" in deadline) return `${one ? "runs" : "run"} on it`;
  if (deadline.within === undefined) return `${one ? "runs" : "run"} to ${one ? "its" : "their"} end`;
  return `${one ? "has" : "have"} ${spellSpan(deadline.within)} to end; what still runs then is stopped and waits again`;
}

function whose({ jobs, own }: NonNullable<NodeShape["load"]>): string {
  if (own === jobs) return jobs === 1 ? "It is yours." : "All are yours.";
  return own === 0 ? "None is yours." : `Yours: ${own}; others': ${jobs - own}.`;
}

type Named = NonNullable<NodeShape["load"]>["named"][number];

/** When a job on the node is expected to end, and whether a drain with this deadline stops it before. */
export function endWords({ endsAt }: Pick<Named, "endsAt">, deadline: Deadline, now = Date.now()): string {
  if (endsAt === undefined) return "its end is not known";
  const isLate = "within" in deadline && deadline.within !== undefined && Date.parse(endsAt) > now + deadline.within;
  return `ends ${spell(endsAt, now)}${isLate ? ", is stopped at the deadline" : ""}`;
}
