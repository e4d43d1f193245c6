import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideBatch } from "../decide/batch.ts";
import { canonicalJson } from "../journal/canonical.ts";
import type { Command } from "../journal/command.ts";
import type { Event } from "../journal/event.ts";
import type { Input } from "../journal/input.ts";
import { isRefusal } from "../journal/refusal.ts";
import { type AccountTerms, plainTerms } from "../model/account.ts";
import type { AccountId, LeaseId, OperationId } from "../model/ids.ts";
import type { JobSpec } from "../model/job.ts";
import { plainPolicy } from "../model/policy.ts";
import { hour, minute, unitsPerGpu } from "../model/units.ts";
import { apply } from "../state/apply/apply.ts";
import { emptyState } from "../state/empty.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import type { State } from "../state/state.ts";
import { parseJob, type RawJob } from "../submit/parse.ts";
import { ana, jobId, nodeOf } from "../testing/world.ts";
import { nextDueAt } from "./due.ts";
import { SchedulerMemory } from "./memory.ts";

/** Which of two worlds that live the same day: one keeps its memory, the other drops it or restarts now and then. */
interface Living {
  state: State;
  memory: SchedulerMemory;
}

const accounts = ["lab", "lab/x", "lab/y", "shop", "shop/z", "shop/w"];

class TwinDay {
  readonly #roll: (sides: number) => number;
  readonly #kept: Living = { state: emptyState(), memory: new SchedulerMemory() };
  readonly #forgetful: Living = { state: emptyState(), memory: new SchedulerMemory() };
  /** Made of the events alone, as a replay of the journal makes it. */
  readonly #replica = emptyState();
  readonly #sequence = new Map<LeaseId, number>();
  #now = 1_000_000;
  #count = 0;
  turns = 0;
  drops = 0;
  events = 0;

  constructor(seed: number, waiting: number, policy: Partial<typeof plainPolicy>) {
    let dice = seed;
    this.#roll = (sides) => {
      dice = (dice * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor(dice / 65_536) % sides;
    };
    const nodes = ["n1", "n2", "n3"].map((name) => nodeOf(name, "H100:4"));
    this.#decide([this.#command({ kind: "node.register", nodes })]);
    this.#decide([this.#command({ kind: "policy.set", policy: { ...plainPolicy, ...policy } })]);
    for (const path of accounts) this.#decide([this.#command(creation(path))]);
    for (let i = 0; i < waiting; i++) this.#decide([this.#submission()]);
  }

  /** Whether what the journal says is all that the scheduler's state holds. */
  isReplayed(): boolean {
    return writeSnapshot(this.#replica) === writeSnapshot(this.#kept.state);
  }

  get waitsLong(): boolean {
    return this.#kept.state.waiting.isLong;
  }

  /** Something happens: jobs end, are cancelled or come, and time passes to the next timer or beyond it. */
  step(): void {
    const { state, memory } = this.#kept;
    const dueAt = nextDueAt(state, memory);
    this.#now = this.#roll(3) > 0 && dueAt !== undefined ? Math.max(this.#now, dueAt) : this.#now + this.#roll(minute);
    const inputs: Input[] = [];
    for (const job of state.jobs.values()) {
      for (const lease of job.leases) {
        if (lease.state === "stopping")
          inputs.push(...this.#report(lease.id, { kind: "exited", ran: true, code: 143 }));
        else if (lease.startedAt === undefined) inputs.push(...this.#begins(lease.id));
        else if (this.#roll(12) === 0) inputs.push(...this.#report(lease.id, { kind: "exited", ran: true, code: 0 }));
      }
      if (this.#roll(200) === 0 && job.state === "waiting")
        inputs.push(this.#command({ kind: "job.cancel", job: job.id }));
      else if (!this.waitsLong && job.state === "waiting" && this.#roll(100) === 0)
        inputs.push(this.#command({ kind: "job.edit", job: job.id, spec: this.#changed(job.spec) }));
    }
    for (let i = this.#roll(6); i > 0; i--) inputs.push(this.#submission());
    this.#decide(inputs.length === 0 ? [{ kind: "tick", v: 1 }] : inputs);
  }

  #decide(inputs: readonly Input[]): void {
    if (this.#roll(3) === 0) this.#drop();
    const [kept, forgetful] = [this.#kept, this.#forgetful].map(({ state, memory }) =>
      decideBatch(state, inputs, this.#now, { memory }),
    );
    for (const decision of kept!.decisions) assert.ok(!isRefusal(decision), JSON.stringify(decision));
    // As the journal spells them, one by one so that a failure names the first that differs.
    for (let i = 0; i < Math.max(kept!.events.length, forgetful!.events.length); i++)
      assert.equal(canonicalJson(forgetful!.events[i]), canonicalJson(kept!.events[i]), `decision ${this.events + i}`);
    this.events += kept!.events.length;
    for (const event of kept!.events) apply(this.#replica, JSON.parse(canonicalJson(event)) as Event);
    this.turns += kept!.events.filter(({ kind }) => kind === "turn-taken").length;
  }

  #drop(): void {
    this.drops++;
    // Every second time all of it is new, as after a restart or a fail-over.
    if (this.drops % 2 === 0) this.#forgetful.state = readSnapshot(writeSnapshot(this.#forgetful.state));
    this.#forgetful.memory = new SchedulerMemory();
  }

  #command(command: Command): Input {
    const op = `op_${this.#count++}` as OperationId;
    return { kind: "command", v: 1, op, actor: { user: ana }, request: op, command };
  }

  #submission(): Input {
    const no = this.#count++;
    const raw: RawJob = {
      run: "true",
      gpus: [1, 1, 2, 4][this.#roll(4)]!,
      cpus: 1 + (no % 7),
      memory: `${1 + (no % 53)}GiB`,
      priority: this.#roll(8) === 0 ? "high" : "normal",
      ...(this.#roll(2) === 0 && { max_time: `${1 + this.#roll(30)}m` }),
      ...(this.#roll(3) === 0 && { checkpoint: { signal: "USR1", grace: "0s" } }),
    };
    const spec = parseJob(raw, { after: [] }) as JobSpec;
    const account = accounts[this.#roll(accounts.length)]!;
    return this.#command({ kind: "job.submit", id: jobId(`j${no}`), account, user: ana, spec, endedBefore: [] });
  }

  /** Smaller or larger, or of another priority. */
  #changed(spec: JobSpec): JobSpec {
    if (this.#roll(2) === 0) return { ...spec, priority: this.#roll(3) };
    return { ...spec, memoryMiB: 1024 * (1 + this.#roll(53)), maxTimeMs: minute * (1 + this.#roll(30)) };
  }

  #begins(lease: LeaseId): Input[] {
    return [
      ...this.#report(lease, { kind: "prepared", engineId: "e", enforcement: {} }),
      ...this.#report(lease, { kind: "started" }),
    ];
  }

  #report(lease: LeaseId, what: Extract<Input, { kind: "report" }>["report"]["what"]): Input[] {
    const sequence = (this.#sequence.get(lease) ?? 0) + 1;
    this.#sequence.set(lease, sequence);
    return [{ kind: "report", v: 1, engine: "test", report: { lease, sequence, bootId: "boot", at: this.#now, what } }];
  }
}

function creation(path: string): Command {
  const guarantees: Readonly<Record<string, number>> = { lab: 4, "lab/x": 1, shop: 2 };
  const quota = { guarantee: { "*": (guarantees[path] ?? 0) * unitsPerGpu }, weight: 1 };
  const terms: AccountTerms = { ...plainTerms, quota };
  return { kind: "account.create", id: `acc_${path.replace("/", "-")}` as AccountId, path, terms };
}

const policies = [
  { rebalance: "on", minRuntimeMs: 0, backfill: true },
  { rebalance: "checkpointed", minRuntimeMs: minute, backfill: true },
  { rebalance: "off", minRuntimeMs: hour, backfill: false },
] as const;

describe("a scheduler that drops its memory at random moments", () => {
  it("[S26] decides byte for byte as one that keeps it", () => {
    for (const [i, policy] of policies.entries()) {
      const day = new TwinDay(11 + i, 24, policy);
      for (let step = 0; step < 60; step++) day.step();
      assert.ok(day.isReplayed());
      assert.ok(day.drops > 20 && day.events > 200, `${day.drops} drops, ${day.events} events`);
    }
  });

  it("[S26, B6] does so where very many groups wait and take turns", () => {
    for (const [i, policy] of policies.slice(0, 2).entries()) {
      const day = new TwinDay(31 + i, 340, policy);
      for (let step = 0; step < 60; step++) {
        day.step();
        assert.ok(day.isReplayed(), `after step ${step}`);
      }
      assert.ok(day.waitsLong && day.turns > 10, `${day.turns} turns`);
    }
  });
});
