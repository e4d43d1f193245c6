import {
  type AccountId,
  type Command,
  decideBatch,
  emptyState,
  type Input,
  isRefusal,
  type JobId,
  type OperationId,
  type State,
  type UserId,
} from "@tessera/core";
import { SimulatedClock } from "@tessera/engine-simulated";
import { DirectEngine } from "./direct-engine.ts";
import { Observer } from "./observe.ts";
import type { Result } from "./result.ts";
import type { Arrival, Setting } from "./setting.ts";

/** More batches than this at one instant are an exchange without end, not a long way to rest. */
const roundsMax = 2_000;
const system = "usr_simulator" as UserId;

/**
 * Runs the product's core on a virtual clock: every instant at which something happens is one batch, as the server's
 * writer would make it, and batches follow until nothing more happens at it.
 */
export function simulate(setting: Setting): Result {
  return new Simulation(setting).run();
}

class Simulation {
  readonly #setting: Setting;
  readonly #state: State = emptyState();
  readonly #clock: SimulatedClock;
  readonly #engine: DirectEngine;
  readonly #observer: Observer;
  #inbox: Input[] = [];
  #operations = 0;
  #batches = 0;

  constructor(setting: Setting) {
    this.#setting = setting;
    const startAt = setting.arrivals[0]?.submitAt ?? 1;
    this.#clock = new SimulatedClock(startAt);
    this.#observer = new Observer(setting, this.#state);
    this.#engine = new DirectEngine(this.#clock, {
      startMs: setting.startMs ?? 0,
      runMsOf: (job) => this.#observer.arrivalOf(job).runMs,
      put: (input) => this.#inbox.push(input),
      onLost: (job, lostMs) => this.#observer.lost(job, lostMs),
    });
  }

  run(): Result {
    const begun = performance.now();
    const { arrivals, outages = [] } = this.#setting;
    this.#found();
    for (const outage of outages) {
      const { node } = outage;
      this.#clock.at(outage.at, () => this.#ask({ kind: "node.down", node, reason: "lost" }));
      this.#clock.at(outage.backAt, () => this.#ask({ kind: "node.up", node }));
    }
    for (let next = 0; ; ) {
      const { timers } = this.#state;
      const submitAt = arrivals[next]?.submitAt ?? Number.POSITIVE_INFINITY;
      const actAt = this.#clock.nextAt() ?? Number.POSITIVE_INFINITY;
      // What only time would bring about is of no interest once every job is over.
      const timerAt = this.#observer.isDone(next) ? Number.POSITIVE_INFINITY : (timers.nextAt ?? actAt);
      const at = Math.min(submitAt, actAt, timerAt);
      if (at === Number.POSITIVE_INFINITY) break;
      this.#observer.sampleUntil(at);
      this.#clock.advanceTo(at);
      for (; (arrivals[next]?.submitAt ?? Number.POSITIVE_INFINITY) <= at; next++) this.#submit(arrivals[next]!, next);
      this.#settle();
    }
    return this.#observer.result(this.#batches, performance.now() - begun);
  }

  /** The fleet, the policy and the accounts, before the first job. */
  #found(): void {
    const { nodes, policy, accounts } = this.#setting;
    this.#ask({ kind: "node.register", nodes });
    this.#ask({ kind: "policy.set", policy });
    this.#settle(true);
    for (const [i, { path, terms }] of accounts.entries()) {
      this.#ask({ kind: "account.create", id: `acc_${i}` as AccountId, path, terms });
    }
    this.#settle(true);
  }

  #submit({ account, user, spec }: Arrival, index: number): void {
    const id = `job_${index.toString(36)}` as JobId;
    const of = `usr_${user ?? "trace"}` as UserId;
    this.#ask({ kind: "job.submit", id, account, user: of, spec, endedBefore: [] });
  }

  #ask(command: Command): void {
    const op = `op_${this.#operations++}` as OperationId;
    this.#inbox.push({ kind: "command", v: 1, op, actor: { user: system }, request: op, command });
  }

  /** Decides until nothing more happens at this instant. */
  #settle(founding = false): void {
    let rounds = 0;
    do {
      const inputs = this.#inbox;
      this.#inbox = [];
      const { events, decisions } = decideBatch(this.#state, inputs, this.#clock.now());
      this.#batches++;
      for (const event of events) {
        this.#observer.see(event);
        this.#engine.obey(event, this.#state);
      }
      for (const [i, decision] of decisions.entries()) {
        if (!isRefusal(decision)) continue;
        if (founding) throw new Error(`${decision.field} ${decision.value}: ${decision.detail}`);
        this.#observer.refused(inputs[i]!, decision);
      }
      if (++rounds > roundsMax) throw new Error(`no rest at ${this.#clock.now()}`);
    } while (this.#inbox.length > 0);
  }
}
