import {
  comesBack,
  type Event,
  type Job,
  killNow,
  type Lease,
  type LeaseId,
  type ReadonlyState,
  type Report,
  stopOrderOf,
} from "@tessera/core";
import { type Engine, EngineFenced, type LeaseOrder } from "@tessera/engine";
import { MasterAway } from "../../access/ring/master.ts";
import type { CommitListener } from "../commits.ts";
import { crashPoint } from "../crash-point.ts";
import { orderOf } from "./order.ts";

/** What is kept of jobs, and what of it they may use. */
export interface JobFiles {
  /** Throws, for the user of the job, when something that it mounts cannot be had. */
  orderFor(job: Job): Promise<Pick<LeaseOrder, "outputs" | "mounts">>;
  /** The report as it may be written: outputs for which there is no room are left out of it. */
  admit(report: Report): Report;
}

/** What a member gets as secrets: in clear text, or sealed where only the engine's own process can open them. */
export type OrderSecrets = Pick<LeaseOrder, "secrets" | "sealedSecrets">;

export interface DriverPorts {
  readonly engine: Engine;
  /** Whether it runs the nodes of an engine; absent = those of its own name. A simulation plays several engines at once. */
  readonly plays?: (engine: string) => boolean;
  /** The replica of committed state. */
  readonly state: ReadonlyState;
  /** Hands a report to the writer; resolves when what it led to is durable. */
  readonly report: (report: Report) => Promise<unknown>;
  readonly secretsFor: (job: Job) => Promise<OrderSecrets>;
  /** Absent where engines keep no files. */
  readonly files?: JobFiles;
  readonly now: () => number;
  /** Waits; the simulated clock waits in virtual time. */
  readonly sleep: (ms: number) => Promise<void>;
  /** The engine belongs to a newer control plane: this one must stop. */
  readonly onFenced: (error: Error) => void;
  readonly warn: (text: string) => void;
  /** Resolves while the engine can be called, or later when it can; absent where it always can. */
  readonly reached?: () => Promise<void>;
  /** A call failed: perhaps the engine cannot be reached any more. */
  readonly onFailed?: (error: Error) => void;
}

/** Starting a process costs tens of milliseconds of a core; more at once only makes all of them late. */
const usualCallsAtOnce = 8;
const retryMsFirst = 200;
const retryMsMax = 10_000;
/** Missing from one list is not dead: the second list decides. */
const listsApartMs = 1_000;
/** A start waits no longer for what it reports lost to be durable. */
const lostMsMax = 5_000;

/**
 * Makes one engine do what has been committed, and tells the writer what it says. It looks only at leases on nodes of that
 * engine. What a lease should be is read from the state each time, so a call can be repeated, be late, or be lost with the
 * process, without harm.
 */
export class Driver implements CommitListener {
  readonly #ports: DriverPorts;
  readonly #busy = new Set<LeaseId>();
  readonly #again = new Set<LeaseId>();
  #calls = 0;
  readonly #queue: (() => void)[] = [];
  readonly #callsAtOnce: number;
  #subscribed = false;
  /** Own leases that the batch at hand ends as lost. */
  readonly #lostNow: LeaseId[] = [];
  #closed = false;

  constructor(ports: DriverPorts) {
    this.#ports = ports;
    this.#callsAtOnce = ports.engine.capabilities.callsAtOnce ?? usualCallsAtOnce;
  }

  /**
   * After a start, and after a time out of reach: compares what the engine holds with what the journal says. Orphans are
   * stopped, ghosts are reported lost, everything else is taken over as it is.
   */
  async adopt(): Promise<void> {
    const { engine, state } = this.#ports;
    crashPoint("adopting");
    if (!this.#subscribed) engine.subscribe((report) => void this.#hear(report));
    this.#subscribed = true;
    const found = await engine.list();
    const known = new Set(found.map((each) => each.lease));
    crashPoint("adopting");
    const own = [...state.leases.values()].filter((lease) => this.#isOwn(lease));
    const missing = own.filter((lease) => !known.has(lease.id) && lease.reportSequence > 0);
    const lost = new Set<LeaseId>();
    if (missing.length > 0) {
      await this.#ports.sleep(listsApartMs);
      const again = new Set((await engine.list()).map((each) => each.lease));
      const gone = missing.filter((lease) => !again.has(lease.id) && state.leases.has(lease.id));
      for (const { id } of gone) lost.add(id);
      // On a full disk that cannot be written now; the server starts all the same, and it is written when there is room.
      if (gone.length > 0) await Promise.race([this.#allLost(gone), this.#ports.sleep(lostMsMax)]);
    }
    for (const each of found) if (each.state !== "gone" && !state.leases.has(each.lease)) this.#pursue(each.lease);
    for (const { id } of own) if (!lost.has(id)) this.#pursue(id);
    crashPoint("adopting");
  }

  async #allLost(leases: readonly Lease[]): Promise<void> {
    for (const lease of leases) await this.#lost(lease);
  }

  before(event: Event, state: ReadonlyState): void {
    if (event.kind === "job-placed" && state.jobs.get(event.job)?.claim !== undefined) crashPoint("before-start");
    if (event.kind !== "lease-ended" || event.result !== "lost") return;
    const lease = state.leases.get(event.lease);
    if (lease !== undefined && this.#isOwn(lease)) this.#lostNow.push(lease.id);
  }

  /** Looks at each lease that the batch touched. */
  after({ events }: { readonly events: readonly Event[] }, state: ReadonlyState): void {
    for (const event of events) {
      if (event.kind === "job-placed" || event.kind === "job-grown") {
        this.#pursueGang(state.jobs.get(event.job));
      } else if (event.kind === "lease-prepared") {
        this.#pursueGang(state.jobs.get(state.leases.get(event.lease)?.job as never));
      } else if (event.kind === "lease-stopping" && event.sequence === 0) {
        const lease = state.leases.get(event.lease);
        if (lease !== undefined && this.#isOwn(lease)) this.#pursue(lease.id);
      }
    }
    // Their nodes were declared down. Should they run all the same, they must not run beside their successors (S17).
    for (const lease of this.#lostNow.splice(0)) this.#pursue(lease);
  }

  #pursueGang(job: Job | undefined): void {
    for (const lease of job?.leases ?? []) if (this.#isOwn(lease)) this.#pursue(lease.id);
  }

  #isOwn({ node }: Pick<Lease, "node">): boolean {
    const { engine, state, plays } = this.#ports;
    const of = state.fleet.nodes[node]?.facts.engine;
    return of !== undefined && (plays === undefined ? of === engine.name : plays(of));
  }

  close(): void {
    this.#closed = true;
  }

  async #hear(report: Report): Promise<void> {
    if (this.#closed) return;
    const lease = this.#ports.state.leases.get(report.lease);
    if (lease !== undefined && !this.#isOwn(lease))
      return this.#ports.warn(
        `${report.lease}: engine ${this.#ports.engine.name} reports on a lease of another engine`,
      );
    if (report.what.kind === "exited" && this.#isTaken(report.lease)) crashPoint("after-stop");
    try {
      await this.#ports.report(this.#ports.files?.admit(report) ?? report);
    } catch {
      return; // the writer has stopped; the engine repeats the report after the next start
    }
    try {
      await this.#call(() => this.#ports.engine.acknowledge(report.lease, report.sequence));
    } catch (error) {
      // It is durable here; that the engine keeps it a while longer does no harm.
      this.#ports.warn(`${report.lease}: ${(error as Error).message}`);
      this.#ports.onFailed?.(error as Error);
    }
  }

  async #lost(lease: Lease): Promise<void> {
    const what = { kind: "lost", reason: "the engine does not know it any more" } as const;
    const { now } = this.#ports;
    await this.#ports.report({ lease: lease.id, sequence: lease.reportSequence + 1, bootId: "", at: now(), what });
  }

  /** Brings one lease closer to what it should be; at most one pursuit of a lease at a time. */
  #pursue(id: LeaseId): void {
    if (this.#busy.has(id)) {
      this.#again.add(id);
      return;
    }
    this.#busy.add(id);
    void this.#pursueUntilDone(id).finally(() => {
      this.#busy.delete(id);
      if (this.#again.delete(id)) this.#pursue(id);
    });
  }

  async #pursueUntilDone(id: LeaseId): Promise<void> {
    for (let wait = retryMsFirst; !this.#closed; wait = Math.min(2 * wait, retryMsMax)) {
      await this.#ports.reached?.();
      if (this.#closed) return;
      try {
        await this.#call(() => this.#step(id));
        return;
      } catch (error) {
        if (error instanceof EngineFenced) return this.#ports.onFenced(error);
        this.#ports.onFailed?.(error as Error);
        this.#ports.warn(`${id}: ${(error as Error).message}; trying again in ${wait} ms`);
        await this.#ports.sleep(wait);
      }
    }
  }

  async #step(id: LeaseId): Promise<void> {
    const { engine, state } = this.#ports;
    const lease = state.leases.get(id);
    // Over as far as the journal is concerned: whatever is left of it must go.
    if (lease === undefined) return engine.stop(id, killNow);
    const job = state.jobs.get(lease.job)!;
    if (lease.state === "stopping") {
      if (this.#isTaken(id)) crashPoint("before-signal");
      // Without a cause it is an extra member of a job that goes on.
      const cause = job.stopCause ?? "shrink";
      const how = stopOrderOf(job, cause, state.policy);
      await engine.stop(id, comesBack(job, cause) ? { ...how, returns: true } : how);
      if (this.#isTaken(id)) crashPoint("in-grace");
      return;
    }
    if (lease.state === "starting") {
      let secrets: OrderSecrets;
      let files: Partial<LeaseOrder> | undefined;
      try {
        secrets = await this.#ports.secretsFor(job);
        files = await this.#ports.files?.orderFor(job);
      } catch (error) {
        if (error instanceof MasterAway) throw error; // it comes back, and the job is tried again until then
        return this.#refused(lease, (error as Error).message);
      }
      return engine.bind({ ...orderOf(state, job, lease), ...secrets, ...files });
    }
    // A gang is let go only when all of it is ready: no member runs alone (S5).
    if (lease.state !== "prepared") return;
    const gang = job.leases.filter((each) => !each.extra);
    const ready = gang.every((each) => each.state === "prepared" || each.state === "running");
    // Once one of them has run, all were let go: the order of this one may have been lost, and others may have ended since.
    const whole = gang.length === job.spec.members.min || job.startedAt > 0;
    if (lease.extra || (ready && whole)) return engine.release(id);
  }

  /** Another job claims its seat. */
  #isTaken(id: LeaseId): boolean {
    const lease = this.#ports.state.leases.get(id);
    return lease !== undefined && this.#ports.state.jobs.get(lease.job)?.stopCause === "preempt";
  }

  async #refused(lease: Lease, reason: string): Promise<void> {
    const what = { kind: "refused", reason } as const;
    await this.#ports.report({
      lease: lease.id,
      sequence: lease.reportSequence + 1,
      bootId: "",
      at: this.#ports.now(),
      what,
    });
  }

  /** A bounded number of engine calls at a time. */
  async #call(act: () => Promise<void>): Promise<void> {
    if (this.#calls >= this.#callsAtOnce) await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#calls++;
    try {
      crashPoint("before-engine-call");
      await act();
      crashPoint("after-engine-call");
    } finally {
      this.#calls--;
      this.#queue.shift()?.();
    }
  }
}
