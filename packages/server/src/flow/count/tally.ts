import {
  type AccountNo,
  type FleetNode,
  type Instant,
  type Job,
  type JobArray,
  type JobNo,
  jobOf,
  type ReadonlyState,
  type ReasonKind,
  type Unheld,
  type UserId,
  unheldAs,
  unmadeCount,
} from "@tessera/core";
import { gangGpus, heldGpus } from "../../render/job.ts";
import type { Slices } from "../slices.ts";
import type { Reasons } from "./reasons.ts";

/** Jobs, and GPUs that they ask for or hold. */
export interface JobCount {
  jobs: number;
  gpus: number;
}

/** The live jobs of one user in one account. */
export interface JobCell {
  readonly account: AccountNo;
  readonly user: UserId;
  readonly waiting: JobCount;
  readonly byReason: Map<ReasonKind, JobCount>;
  oldestAt: Instant;
  readonly active: JobCount;
  readonly byState: { starting: number; running: number; stopping: number };
}

/** How a GPU is held, as the map of the fleet draws it. */
export type GpuUse = "guaranteed" | "burst" | "leaving";

/** Units of GPUs of one model that one account holds; `account` is undefined for those that nothing holds. */
export interface GpuCell {
  readonly model: string;
  readonly account: AccountNo | undefined;
  readonly use: GpuUse | Unheld;
  units: number;
}

/** What a column of nodes says of their GPUs, as the map of the fleet does: how they are held, or why nothing holds them. */
type ColumnWord = GpuUse | "idle" | "reserved" | "withheld" | FleetNode["mode"];
/** The units of each word. */
export type NodeColumn = ReadonlyMap<ColumnWord, number>;

/** The state counted, without regard to who asks: what may be seen is chosen by account afterwards. */
export interface Tally {
  readonly at: Instant;
  readonly jobs: readonly JobCell[];
  readonly cells: readonly GpuCell[];
  /** How many GPUs there are of each model. */
  readonly gpus: ReadonlyMap<string, number>;
  readonly nodes: number;
  readonly byMode: ReadonlyMap<string, number>;
  readonly columns: readonly NodeColumn[];
}

/** How long a count waits for reasons that are not known yet; the next one has them. */
const reasonsMsMax = 100;

/** Counts everything live, with pauses: jobs may be very many, and why each waits takes a moment. */
export async function tally(
  state: ReadonlyState,
  now: Instant,
  reasons: Reasons,
  slices: Slices,
  columnsMax: number,
): Promise<Tally> {
  const numbers = [...state.jobs.values()].map(({ no }) => no);
  for (const no of numbers) {
    if (slices.isOver) await slices.next();
    const job = state.jobs.get(no);
    if (job?.state === "waiting") reasons.known(job);
  }
  await reasons.settle(reasonsMsMax);
  const jobs = new JobCells((job) => reasons.known(job));
  for (const no of numbers) {
    if (slices.isOver) await slices.next();
    const job = state.jobs.get(no); // it may have ended during a pause
    if (job !== undefined) jobs.add(job);
  }
  for (const array of [...state.arrays.values()]) {
    if (slices.isOver) await slices.next();
    if (state.arrays.has(array.no)) jobs.addArray(array);
  }
  return { at: now, jobs: jobs.cells(), ...(await countFleet(state, slices, columnsMax)) };
}

/** Why a waiting job waits, where that is known. */
type ReasonOf = (job: Job) => ReasonKind | undefined;

/** Counts the jobs of one moment; a job of which `reasonOf` knows no reason counts without one. */
export class JobCells {
  readonly #known: ReasonOf;
  readonly #cells = new Map<string, JobCell>();
  /** Why the first waiting element of each array waits; the others wait for the same or for it. */
  readonly #reasons = new Map<JobNo, ReasonKind>();

  constructor(reasonOf: ReasonOf) {
    this.#known = reasonOf;
  }

  cells(): JobCell[] {
    return [...this.#cells.values()];
  }

  /** An element adds to the GPUs; its array counts as the job. */
  add(job: Job): void {
    const cell = this.#cellOf(job);
    const jobs = job.array === undefined ? 1 : 0;
    if (job.state !== "waiting") {
      cell.active.jobs += jobs;
      cell.active.gpus += heldGpus(job.leases);
      cell.byState[job.state] += jobs;
      return;
    }
    this.#wait(cell, this.#reasonOf(job), jobs, gangGpus(job.spec, job.choice), job.submittedAt);
  }

  /** After its elements. `holds`: whether any of them holds GPUs. */
  addArray(array: JobArray, holds = array.active > 0): void {
    const cell = this.#cellOf(array);
    const unmade = unmadeCount(array);
    const reason = this.#reasons.get(array.no);
    if (holds) {
      cell.active.jobs++;
      cell.byState.running++;
      if (unmade > 0) this.#wait(cell, reason, 0, unmade * gangGpus(array.spec, 0), array.submittedAt);
    } else this.#wait(cell, reason, 1, unmade * gangGpus(array.spec, 0), array.submittedAt);
  }

  #reasonOf(job: Job): ReasonKind | undefined {
    const kind = (job.array === undefined ? undefined : this.#reasons.get(job.array)) ?? this.#known(job);
    if (job.array !== undefined && kind !== undefined) this.#reasons.set(job.array, kind);
    return kind;
  }

  #wait(cell: JobCell, reason: ReasonKind | undefined, jobs: number, gpus: number, since: Instant): void {
    const sums = [cell.waiting];
    if (reason !== undefined) {
      const counted = cell.byReason.get(reason) ?? { jobs: 0, gpus: 0 };
      cell.byReason.set(reason, counted);
      sums.push(counted);
    }
    for (const each of sums) {
      each.jobs += jobs;
      each.gpus += gpus;
    }
    cell.oldestAt = Math.min(cell.oldestAt, since);
  }

  #cellOf({ account, user }: Job | JobArray): JobCell {
    const key = `${account} ${user}`;
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      cell = {
        account,
        user,
        waiting: { jobs: 0, gpus: 0 },
        byReason: new Map(),
        oldestAt: Number.POSITIVE_INFINITY,
        active: { jobs: 0, gpus: 0 },
        byState: { starting: 0, running: 0, stopping: 0 },
      };
      this.#cells.set(key, cell);
    }
    return cell;
  }
}

/** GPUs beside each other are mostly of one cell, which is looked for once. */
class GpuCells {
  readonly #byKey = new Map<string, GpuCell>();
  #last: GpuCell | undefined;

  of(model: string, account: GpuCell["account"], use: GpuCell["use"]): GpuCell {
    const last = this.#last;
    if (last?.model === model && last.account === account && last.use === use) return last;
    const key = `${model}\n${account ?? ""}\n${use}`;
    const cell = this.#byKey.get(key) ?? { model, account, use, units: 0 };
    this.#byKey.set(key, cell);
    this.#last = cell;
    return cell;
  }

  all(): GpuCell[] {
    return [...this.#byKey.values()];
  }
}

async function countFleet(
  state: ReadonlyState,
  slices: Slices,
  columnsMax: number,
): Promise<Pick<Tally, "cells" | "gpus" | "nodes" | "byMode" | "columns">> {
  const { fleet } = state;
  const cells = new GpuCells();
  const nodes = fleet.nodes.filter((node) => node !== undefined);
  const columns = new NodeColumns(nodes, columnsMax);
  // What is held and what is free must be of one moment, or they do not add up.
  const free = fleet.gpuFree.slice();
  for (const lease of state.leases.values()) {
    const { gpus, unitsEach, node } = lease;
    const job = jobOf(state, lease.job);
    const use = lease.state === "stopping" ? "leaving" : lease.extra ? "burst" : job.class;
    for (const gpu of gpus) cells.of(fleet.models[fleet.gpuModel[gpu]!]!, job.account, use).units += unitsEach;
    columns.add(node, use, gpus.length * unitsEach);
  }
  const byMode = new Map<string, number>();
  const gpus = new Map<string, number>();
  for (const node of nodes) {
    if (slices.isOver) await slices.next();
    byMode.set(node.mode, (byMode.get(node.mode) ?? 0) + 1);
    for (const [i, { model }] of node.facts.gpus.entries()) {
      const gpu = node.firstGpu + i;
      gpus.set(model, (gpus.get(model) ?? 0) + 1);
      const unheld = unheldAs(fleet, node, gpu);
      cells.of(model, undefined, unheld).units += free[gpu]!;
      columns.add(node.no, unheld !== "down" ? unheld : node.mode === "up" ? "withheld" : node.mode, free[gpu]!);
    }
  }
  return { cells: cells.all(), gpus, nodes: nodes.length, byMode, columns: columns.all };
}

/** The nodes in order as a picture: several to a column where there are more nodes than columns. */
class NodeColumns {
  readonly all: Map<ColumnWord, number>[];
  readonly #ofNode: number[] = [];

  constructor(nodes: readonly Pick<FleetNode, "no">[], columnsMax: number) {
    const many = Math.min(nodes.length, columnsMax);
    this.all = Array.from({ length: many }, () => new Map());
    for (const [place, { no }] of nodes.entries()) this.#ofNode[no] = Math.floor((place * many) / nodes.length);
  }

  add(node: FleetNode["no"], word: ColumnWord, units: number): void {
    const column = this.all[this.#ofNode[node]!]!;
    if (units > 0) column.set(word, (column.get(word) ?? 0) + units);
  }
}
