import {
  type AccountNo,
  type FleetNode,
  type Instant,
  type Job,
  jobOf,
  type Lease,
  type NodeNo,
  noAccount,
  nodeName,
  type PlannedJob,
  type ReadonlyState,
  rootAccount,
  tenantOf,
  type User,
  unheldAs,
  unitsPerGpu,
} from "@tessera/core";
import type { FleetNodeShape } from "@tessera/wire";
import { may } from "../access/policy.ts";
import { nodeReason } from "./node-reason.ts";
import { gpusOf } from "./quantities.ts";

const letters = { guaranteed: "g", burst: "b", leaving: "l", others: "x" } as const;
/** Of what no lease holds. On nodes that are not up, the mode of the node says why nothing can be had. */
const unheldLetters = { idle: ".", reserved: "r", down: "w" } as const;

/** What is expected at a moment to come. */
export interface Expectation {
  readonly at: Instant;
  /** Whether a job that holds GPUs now still will. */
  readonly runs: (job: Job) => boolean;
  /** The jobs that will hold GPUs by then and do not now. */
  readonly comes: readonly Pick<PlannedJob, "job" | "cover" | "gpusOn">[];
}

/** The fleet for this viewer in one pass over leases and one over nodes; of what others hold only that it is held. */
export function* fleetMap(state: ReadonlyState, viewer: User, then?: Expectation): Generator<FleetNodeShape> {
  const { fleet } = state;
  const letterOf = new Array<string>(fleet.gpuFree.length).fill(unheldLetters.idle);
  for (const node of fleet.nodes) {
    if (node?.mode !== "up") continue;
    const end = node.firstGpu + node.facts.gpus.length;
    for (let gpu = node.firstGpu as number; gpu < end; gpu++) letterOf[gpu] = unheldLetters[unheldAs(fleet, node, gpu)];
  }
  const unheld = [...letterOf];
  const shares = new Map<number, Map<string, number>>();
  const tenantAt = new Map<number, string>();
  const tenants = new Tenants(state, viewer);
  const left = new Set<number>();
  for (const lease of state.leases.values()) {
    const job = jobOf(state, lease.job);
    if (then !== undefined && !then.runs(job)) {
      for (const gpu of lease.gpus) left.add(gpu);
      continue;
    }
    const tenant = tenants.of(job.account);
    const letter = tenant === undefined ? letters.others : letterFor(job, lease);
    for (const gpu of lease.gpus) {
      letterOf[gpu] = fleet.gpuFree[gpu]! > 0 ? letter.toUpperCase() : letter;
      if (tenant !== undefined) tenantAt.set(gpu, tenant);
      if (lease.unitsEach === unitsPerGpu) continue;
      const held = shares.get(gpu) ?? new Map<string, number>();
      shares.set(gpu, held.set(letter, (held.get(letter) ?? 0) + lease.unitsEach));
    }
  }
  // A part of it is free by then.
  for (const gpu of left) if (shares.has(gpu)) letterOf[gpu] = letterOf[gpu]!.toUpperCase();
  for (const { job, cover, gpusOn } of then?.comes ?? []) {
    const tenant = tenants.of(job.account);
    const letter = tenant === undefined ? letters.others : letters[cover === noAccount ? "burst" : "guaranteed"];
    for (const [no, gpus] of gpusOn) {
      for (const gpu of idleOn(state, letterOf, no, gpus)) {
        letterOf[gpu] = letter;
        if (tenant !== undefined) tenantAt.set(gpu, tenant);
      }
    }
  }
  const several = fleet.enginesPresent().length > 1;
  const mayChange = may(state, viewer, "engine.write", rootAccount);
  for (const node of fleet.nodes) {
    if (node === undefined) continue;
    const { engine, place, gpus } = node.facts;
    const first = node.firstGpu as number;
    const mode = then === undefined ? node.mode : modeAt(node, then.at);
    yield {
      name: nodeName(fleet, node),
      ...(several && { engine }),
      ...place,
      model: gpus[0]?.model ?? "",
      mode,
      ...(mode !== "up" && node.reason !== "" && { reason: nodeReason(state, node, mayChange) }),
      cells: letterOf.slice(first, first + gpus.length).join(""),
      ...partsOf(shares, unheld, first, gpus.length),
      ...holdersOf(tenantAt, first, gpus.length),
    };
  }
}

/** Of GPUs that are shared, or held in part: how much of each counts as what. */
function partsOf(
  shares: ReadonlyMap<number, ReadonlyMap<string, number>>,
  unheld: readonly string[],
  first: number,
  count: number,
): Pick<FleetNodeShape, "parts"> {
  const parts: Record<string, Record<string, number>> = {};
  for (let gpu = first; gpu < first + count; gpu++) {
    const held = shares.get(gpu);
    if (held === undefined) continue;
    const free = [...held.values()].reduce((left, units) => left - units, unitsPerGpu);
    const all = free > 0 ? [...held, [unheld[gpu]!, free] as const] : [...held];
    parts[gpu - first] = Object.fromEntries(all.map(([letter, units]) => [letter, gpusOf(units)]));
  }
  return Object.keys(parts).length === 0 ? {} : { parts };
}

/** The first GPUs of a node that nobody holds; a plan says how many of a node it takes, not which. */
function idleOn({ fleet }: ReadonlyState, letterOf: readonly string[], no: NodeNo, gpus: number): number[] {
  const { firstGpu, facts } = fleet.node(no);
  const all = Array.from({ length: facts.gpus.length }, (_, place) => firstGpu + place);
  // What is kept for a job is there for it to start.
  const isFree = (letter: string) => letter === unheldLetters.idle || letter === unheldLetters.reserved;
  return all.filter((gpu) => isFree(letterOf[gpu]!)).slice(0, gpus);
}

/** A maintenance window takes a node out of use, and its end brings it back. */
function modeAt({ mode, maintenance = [] }: FleetNode, at: Instant): FleetNode["mode"] {
  if (maintenance.some(({ from, to }) => from <= at && at < to)) return "maintenance";
  const isOver = maintenance.some(({ active, to }) => active === true && to <= at);
  return isOver && (mode === "maintenance" || mode === "draining") ? "up" : mode;
}

function letterFor(job: Job, lease: Lease): string {
  if (lease.state === "stopping") return letters.leaving;
  return letters[lease.extra ? "burst" : job.class];
}

function holdersOf(tenantAt: ReadonlyMap<number, string>, first: number, count: number) {
  const tenants: string[] = [];
  const holders: number[] = [];
  for (let gpu = first; gpu < first + count; gpu++) {
    const tenant = tenantAt.get(gpu);
    if (tenant !== undefined && !tenants.includes(tenant)) tenants.push(tenant);
    holders.push(tenant === undefined ? -1 : tenants.indexOf(tenant));
  }
  return tenants.length === 0 ? {} : { tenants, holders };
}

/** The tenant behind each account, where the viewer may see its jobs; asked once for an account. */
class Tenants {
  readonly #state: ReadonlyState;
  readonly #viewer: User;
  readonly #known = new Map<AccountNo, string | undefined>();

  constructor(state: ReadonlyState, viewer: User) {
    this.#state = state;
    this.#viewer = viewer;
  }

  of(account: AccountNo): string | undefined {
    if (!this.#known.has(account)) {
      const seen = may(this.#state, this.#viewer, "job.read", account);
      this.#known.set(account, seen ? tenantOf(this.#state, account).path : undefined);
    }
    return this.#known.get(account);
  }
}
