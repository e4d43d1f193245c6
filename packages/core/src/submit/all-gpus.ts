import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import { type Refusal, refuse, refuseAll } from "../journal/refusal.ts";
import type { NodeTest } from "./narrow.ts";
import type { RawJob } from "./parse.ts";

/** Replaces `all` and `H100:all` by the number of GPUs that the largest node has, of one model, among those asked for. */
export function withoutAll(
  gpus: RawJob["gpus"],
  fleet: ReadonlyFleet,
  isAsked: NodeTest = () => true,
): RawJob["gpus"] | Refusal {
  if (gpus === undefined) return undefined;
  const mistakes: Refusal[] = [];
  const counted = (each: number | string, field: string) => {
    const match = /^(?:([^:]+):)?all$/.exec(String(each));
    if (match === null) return each;
    const most = mostOnOneNode(fleet, match[1] ?? "*", isAsked);
    if (most === 0) {
      const models = fleet.modelsPresent().join(", ") || "none";
      const why = `asks for all GPUs of a node, and no node has ${match[1] ?? "any"}`;
      mistakes.push(refuse("never-fits", field, each, why, `models of the fleet: ${models}`));
    }
    return match[1] === undefined ? most : `${match[1]}:${most}`;
  };
  const list = (each: readonly (number | string)[], field: string) =>
    each.map((one, i) => counted(one, `${field}[${i}]`));
  const understood = () => {
    if (typeof gpus !== "object") return counted(gpus, "gpus");
    return "any" in gpus ? { ...gpus, any: list(gpus.any, "gpus.any") } : list(gpus, "gpus");
  };
  const plain = understood();
  return refuseAll(mistakes) ?? plain;
}

/** The most GPUs of one model, among those that a name matches, that a node has. */
function mostOnOneNode(fleet: ReadonlyFleet, name: string, isAsked: NodeTest): number {
  let most = 0;
  for (const node of fleet.nodes) {
    if (node === undefined || !isAsked(node)) continue;
    const counts = new Map<number, number>();
    for (let gpu = node.firstGpu as number; gpu < node.firstGpu + node.facts.gpus.length; gpu++) {
      if (name !== "*" && !fleet.isOf(gpu, name)) continue;
      const model = fleet.gpuModel[gpu]!;
      counts.set(model, (counts.get(model) ?? 0) + 1);
    }
    most = Math.max(most, ...counts.values());
  }
  return most;
}
