import { modelMatches } from "../model/gpu-name.ts";
import type { Job } from "../model/job.ts";
import type { ReadonlyState } from "../state/readonly-state.ts";
import type { EngineOut } from "./reason.ts";

/** The engines that take nothing new and have GPUs, or nodes for a job without any, that the job could use. */
export function enginesOut({ engines, fleet }: ReadonlyState, { spec }: Pick<Job, "spec">): EngineOut[] {
  const found: EngineOut[] = [];
  for (const { name, terms, away, leaving } of engines.values()) {
    if (away === undefined && !leaving && terms.cordoned === undefined) continue;
    if (spec.engine !== undefined && spec.engine !== name) continue;
    const models = new Set<string>();
    let gpus = 0;
    let nodes = 0;
    for (const node of fleet.nodes) {
      if (node?.facts.engine !== name) continue;
      nodes++;
      for (const { model } of node.facts.gpus) {
        if (!spec.gpus.some((ask) => ask.count > 0 && modelMatches(ask.model, model))) continue;
        models.add(model);
        gpus++;
      }
    }
    const isUsed = spec.gpus.some((ask) => ask.count === 0) ? nodes > 0 : gpus > 0;
    if (!isUsed) continue;
    const [model = "", ...others] = models;
    const cause = away !== undefined ? "away" : leaving ? "leaving" : "cordoned";
    found.push({
      name,
      cause,
      gpus: { gpus, model: others.length === 0 ? model : "" },
      ...(away !== undefined && { since: away.since }),
    });
  }
  return found;
}
