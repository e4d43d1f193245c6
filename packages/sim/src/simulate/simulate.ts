import { type AccountId, emptyState, type Input, type JobId, type Refusal, type UserId } from "@tessera/core";
import { DirectEngine } from "./direct-engine.ts";
import { Kernel } from "./kernel.ts";
import { Observer } from "./observe.ts";
import type { Result } from "./result.ts";
import type { Arrival, Setting } from "./setting.ts";

/**
 * Runs the product's core on a virtual clock: every instant at which something happens is one batch, as the server's
 * writer would make it, and batches follow until nothing more happens at it.
 */
export function simulate(setting: Setting): Result {
  return new Simulation(setting).run();
}

class Simulation {
  readonly #setting: Setting;
  readonly #kernel: Kernel;
  readonly #observer: Observer;
  #founding = true;

  constructor(setting: Setting) {
    this.#setting = setting;
    const startAt = setting.arrivals[0]?.submitAt ?? 1;
    const state = emptyState();
    this.#observer = new Observer(setting, state);
    this.#kernel = new Kernel(state, startAt, {
      after: (event) => {
        this.#observer.see(event);
        engine.obey(event, state);
      },
      refused: (input, refusal) => this.#refused(input, refusal),
    });
    const engine = new DirectEngine(this.#kernel, {
      startMs: setting.startMs ?? 0,
      endOf: (job) => ({ runMs: this.#observer.arrivalOf(job).runMs, code: 0 }),
      onLost: (job, lostMs) => this.#observer.lost(job, lostMs),
    });
  }

  run(): Result {
    const begun = performance.now();
    const { arrivals, outages = [], untilAt = Number.POSITIVE_INFINITY } = this.#setting;
    const { clock } = this.#kernel;
    this.#found();
    for (const { node, at, backAt } of outages) {
      clock.at(at, () => this.#kernel.ask({ kind: "node.down", node, reason: "lost" }));
      clock.at(backAt, () => this.#kernel.ask({ kind: "node.up", node }));
    }
    for (let next = 0; ; ) {
      const submitAt = arrivals[next]?.submitAt ?? Number.POSITIVE_INFINITY;
      const actAt = clock.nextAt() ?? Number.POSITIVE_INFINITY;
      // Timers are of no interest once every job has ended.
      const timerAt = this.#observer.isDone(next) ? Number.POSITIVE_INFINITY : (this.#kernel.nextAt ?? actAt);
      const at = Math.min(submitAt, actAt, timerAt);
      if (at === Number.POSITIVE_INFINITY || at > untilAt) break;
      this.#observer.sampleUntil(at);
      clock.advanceTo(at);
      for (; (arrivals[next]?.submitAt ?? Number.POSITIVE_INFINITY) <= at; next++) this.#submit(arrivals[next]!, next);
      this.#kernel.settle();
    }
    if (untilAt < Number.POSITIVE_INFINITY) this.#observer.sampleUntil(untilAt);
    return this.#observer.result(this.#kernel.batches, performance.now() - begun);
  }

  /** The fleet, the policy and the accounts, before the first job. */
  #found(): void {
    const { nodes, policy, accounts } = this.#setting;
    this.#kernel.ask({ kind: "node.register", nodes });
    this.#kernel.ask({ kind: "policy.set", policy });
    this.#kernel.settle();
    for (const [i, { path, terms }] of accounts.entries()) {
      this.#kernel.ask({ kind: "account.create", id: `acc_${i}` as AccountId, path, terms });
    }
    this.#kernel.settle();
    this.#founding = false;
  }

  #refused(input: Input, refusal: Refusal): void {
    if (this.#founding) throw new Error(`${refusal.field} ${refusal.value}: ${refusal.detail}`);
    this.#observer.refused(input, refusal);
  }

  #submit({ account, user, spec }: Arrival, index: number): void {
    const id = `job_${index.toString(36)}` as JobId;
    const of = `usr_${user ?? "trace"}` as UserId;
    this.#kernel.ask({ kind: "job.submit", id, account, user: of, spec, endedBefore: [] });
  }
}
