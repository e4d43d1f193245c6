import {
  type AccountId,
  type Command,
  type Event,
  type Input,
  isRefusal,
  type JobId,
  type LeaseId,
  type OperationId,
  parseJob,
  plainTerms,
  type RawJob,
  type Report,
  type ReportWhat,
  type State,
  type UserId,
  unitsPerGpu,
} from "@tessera/core";
import { declareNodes, SimulatedClock, seededRandom } from "@tessera/engine-simulated";

const nodes = 300;
const tenants = 12;
const teamsEach = 4;
const usersEach = 5;
/** 30,000 submissions a day (DESIGN 1). */
const submitEveryMs = 2_880;
/** Keeps some two thirds of the fleet busy: jobs wait at times, and seldom for long. */
const runMsMean = 800_000;
/** Inputs that arrive within this time are one batch. */
const gatherMs = 250;
const startedAt = Date.UTC(2026, 0, 5, 8);

/**
 * Some days of a fleet of 2,400 GPUs, as inputs for the writer: submissions of many teams, arrays, gangs, cancels, holds,
 * failures and retries, drained nodes, and the engine's reports about each lease. The same seed gives the same days.
 */
export class BusyFleet {
  readonly clock = new SimulatedClock(startedAt);
  readonly #random: () => number;
  readonly #due: Input[] = [];
  readonly #sequences = new Map<LeaseId, number>();
  readonly #ending = new Set<LeaseId>();
  readonly #recent: JobId[] = [];
  #count = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  /** The nodes, accounts and users that are needed before the first job. */
  found(): Input[] {
    const commands: Command[] = [
      { kind: "node.register", nodes: declareNodes({ count: nodes, gpusEach: 8, model: "H100" }) },
    ];
    const guarantee = { "*": Math.floor((nodes * 8 * 0.7) / tenants) * unitsPerGpu };
    for (let tenant = 0; tenant < tenants; tenant++) {
      const terms = { ...plainTerms, quota: { guarantee, weight: 1 } };
      commands.push({ kind: "account.create", id: `acc_t${tenant}` as AccountId, path: `org${tenant}`, terms });
      for (let team = 0; team < teamsEach; team++) {
        const path = `org${tenant}/team${team}`;
        commands.push({ kind: "account.create", id: `acc_t${tenant}x${team}` as AccountId, path, terms: plainTerms });
        for (let user = 0; user < usersEach; user++) {
          const first = { role: "member", account: path } as const;
          commands.push({ kind: "user.create", user: userOf(tenant, team, user), first });
        }
      }
    }
    this.#submitLater();
    return commands.map((command) => this.#input(command, "system"));
  }

  /** The inputs of the next moment in which anything happens. */
  nextInputs(): Input[] {
    while (this.#due.length === 0) this.clock.advanceTo((this.clock.nextAt() ?? this.clock.now()) + gatherMs);
    return this.#due.splice(0);
  }

  /** Simulates the engine: placed jobs are prepared, start and end; stopped jobs leave. */
  learn(events: readonly Event[], state: State): void {
    for (const event of events) {
      if (event.kind === "job-placed") {
        for (const lease of state.jobs.get(event.job)?.leases ?? []) this.#runLater(lease.id);
      } else if (event.kind === "lease-stopping" && event.sequence === 0) {
        this.#endLater(event.lease, 2_000, { kind: "exited", ran: true, code: 143, signal: "SIGTERM" });
      } else if (event.kind === "lease-ended") {
        this.#sequences.delete(event.lease);
        this.#ending.delete(event.lease);
      }
    }
  }

  #runLater(lease: LeaseId): void {
    const readyMs = 200 + this.#random() * 300;
    const enforcement = { memory: "cgroup-v2", cpu: "cgroup-v2", gpu: "environment", tenant: "uid" };
    this.#reportLater(lease, readyMs, { kind: "prepared", engineId: `e${this.#count++}`, enforcement });
    this.#reportLater(lease, readyMs + 600, { kind: "started" });
    const code = this.#random() < 0.1 ? 1 : 0;
    const runMs = 1_000 + -Math.log(1 - this.#random()) * runMsMean;
    this.#endLater(lease, readyMs + runMs, { kind: "exited", ran: true, code, done: code === 0 });
  }

  #endLater(lease: LeaseId, ms: number, what: ReportWhat): void {
    this.clock.at(this.clock.now() + Math.round(ms), () => {
      if (this.#ending.has(lease)) return;
      this.#ending.add(lease);
      this.#report(lease, what);
    });
  }

  #reportLater(lease: LeaseId, ms: number, what: ReportWhat): void {
    this.clock.at(this.clock.now() + Math.round(ms), () => {
      if (!this.#ending.has(lease)) this.#report(lease, what);
    });
  }

  #report(lease: LeaseId, what: ReportWhat): void {
    const sequence = (this.#sequences.get(lease) ?? 0) + 1;
    this.#sequences.set(lease, sequence);
    const report: Report = { lease, sequence, bootId: "boot", at: this.clock.now(), what };
    this.#due.push({ kind: "report", v: 1, engine: "simulated", report });
  }

  #submitLater(): void {
    this.clock.at(this.clock.now() + Math.round(-Math.log(1 - this.#random()) * submitEveryMs), () => {
      this.#submit();
      this.#submitLater();
    });
  }

  #submit(): void {
    const tenant = this.#below(tenants);
    const team = this.#below(teamsEach);
    const user = userOf(tenant, team, this.#below(usersEach));
    const id = `job_${(this.#count++).toString(36).padStart(16, "0")}` as JobId;
    const spec = parseJob(this.#ask(), { after: [] });
    if (isRefusal(spec)) throw new Error(`a job of the benchmark is refused: ${spec.detail}`);
    const account = `org${tenant}/team${team}`;
    this.#due.push(this.#input({ kind: "job.submit", id, account, user, spec, endedBefore: [] }, user, true));
    this.#recent.push(id);
    if (this.#recent.length > 200) this.#recent.shift();
    const whim = this.#random();
    if (whim < 0.03) this.#commandLater({ kind: "job.cancel", job: this.#anyRecent() }, user);
    else if (whim < 0.04) {
      this.#commandLater({ kind: "job.hold", job: id }, user);
      this.clock.at(this.clock.now() + 60_000, () => this.#commandLater({ kind: "job.release", job: id }, user));
    } else if (whim < 0.042) this.#drainForAnHour();
  }

  #drainForAnHour(): void {
    const node = `sim-${String(1 + this.#below(nodes)).padStart(3, "0")}`;
    this.#commandLater({ kind: "node.drain", node, reason: "patch", until: this.clock.now() + 600_000 }, "system");
    this.clock.at(this.clock.now() + 3_600_000, () => this.#commandLater({ kind: "node.up", node }, "system"));
  }

  #ask(): RawJob {
    const kind = this.#random();
    const common = {
      name: `train-${this.#below(500)}`,
      run: `cd /data/run && python train.py --seed ${this.#below(1_000_000)} --lr 3e-4`,
      env: { WANDB_PROJECT: "detect", OMP_NUM_THREADS: "8" },
      cpus: 8,
      memory: "64GiB",
      max_time: "12h",
      retry: 2,
    };
    if (kind < 0.7) return { ...common, gpus: "H100:1" };
    if (kind < 0.88) return { ...common, gpus: `H100:${2 ** (1 + this.#below(2))}` };
    if (kind < 0.92) return { ...common, gpus: "H100:4", nodes: 2 + this.#below(3) };
    if (kind < 0.98) return { ...common, gpus: 1, array: `1-${10 + this.#below(40)}` };
    return { ...common, gpus: 0 };
  }

  #commandLater(command: Command, user: UserId | "system"): void {
    this.clock.at(this.clock.now() + this.#below(5_000), () => this.#due.push(this.#input(command, user)));
  }

  #anyRecent(): JobId {
    return this.#recent[this.#below(this.#recent.length)]!;
  }

  #input(command: Command, user: UserId | "system", keyed = false): Input {
    const op = `op_${(this.#count++).toString(16).padStart(24, "0")}` as OperationId;
    const idempotency = keyed ? { key: `key-${this.#count}`, bodyHash: "0".repeat(64) } : undefined;
    return { kind: "command", v: 1, op, actor: { user }, request: `req_${this.#count}`, command, idempotency };
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }
}

function userOf(tenant: number, team: number, user: number): UserId {
  return `usr_t${tenant}x${team}x${user}` as UserId;
}
