import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { type JobId, type LeaseId, leaseIdOf, type NodeFacts, type Report, type ReportWhat } from "@tessera/core";
import type { Engine, EngineLease, LeaseOrder, LogLine, LogQuery, StopOrder } from "../port.ts";
import type { Commands, Harness } from "./harness.ts";

const pollMs = 20;
/** Long enough for a slow machine; only a test that fails waits for it. */
const patienceMs = 30_000;
/** How long we watch for something that must not happen. */
const quietMs = 300;

export const plainStop: StopOrder = { signal: "SIGTERM", graceMs: 20_000 };

/** Plays the control plane: gives orders and takes reports, checking what must hold for each report. */
export class Session {
  readonly commands: Commands;
  readonly inside: Harness["inside"];
  readonly others: Harness["others"];
  readonly node: NodeFacts;
  readonly #harness: Harness;
  #engine: Engine;
  #jobs = 0;
  /** Every report ever seen, by lease and number. */
  readonly #known = new Map<LeaseId, Report[]>();
  /** What arrived since the last (re)opening, as it arrived. */
  #arrived: Report[] = [];
  /** Broken promises found in the listener, where throwing would fail the engine instead of the test. */
  readonly #faults: unknown[] = [];

  static async begin(harness: Harness): Promise<Session> {
    const [node] = await harness.engine.inventory();
    assert.ok(node !== undefined, "the harness must have at least one node");
    return new Session(harness, node);
  }

  constructor(harness: Harness, node: NodeFacts) {
    this.commands = harness.commands;
    this.inside = harness.inside;
    this.others = harness.others;
    this.node = node;
    this.#harness = harness;
    this.#engine = harness.engine;
    this.#listen();
  }

  get engine(): Engine {
    return this.#engine;
  }

  /** A complete order for a new job on one GPU of the first node. */
  orderOf(run: string, change: Partial<LeaseOrder> = {}): LeaseOrder {
    this.#jobs += 1;
    const job = `job_suite${this.#jobs}` as JobId;
    return {
      lease: leaseIdOf(job, 1, 0),
      job,
      jobName: "suite",
      attempt: 1,
      rank: 0,
      size: 1,
      node: this.node.name,
      gpuUuids: this.node.gpus.slice(0, 1).map((gpu) => gpu.uuid),
      gangNodes: [this.node.name],
      masterAddress: this.node.address,
      tenant: "acc_suite",
      account: "suite",
      run,
      env: {},
      secrets: {},
      limits: { cpusMilli: 1_000, memoryMiB: 512, processesMax: 100, runMsMax: 0 },
      strict: false,
      stop: plainStop,
      epoch: 1,
      ...change,
    };
  }

  /** Binds and waits until the member is held. */
  async hold(order: LeaseOrder): Promise<LeaseId> {
    await this.#engine.bind(order);
    await this.until(order.lease, "prepared");
    return order.lease;
  }

  /** Binds, releases and waits until the member runs. */
  async start(order: LeaseOrder): Promise<LeaseId> {
    await this.hold(order);
    await this.#engine.release(order.lease);
    await this.until(order.lease, "started");
    return order.lease;
  }

  /** Runs the order from bind to exit and returns how it ended. */
  async runToEnd(order: LeaseOrder): Promise<Extract<ReportWhat, { kind: "exited" }>> {
    await this.start(order);
    return this.until(order.lease, "exited");
  }

  /** Lets time pass until a report of this kind is there. */
  async until<Kind extends ReportWhat["kind"]>(
    lease: LeaseId,
    kind: Kind,
  ): Promise<Extract<ReportWhat, { kind: Kind }>> {
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      this.check();
      const found = this.reports(lease).find((report) => report.what.kind === kind);
      if (found !== undefined) return found.what as Extract<ReportWhat, { kind: Kind }>;
      const seen = this.kinds(lease).join(", ") || "none";
      assert.ok(waitedMs < patienceMs, `lease ${lease} never reported ${kind}; its reports: ${seen}`);
      await this.#harness.settle(pollMs);
    }
  }

  /** Lets time pass until `condition` holds. */
  async untilTrue(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
    for (let waitedMs = 0; !(await condition()); waitedMs += pollMs) {
      this.check();
      assert.ok(waitedMs < patienceMs, `never came true: ${what}`);
      await this.#harness.settle(pollMs);
    }
  }

  /** Fails when a report broke a promise. */
  check(): void {
    if (this.#faults.length > 0) throw this.#faults[0];
  }

  /** Skips a test of something that members do not really do here. */
  lacks(t: TestContext, ...needed: NonNullable<Harness["cannot"]>): boolean {
    const missing = needed.filter((each) => this.#harness.cannot?.includes(each));
    if (missing.length > 0) t.skip(`members here cannot ${missing.join(" or ")}`);
    return missing.length > 0;
  }

  settle(ms: number): Promise<void> {
    return this.#harness.settle(ms);
  }

  /** Time in which nothing should happen. */
  quiet(): Promise<void> {
    return this.#harness.settle(quietMs);
  }

  /** All reports of a lease, each once, by number. */
  reports(lease: LeaseId): readonly Report[] {
    return this.#known.get(lease) ?? [];
  }

  kinds(lease: LeaseId): string[] {
    return this.reports(lease).map((report) => report.what.kind);
  }

  /** Numbers of the reports of a lease that came since the last (re)opening, repetitions included. */
  arrived(lease: LeaseId): number[] {
    return this.#arrived.filter((report) => report.lease === lease).map((report) => report.sequence);
  }

  /** Forgets what has arrived so far. */
  clearArrived(): void {
    this.#arrived = [];
  }

  /** Acknowledges everything reported for a lease so far. */
  async acknowledgeAll(lease: LeaseId): Promise<void> {
    await this.#engine.acknowledge(lease, this.reports(lease).length);
  }

  /** The control plane dies and another one starts. */
  async reopen(): Promise<void> {
    this.#engine = await this.#harness.reopen();
    this.#arrived = [];
    this.#listen();
  }

  async listed(lease: LeaseId): Promise<EngineLease | undefined> {
    const found = (await this.#engine.list()).filter((entry) => entry.lease === lease);
    assert.ok(found.length <= 1, `lease ${lease} is listed twice`);
    return found[0];
  }

  /** What is offered of a node now; undefined if it is not there. */
  async factsOf(name: string): Promise<NodeFacts | undefined> {
    return (await this.#engine.inventory()).find((node) => node.name === name);
  }

  async logs(lease: LeaseId, query: LogQuery = {}): Promise<LogLine[]> {
    const lines: LogLine[] = [];
    for await (const line of this.#engine.logs(lease, query)) lines.push(line);
    return lines;
  }

  /** What the member itself printed. */
  async printed(lease: LeaseId): Promise<string[]> {
    return (await this.logs(lease)).filter((line) => line.stream === "stdout").map((line) => line.text);
  }

  #listen(): void {
    const engine = this.#engine;
    engine.subscribe((report) => {
      try {
        assert.equal(engine, this.#engine, "a replaced engine still reports");
        this.#take(report);
      } catch (fault) {
        this.#faults.push(fault);
      }
    });
  }

  #take(report: Report): void {
    this.#arrived.push(report);
    const known = this.#known.get(report.lease) ?? [];
    this.#known.set(report.lease, known);
    const before = known[report.sequence - 1];
    if (before !== undefined) {
      assert.deepEqual(report, before, "[S21] a repeated report says what it said the first time");
      return;
    }
    assert.equal(report.sequence, known.length + 1, `[S21] reports of ${report.lease} are numbered without gaps`);
    const last = known.at(-1);
    assert.ok(last === undefined || last.at <= report.at, "time does not run backwards between reports");
    assert.ok(last === undefined || !isFinal(last.what), `[S21] ${report.what.kind} was reported after the end`);
    known.push(report);
  }
}

export function isFinal(what: ReportWhat): boolean {
  return what.kind === "exited" || what.kind === "refused" || what.kind === "scrub-failed" || what.kind === "lost";
}
