import { type Event, type Input, type Job, type Lease, type NodeNo, type State, unitsPerGpu } from "@tessera/core";
import type { AuditRow, DeviceRow, EndedJobRow, Projected, UsageRow } from "../store/port.ts";
import { accountOfUser, auditOf } from "./audit.ts";
import { endedJobRows } from "./ended.ts";

/**
 * Turns the events of one batch into rows for the tables that answer questions. Shown each event while the state is
 * still without it. A pure function of journal and state, so a rebuild gives the same rows.
 */
export class Projector {
  readonly #jobs: EndedJobRow[] = [];
  readonly #usage: UsageRow[] = [];
  readonly #devices: DeviceRow[] = [];
  readonly #audit: AuditRow[] = [];
  readonly #seq: number;
  readonly #subjects = new Map<string, string>();

  constructor(seq: number) {
    this.#seq = seq;
  }

  see(event: Event, state: State): void {
    switch (event.kind) {
      case "node-added":
        for (const gpu of event.facts.gpus) {
          this.#device(event.at, gpu.uuid, event.facts.name, gpu.model, unitsPerGpu, unitsPerGpu, "up");
        }
        return;
      case "node-changed": {
        const node = state.fleet.node(event.node);
        if (node.mode !== event.mode) this.#wholeNode(state, event.node, event.at, event.mode);
        return;
      }
      case "node-removed":
        this.#wholeNode(state, event.node, event.at, "removed");
        return;
      case "job-submitted":
        return;
      case "job-placed":
        for (const seat of event.seats) this.#seat(state, seat.node, seat.gpus, event.at, -event.unitsEach);
        return;
      case "lease-started": {
        const lease = state.leases.get(event.lease)!;
        if (lease.state !== "stopping") this.#used(state, lease, event.at);
        return;
      }
      case "lease-stopping": {
        const lease = state.leases.get(event.lease)!;
        if (lease.state !== "stopping") this.#used(state, lease, event.at);
        return;
      }
      case "lease-ended": {
        const lease = state.leases.get(event.lease)!;
        this.#used(state, lease, event.at);
        this.#seat(state, lease.node, lease.gpus, event.at, lease.unitsEach);
        return;
      }
      case "job-ended":
        this.#jobs.push(...endedJobRows(state, event));
        return;
    }
  }

  /** Takes down who asked for what, before the batch changes what the names stand for. */
  noteSubjects(inputs: readonly Input[], state: State): void {
    for (const input of inputs) {
      if (input.kind !== "command") continue;
      const { command } = input;
      if (command.kind === "token.revoke") {
        const user = state.tokens.get(command.token)?.user;
        if (user !== undefined) this.#subjects.set(command.token, accountOfUser(state, user));
      } else if ("job" in command) {
        const account = (state.jobById.get(command.job) ?? state.arrayById.get(command.job))?.account;
        if (account !== undefined) this.#subjects.set(command.job, state.accounts[account]!.path);
      }
    }
  }

  finish(inputs: readonly Input[], state: State, at: number): Projected {
    for (const [index, input] of inputs.entries()) {
      if (input.kind !== "command") continue;
      const row = auditOf(input, state, at, this.#seq, index);
      this.#audit.push(row.account === "" ? { ...row, account: this.#subjects.get(row.target) ?? "" } : row);
    }
    return { jobs: this.#jobs, usage: this.#usage, devices: this.#devices, audit: this.#audit };
  }

  #device(
    at: number,
    gpu: string,
    node: string,
    model: string,
    capacityUnits: number,
    freeUnits: number,
    mode: string,
  ) {
    this.#devices.push({ gpu, node, model, at, seq: this.#seq, capacityUnits, freeUnits, mode });
  }

  #wholeNode(state: State, no: NodeNo, at: number, mode: string): void {
    const { fleet } = state;
    const node = fleet.node(no);
    for (const [i, gpu] of node.facts.gpus.entries()) {
      const gone = mode === "removed";
      const free = fleet.gpuFree[node.firstGpu + i]!;
      this.#device(at, gpu.uuid, node.facts.name, gpu.model, gone ? 0 : unitsPerGpu, gone ? 0 : free, mode);
    }
  }

  #seat(state: State, no: NodeNo, gpus: readonly number[], at: number, change: number): void {
    const { fleet } = state;
    const node = fleet.node(no);
    for (const gpu of gpus) {
      const model = fleet.models[fleet.gpuModel[gpu]!]!;
      this.#device(
        at,
        fleet.gpuUuid[gpu]!,
        node.facts.name,
        model,
        unitsPerGpu,
        fleet.gpuFree[gpu]! + change,
        node.mode,
      );
    }
  }

  /** The stretch that a lease has spent in the state it is about to leave. */
  #used(state: State, lease: Lease, toAt: number): void {
    if (toAt <= lease.since) return;
    const job = state.jobs.get(lease.job)!;
    this.#usage.push(...usageRows(state, job, lease, toAt));
  }
}

/** One row per device for the stretch from where the lease entered its state to `toAt`. */
export function usageRows(state: State, job: Job, lease: Lease, toAt: number): UsageRow[] {
  const { fleet } = state;
  return lease.gpus.map((gpu) => ({
    lease: lease.id,
    job: job.id,
    account: state.accounts[job.account]!.path,
    user: job.user,
    node: fleet.node(lease.node).facts.name,
    gpu: fleet.gpuUuid[gpu]!,
    model: fleet.models[fleet.gpuModel[gpu]!]!,
    units: lease.unitsEach,
    state: lease.state === "prepared" ? "starting" : lease.state,
    class: job.class,
    fromAt: lease.since,
    toAt,
  }));
}
