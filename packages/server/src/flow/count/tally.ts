import {
  type AccountNo,
  type Instant,
  type Job,
  type JobArray,
  type JobNo,
  jobOf,
  type ReadonlyState,
  type ReasonKind,
  type UserId,
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

/** GPUs of one model that one account holds; `account` is undefined for those that nothing holds. */
export interface GpuCell {
  readonly model: string;
  readonly account: AccountNo | undefined;
  readonly use: GpuUse | "idle" | "unusable";
  gpus: number;
}

export interface NodeColumn {
  readonly gpus: number;
  readonly held: number;
  readonly burst: number;
  readonly mode: "up" | "cordoned" | "out";
}

/** The state counted, without regard to who asks: what may be seen is chosen by account afterwards. */
export interface Tally {
  readonly at: Instant;
  readonly jobs: readonly JobCell[];
  readonly gpus: readonly GpuCell[];
  readonly nodes: number;
  readonly byMode: ReadonlyMap<string, number>;
  readonly columns: readonly NodeColumn[];
}

/** So long a count waits for reasons that are not known yet; the next one has them. */
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
  const jobs = new JobCells(reasons);
  for (const no of numbers) {
    if (slices.isOver) await slices.next();
    const job = state.jobs.get(no); // it may have ended during a pause
    if (job !== undefined) jobs.add(job);
  }
  for (const array of [...state.arrays.values()]) {
    if (slices.isOver) await slices.next();
    if (state.arrays.has(array.no)) jobs.addArray(array);
  }
  return { at: now, jobs: jobs.cells(), ...countFleet(state, columnsMax) };
}

class JobCells {
  readonly #kinds: Reasons;
  readonly #cells = new Map<string, JobCell>();
  /** Why the first waiting element of each array waits; the others wait for the same or for it. */
  readonly #reasons = new Map<JobNo, ReasonKind>();

  constructor(kinds: Reasons) {
    this.#kinds = kinds;
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

  addArray(array: JobArray): void {
    const cell = this.#cellOf(array);
    const unmade = unmadeCount(array);
    const reason = this.#reasons.get(array.no);
    if (array.active > 0) {
      cell.active.jobs++;
      cell.byState.running++;
      if (unmade > 0) this.#wait(cell, reason, 0, unmade * gangGpus(array.spec, 0), array.submittedAt);
    } else this.#wait(cell, reason, 1, unmade * gangGpus(array.spec, 0), array.submittedAt);
  }

  #reasonOf(job: Job): ReasonKind | undefined {
    const kind = (job.array === undefined ? undefined : this.#reasons.get(job.array)) ?? this.#kinds.known(job);
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
    const cell = this.#byKey.get(key) ?? { model, account, use, gpus: 0 };
    this.#byKey.set(key, cell);
    this.#last = cell;
    return cell;
  }

  all(): GpuCell[] {
    return [...this.#byKey.values()];
  }
}

const outModes: ReadonlySet<string> = new Set(["down", "maintenance", "unknown"]);

function countFleet(state: ReadonlyState, columnsMax: number): Pick<Tally, "gpus" | "nodes" | "byMode" | "columns"> {
  const { fleet } = state;
  const holders = new Array<AccountNo | undefined>(fleet.gpuFree.length);
  const uses = new Array<GpuUse | undefined>(fleet.gpuFree.length);
  for (const lease of state.leases.values()) {
    const job = jobOf(state, lease.job);
    const use = lease.state === "stopping" ? "leaving" : lease.extra ? "burst" : job.class;
    for (const gpu of lease.gpus) {
      holders[gpu] = job.account;
      uses[gpu] = use;
    }
  }
  const cells = new GpuCells();
  const byMode = new Map<string, number>();
  const nodes: NodeColumn[] = [];
  for (const node of fleet.nodes) {
    if (node === undefined) continue;
    byMode.set(node.mode, (byMode.get(node.mode) ?? 0) + 1);
    const isOut = outModes.has(node.mode);
    const column = { gpus: node.facts.gpus.length, held: 0, burst: 0 };
    for (const [i, { model }] of node.facts.gpus.entries()) {
      const gpu = node.firstGpu + i;
      const use = uses[gpu] ?? (isOut ? "unusable" : "idle");
      cells.of(model, holders[gpu], use).gpus++;
      if (uses[gpu] !== undefined) column.held++;
      if (use === "burst") column.burst++;
    }
    nodes.push({ ...column, mode: isOut ? "out" : node.mode === "up" ? "up" : "cordoned" });
  }
  return { gpus: cells.all(), nodes: nodes.length, byMode, columns: columnsOf(nodes, columnsMax) };
}

/** Several nodes to a column where there are more nodes than columns; the worst mode is shown. */
function columnsOf(nodes: readonly NodeColumn[], columnsMax: number): NodeColumn[] {
  if (nodes.length <= columnsMax) return [...nodes];
  return Array.from({ length: columnsMax }, (_, i) => {
    const from = Math.floor((i * nodes.length) / columnsMax);
    const some = nodes.slice(from, Math.floor(((i + 1) * nodes.length) / columnsMax));
    const sum = (of: (node: NodeColumn) => number) => some.reduce((all, node) => all + of(node), 0);
    const modes = some.map(({ mode }) => mode);
    const mode = modes.includes("out") ? "out" : modes.includes("cordoned") ? "cordoned" : "up";
    return { gpus: sum(({ gpus }) => gpus), held: sum(({ held }) => held), burst: sum(({ burst }) => burst), mode };
  });
}
