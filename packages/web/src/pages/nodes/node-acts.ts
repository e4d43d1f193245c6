import type { NodeShape } from "@tessera/wire";
import { count, spellGpus } from "../../format/numbers.ts";

/** Acts on a node that are asked about first. */
export const nodeActs = ["cordon", "drain", "down"] as const;
export type NodeAct = (typeof nodeActs)[number];

/** What follows from an act on a node, with what runs there now. `within` is the deadline of a drain; empty = none. */
export function effectOn(act: NodeAct, node: Pick<NodeShape, "load">, within: string): string {
  const what = happens[act];
  const { load } = node;
  if (load === undefined || load.jobs === 0) return `${what} Nothing runs on it now.`;
  const one = load.jobs === 1;
  const many = `${count(load.jobs, "job")} on ${spellGpus(load.gpus)}`;
  const then = {
    cordon: `${one ? "goes" : "go"} on`,
    drain:
      within === ""
        ? `${one ? "runs" : "run"} to ${one ? "its" : "their"} end`
        : `${one ? "has" : "have"} ${within} to end; what still runs then is stopped and waits again`,
    down: `${one ? "counts" : "count"} as ended and ${one ? "waits" : "wait"} again`,
  }[act];
  return `${what} ${many} ${then}. ${whose(load)}`;
}

const happens: Readonly<Record<NodeAct, string>> = {
  cordon: "The node takes no new work.",
  drain: "The node takes no new work.",
  down: "Declare a node lost only if the machine is gone: its jobs restart elsewhere.",
};

function whose({ jobs, own }: NonNullable<NodeShape["load"]>): string {
  if (own === jobs) return jobs === 1 ? "It is yours." : "All are yours.";
  return own === 0 ? "None is yours." : `Yours: ${own}; others': ${jobs - own}.`;
}
