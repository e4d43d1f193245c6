import { withoutGpus } from "../fleet/gpu-columns.ts";
import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import { enginesHave } from "../gpu/engines.ts";
import type { Newcomer, PartAsk } from "../gpu/seat.ts";
import { seatPart } from "../gpu/seat.ts";
import { modelMatches } from "../model/gpu-name.ts";
import type { GpuNo, NodeNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { must } from "../model/must.ts";

/** A part of State that has the fleet. */
interface WithFleet {
  readonly fleet: ReadonlyFleet;
}

/** The amounts that a job would hold. */
export interface Demand {
  /** Model number in the fleet; below 0 without GPUs. */
  readonly model: number;
  readonly units: number;
  readonly memoryUnits: number;
  readonly cpusMilli: number;
  readonly memoryMiB: number;
}

/** No demand at all. */
export const nothing: Demand = { model: -1, units: 0, memoryUnits: 0, cpusMilli: 0, memoryMiB: 0 };

/** A seat or lease: its node and GPUs. */
interface Seated {
  readonly node: NodeNo;
  readonly gpus: readonly GpuNo[];
}

/** The model of a job's GPUs by its seats or leases, which all have the same model; below 0 = the job has no GPUs. */
export function modelOn({ fleet }: WithFleet, [first]: readonly Seated[]): number {
  if (first === undefined) return -1;
  const gpu = first.gpus[0];
  if (gpu !== undefined) return fleet.gpuModel[gpu]!;
  const node = fleet.nodes[first.node];
  return node === undefined ? -1 : withoutGpus(fleet.engines.indexOf(node.facts.engine));
}

/** What the minimum of a job's members would hold together, on a model, with alternative `choice`. */
export function demandOf({ fleet }: WithFleet, job: Pick<Job, "spec">, choice: number, model: number): Demand {
  const { gpus, members, cpusMilli, memoryMiB, isolation } = job.spec;
  const ask = must(gpus[choice], "a job has no such alternative");
  const { min } = members;
  const each =
    ask.part !== undefined && model >= 0
      ? partOn(fleet, model, { ...ask.part, isolation })
      : { compute: ask.count * ask.unitsEach, memory: ask.count * ask.unitsEach };
  return {
    model,
    units: each.compute * min,
    memoryUnits: each.memory * min,
    cpusMilli: cpusMilli * min,
    memoryMiB: memoryMiB * min,
  };
}

/**
 * The size of a part on an empty device of a model: the largest over the ways in which GPUs of the model are
 * shared, because MIG rounds up and the device is not chosen yet.
 */
function partOn(
  fleet: ReadonlyFleet,
  model: number,
  ask: PartAsk,
): { readonly compute: number; readonly memory: number } {
  const most = { compute: 0, memory: 0 };
  const device = fleet.device(fleet.someGpuOf(model));
  for (const sharing of fleet.sharingsOf(model)) {
    const seat = seatPart({ ...device, sharing }, [], anyTenant, ask);
    if (typeof seat !== "object") continue;
    most.compute = Math.max(most.compute, seat.compute);
    most.memory = Math.max(most.memory, seat.memory);
  }
  return most.compute > 0 ? most : { compute: ask.compute, memory: ask.memory };
}

/** The numbers of the models that satisfy an alternative, in order of appearance; without GPUs one below 0 per engine. */
export function modelsFor({ fleet }: WithFleet, job: Pick<Job, "spec">, choice: number): number[] {
  const ask = job.spec.gpus[choice]!;
  const { needs = [], engine } = job.spec;
  if (ask.count === 0) {
    if (fleet.engines.length < 2) return [-1];
    return fleet.engines.flatMap((name, no) => (engine === undefined || name === engine ? withoutGpus(no) : []));
  }
  const found: number[] = [];
  for (const [no, model] of fleet.models.entries())
    if (modelMatches(ask.model, model) && enginesHave(model, needs) && isIn(fleet, no, engine)) found.push(no);
  return found;
}

function isIn(fleet: ReadonlyFleet, model: number, engine: string | undefined): boolean {
  return engine === undefined || fleet.engineOf(model) === engine;
}

/** A trusted tenant with work that promises no latency: no rule of sharing limits it on an empty GPU. */
export const anyTenant: Newcomer = { tenant: -1, trust: "trusted", group: "", migWith: [], type: "batch" };
