import {
  type AccountId,
  type CapacityChange,
  type Command,
  decideBatch,
  type Event,
  emptyState,
  type FloorChange,
  hour,
  type Input,
  type Instant,
  isRefusal,
  type JobId,
  type LeaseId,
  type LostWork,
  Meter,
  type Metered,
  meteredOf,
  minute,
  type NodeFacts,
  type OperationId,
  openUsage,
  parseJob,
  plainTerms,
  SchedulerMemory,
  type State,
  second,
  type Usage,
  type UserId,
  unitsPerGpu,
} from "@tessera/core";
import type { Dice } from "../prove/dice.ts";
import { InstantEngine } from "../prove/engine.ts";

const user = "usr_a" as UserId;

/** When a lease was placed and when it ended, noted from the events without looking at metering. */
export interface Stay {
  readonly placedAt: Instant;
  endedAt?: Instant;
}

/** A small fleet that lives through random jobs, quotas and faults on the real core, and is metered. */
export class World {
  readonly #memory = new SchedulerMemory();
  readonly state: State = emptyState();
  readonly stays = new Map<LeaseId, Stay>();
  readonly usage: Usage[] = [];
  readonly floors: FloorChange[] = [];
  readonly capacity: CapacityChange[] = [];
  readonly lost: LostWork[] = [];
  now: Instant;
  readonly #dice: Dice;
  readonly #engine: InstantEngine;
  readonly #nodes: string[] = [];
  readonly #accounts: string[] = [];
  #seq = 0;
  #jobs = 0;

  constructor(dice: Dice, startAt: Instant) {
    this.#dice = dice;
    this.now = startAt;
    this.#engine = new InstantEngine({
      runsMs: () => dice.whole(1, 9 * hour),
      graceMs: dice.pick([0, second, minute]),
    });
    this.#begin();
  }

  /** What has been metered so far; what still goes on counts up to now. */
  metered(): Metered {
    const { usage, floors, capacity, lost } = this;
    return { usage: [...usage, ...openUsage(this.state, this.now)], floors, capacity, lost };
  }

  /** A command that may be refused. */
  do(command: Command): boolean {
    const op = `op_${this.#seq}` as OperationId;
    const input: Input = { kind: "command", v: 1, op, actor: { user }, request: op, command };
    return !isRefusal(this.#decide([input])[0]);
  }

  /** Lets things happen until an instant. */
  live(until: Instant): void {
    while (this.now < until) {
      const next = Math.min(until, this.now + this.#dice.whole(1, 2 * hour));
      while (this.#engine.nextAt <= next) {
        this.now = Math.max(this.now, this.#engine.nextAt);
        this.#decide(this.#engine.take(this.now, this.state).inputs);
      }
      this.now = next;
      this.#turn();
    }
  }

  #begin(): void {
    const dice = this.#dice;
    const nodes = Array.from({ length: dice.whole(1, 3) }, (_, no) => nodeOf(no, dice));
    this.#nodes.push(...nodes.map(({ name }) => name));
    this.do({ kind: "node.register", nodes });
    for (const tenant of ["ant", "bee", "cat"].slice(0, dice.whole(2, 3))) {
      for (const path of [tenant, `${tenant}/x`, `${tenant}/y`]) {
        const id = `acc_${path.replace("/", "-")}` as AccountId;
        // What cannot be promised here is not.
        const made = this.do({ kind: "account.create", id, path, terms: this.#terms(path.includes("/")) });
        if (!made) this.do({ kind: "account.create", id, path, terms: plainTerms });
        this.#accounts.push(path);
      }
    }
  }

  #terms(below: boolean) {
    const dice = this.#dice;
    const gpus = dice.whole(0, below ? 1 : 3) * unitsPerGpu;
    const guarantee = gpus === 0 ? {} : { [dice.pick(["H100", "H100", "A100", "*"])]: gpus };
    return { ...plainTerms, quota: { guarantee, weight: 1 } };
  }

  /** One random thing. */
  #turn(): void {
    const dice = this.#dice;
    const node = dice.pick(this.#nodes);
    const kind = dice.whole(1, 100);
    if (kind <= 62) this.#submit();
    else if (kind <= 70) {
      const jobs = [...this.state.jobs.values()];
      if (jobs.length > 0) this.do({ kind: "job.cancel", job: dice.pick(jobs).id });
    } else if (kind <= 80) {
      const path = dice.pick(this.#accounts);
      this.do({ kind: "account.edit", path, terms: this.#terms(path.includes("/")) });
    } else if (kind <= 88) this.do({ kind: "node.down", node, reason: "lost" });
    else this.do({ kind: "node.up", node });
  }

  #submit(): void {
    const dice = this.#dice;
    const raw = {
      run: "true",
      name: `j${++this.#jobs}`,
      gpus: `${dice.pick(["H100", "H100", "A100"])}:${dice.pick(["1", "1", "2", "3", "0.5"])}`,
      preemptible: dice.chance(85),
      cpus: dice.whole(0, 4),
      checkpoint: dice.chance(30) ? { signal: "USR1", grace: "1m", every: "30m" } : undefined,
      topology: dice.chance(20) ? "node" : undefined,
    };
    const spec = parseJob(JSON.parse(JSON.stringify(raw)), { after: [] });
    if (isRefusal(spec)) return;
    const account = dice.pick(this.#accounts);
    this.do({ kind: "job.submit", id: `job_${this.#jobs}` as JobId, account, user, spec, endedBefore: [] });
  }

  #decide(inputs: readonly Input[]) {
    const meter = new Meter(++this.#seq);
    const { decisions, events } = decideBatch(this.state, inputs, this.now, {
      memory: this.#memory,
      see: (event, state) => {
        meter.see(event, state);
        this.#note(event);
      },
    });
    meter.finish(this.state);
    const { usage, floors, capacity, lost } = meteredOf(meter.records);
    this.usage.push(...usage);
    this.floors.push(...floors);
    this.capacity.push(...capacity);
    this.lost.push(...lost);
    for (const event of events) {
      this.#engine.obey(event, this.state);
      this.#noteSeats(event);
    }
    return decisions;
  }

  #note(event: Event): void {
    if (event.kind === "lease-ended") this.stays.get(event.lease)!.endedAt = event.at;
  }

  #noteSeats(event: Event): void {
    if (event.kind !== "job-placed") return;
    for (const lease of this.state.jobs.get(event.job)?.leases ?? []) this.stays.set(lease.id, { placedAt: event.at });
  }
}

function nodeOf(no: number, dice: Dice): NodeFacts {
  const model = dice.chance(75) ? "H100" : "A100";
  return {
    ...{ name: `n${no}`, engine: "books", place: { zone: "z", block: "b", rack: "r", nvlink: `n${no}` } },
    gpus: Array.from({ length: dice.whole(2, 4) }, (_, i) => ({ uuid: `GPU-${no}-${i}`, model, memoryMiB: 81_920 })),
    ...{ cpusMilli: 64_000, memoryMiB: 524_288, virtual: true, bootId: "b", address: "", pool: "any" as const },
  };
}
