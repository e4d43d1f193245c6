import {
  type AccountId,
  type Command,
  decideBatch,
  type Event,
  emptyState,
  type Input,
  isRefusal,
  type Job,
  type JobId,
  type LeaseId,
  type OperationId,
  plainTerms,
  type RawJob,
  type ReportWhat,
  SchedulerMemory,
  type State,
  type UserId,
  unitsPerGpu,
} from "@tessera/core";
import { declareNodes, seededRandom } from "@tessera/engine-simulated";
import { specOf } from "./mix.ts";

const tenants = 30;
const teamsEach = 10;
export const teams = tenants * teamsEach;
const usersEach = 17;
const gpusEach = 8;
const startedAt = Date.UTC(2026, 0, 5, 8);

/** How the guarantees, 70 % of the fleet, are distributed: to all teams equally, or to the teams of some tenants. */
export interface Floors {
  readonly tenants: number;
  /** Of the fleet. */
  readonly part: number;
}

export const floorsForAll: Floors = { tenants, part: 0.7 };

/** A fleet with 300 teams and 5,100 users in it, and the inputs that move it. The same seed gives the same inputs. */
export class Plant {
  readonly state: State;
  readonly memory = new SchedulerMemory();
  readonly random: () => number;
  now = startedAt;
  #count = 0;
  readonly #sequences = new Map<LeaseId, number>();

  constructor(gpus: number, seed: number, floors: Floors = floorsForAll, state = emptyState()) {
    this.state = state;
    this.random = seededRandom(seed);
    for (const inputs of foundation(gpus, floors)) this.decide(inputs.map((command) => this.#input(command, "system")));
  }

  /** Decides one batch. A refusal here is a fault of the benchmark. */
  decide(inputs: readonly Input[]): readonly Event[] {
    const { events, decisions } = decideBatch(this.state, inputs, this.now, { memory: this.memory });
    for (const decision of decisions) if (isRefusal(decision)) throw new Error(`refused: ${decision.detail}`);
    return events;
  }

  /** A submission of a user of a team; of any team unless one is given. */
  submit(ask: RawJob, team = Math.floor(this.random() * teams)): Input {
    const user = `usr_${team}x${Math.floor(this.random() * usersEach)}` as UserId;
    const id = `job_${(this.#count++).toString(36).padStart(16, "0")}` as JobId;
    return this.#input(
      { account: pathOf(team), endedBefore: [], id, kind: "job.submit", spec: specOf(ask), user },
      user,
    );
  }

  /** An engine's report about a lease. */
  report(lease: LeaseId, what: ReportWhat): Input {
    const sequence = (this.#sequences.get(lease) ?? 0) + 1;
    if (what.kind === "exited") this.#sequences.delete(lease);
    else this.#sequences.set(lease, sequence);
    return {
      kind: "report",
      v: 1,
      engine: "simulated",
      report: { lease, sequence, bootId: "boot", at: this.now, what },
    };
  }

  /** The same report for every lease of a job. */
  reports(job: Job, what: ReportWhat): Input[] {
    return job.leases.map((lease) => this.report(lease.id, what));
  }

  /** How much of the fleet's GPUs is held. */
  get fill(): number {
    return this.state.usage[0]!.units / this.state.fleet.totals.gpuUnits;
  }

  #input(command: Command, user: UserId | "system"): Input {
    const op = `op_${(this.#count++).toString(16).padStart(24, "0")}` as OperationId;
    return { actor: { user }, command, kind: "command", op, request: op, v: 1 };
  }
}

export const prepared: ReportWhat = { kind: "prepared", engineId: "e1", enforcement: { memory: "cgroup-v2" } };
export const started: ReportWhat = { kind: "started" };
export const succeeded: ReportWhat = { kind: "exited", ran: true, code: 0, done: true };
export const stopped: ReportWhat = { kind: "exited", ran: true, code: 143, signal: "SIGTERM" };

function pathOf(team: number): string {
  return `org${Math.floor(team / teamsEach)}/team${team}`;
}

/** Nodes of eight GPUs, four to a rack and sixteen racks to a block; then tenants and their teams. */
function* foundation(gpus: number, floors: Floors): Generator<Command[]> {
  const nodes = declareNodes({ count: gpus / gpusEach, gpusEach, model: "H100" });
  yield [{ kind: "node.register", nodes: nodes.map((facts) => ({ ...facts, pool: "any" as const })) }];
  const floor = Math.floor((gpus * floors.part) / (floors.tenants * teamsEach)) * unitsPerGpu;
  for (let tenant = 0; tenant < tenants; tenant++) {
    const has = tenant < floors.tenants ? floor : 0;
    const account = (id: string, path: string, units: number): Command => ({
      kind: "account.create",
      id: id as AccountId,
      path,
      terms: { ...plainTerms, quota: { guarantee: { "*": units }, weight: 1 } },
    });
    yield [account(`acc_o${tenant}`, `org${tenant}`, has * teamsEach)];
    const teamsOf = Array.from({ length: teamsEach }, (_, i) => tenant * teamsEach + i);
    yield teamsOf.map((team) => account(`acc_t${team}`, pathOf(team), has));
  }
}
