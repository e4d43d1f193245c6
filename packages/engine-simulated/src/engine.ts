import type { HealthFinding, LeaseId, NodeFacts, Report } from "@tessera/core";
import {
  type Capabilities,
  type CheckResult,
  type Engine,
  type EngineLease,
  type Entry,
  EntryRefused,
  type LeaseOrder,
  type LogLine,
  type LogQuery,
  type StopOrder,
  type Telemetry,
} from "@tessera/engine";
import type { SimulatedFleet } from "./fleet.ts";
import { readLog } from "./log.ts";
import { simulatedName } from "./nodes.ts";

const noInside = "a simulated fleet runs no processes, so there is nothing to enter";

/** A control plane's view of a simulated fleet. Opening another one is what a restart of the control plane does. */
export class SimulatedEngine implements Engine {
  readonly name: string;
  readonly capabilities: Capabilities = {
    images: false,
    isolation: ["whole", "mig", "mps", "timeslice"],
    workdir: false,
  };
  readonly #fleet: SimulatedFleet;
  readonly #onClose: () => void;
  #closed = false;

  constructor(fleet: SimulatedFleet, name = simulatedName, onClose: () => void = () => {}) {
    this.name = name;
    this.#fleet = fleet;
    this.#onClose = onClose;
    // The listener of an earlier engine is gone.
    fleet.outbox.unsubscribe();
  }

  async inventory(): Promise<readonly NodeFacts[]> {
    return this.#open().nodes();
  }

  async telemetry(): Promise<Telemetry> {
    return this.#open().telemetry();
  }

  onHealth(listener: (finding: HealthFinding) => void): void {
    this.#open().onHealth(listener);
  }

  /** There is no hardware to check, so nothing passes and nothing fails. */
  async check(): Promise<readonly CheckResult[]> {
    return [{ name: "simulated", result: "skipped", text: "a simulated fleet has no hardware to check", ms: 0 }];
  }

  async bind(order: LeaseOrder): Promise<void> {
    this.#open().bind(order);
  }

  async release(lease: LeaseId): Promise<void> {
    this.#open().release(lease);
  }

  async stop(lease: LeaseId, how: StopOrder): Promise<void> {
    this.#open().stop(lease, how);
  }

  async list(): Promise<readonly EngineLease[]> {
    const fleet = this.#open();
    fleet.outbox.resume(fleet.members);
    return fleet.leases();
  }

  subscribe(listener: (report: Report) => void): void {
    const fleet = this.#open();
    fleet.outbox.subscribe(listener, fleet.members);
  }

  async acknowledge(lease: LeaseId, sequence: number): Promise<void> {
    this.#open().acknowledge(lease, sequence);
  }

  logs(lease: LeaseId, query: LogQuery): AsyncIterable<LogLine> {
    return readLog(this.#open(), lease, query);
  }

  async open(): Promise<Entry> {
    throw new EntryRefused(noInside);
  }

  async ports(): Promise<readonly number[]> {
    throw new EntryRefused(noInside);
  }

  /** Nothing here has files. */
  async *files(): AsyncGenerator<never> {}

  async readFile(): Promise<undefined> {}

  /** Nothing is kept for jobs here. */
  async sweep(): Promise<void> {}

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#fleet.outbox.unsubscribe();
    this.#onClose();
  }

  #open(): SimulatedFleet {
    if (this.#closed) throw new Error("this engine is closed");
    return this.#fleet;
  }
}
