import {
  deviceState,
  type Event,
  type GpuNo,
  type Input,
  isStranded,
  type Job,
  type JobGrown,
  type JobPlaced,
  type Lease,
  Meter,
  type NodeNo,
  type RestChange,
  type RestStretch,
  RestWatch,
  restLease,
  type Seat,
  type State,
  StrandWatch,
  unitsPerGpu,
} from "@tessera/core";
import type { AuditRow, BookRow, DeviceRow, EndedJobRow, Projected, UsageRow } from "../../store/port.ts";
import { accountOfUser, auditOf } from "./audit.ts";
import { meterRow, moneyRows } from "./book-rows.ts";
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
  readonly #meter: Meter;
  readonly #rest = new RestWatch(
    (stretch, state) => this.#usage.push(restRow(state, stretch)),
    (change, state) => this.#restChanged(change, state),
  );
  readonly #stranded = new StrandWatch((no, at, state) => this.#freeOf(state, no, at));
  readonly #money: Omit<BookRow, "seq" | "index">[] = [];
  readonly #subjects = new Map<string, string>();

  constructor(seq: number) {
    this.#seq = seq;
    this.#meter = new Meter(seq);
  }

  see(event: Event, state: State): void {
    this.#rest.see(event, state);
    this.#stranded.see(event, state);
    this.#meter.see(event, state);
    for (const row of moneyRows(event)) this.#money.push(row);
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
      case "job-claimed":
        this.#keep(state, event.seats, event.at, true);
        return;
      case "claim-dropped":
        this.#keep(state, state.jobs.get(event.job)!.claim?.seats ?? [], event.at, false);
        return;
      case "job-ended":
        this.#keep(state, state.jobs.get(event.job)!.claim?.seats ?? [], event.at, false);
        this.#jobs.push(...endedJobRows(state, event));
        return;
      case "job-grown":
      case "job-placed":
        this.#taken(state, event);
        return;
      case "lease-scrubbed":
      case "lease-reshaped":
        this.#used(state, state.leases.get(event.lease)!, event.at);
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
        this.#givenBack(state, lease, event.at);
        return;
      }
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
    this.#rest.settle(state);
    this.#stranded.settle(state);
    this.#meter.finish(state);
    for (const [index, input] of inputs.entries()) {
      if (input.kind !== "command") continue;
      const row = auditOf(input, state, at, this.#seq, index);
      this.#audit.push(row.account === "" ? { ...row, account: this.#subjects.get(row.target) ?? "" } : row);
    }
    const books = [...this.#meter.records.map(meterRow), ...this.#money].map((row, index) => ({
      ...row,
      seq: this.#seq,
      index,
    }));
    return { jobs: this.#jobs, usage: this.#usage, devices: this.#devices, audit: this.#audit, books };
  }

  /** What is left of the nodes of confidential tenants is metered to them, and is not idle [U3]. */
  #restChanged({ gpu, at, rest }: RestChange, state: State): void {
    const { fleet } = state;
    const node = fleet.nodes[fleet.gpuNode[gpu]!];
    if (node === undefined) return;
    const mode = rest !== undefined ? "dedicated" : fleet.gpuHeldFor[gpu] !== 0 ? "held" : node.mode;
    this.#state(state, node.no, gpu, at, fleet.gpuFree[gpu]!, mode);
  }

  /** What is free of a node, and what it counts as; for nodes of which nothing can be used, or could not be before. */
  #freeOf(state: State, no: NodeNo, at: number): void {
    const { fleet, rest } = state;
    const node = fleet.node(no);
    for (let i = 0; i < node.facts.gpus.length; i++) {
      const gpu = (node.firstGpu + i) as GpuNo;
      const free = fleet.gpuFree[gpu]!;
      if (free === 0) continue;
      const plain = isStranded(node) ? "stranded" : node.mode;
      const mode = rest.has(gpu) ? "dedicated" : fleet.gpuHeldFor[gpu] !== 0 ? "held" : plain;
      this.#state(state, no, gpu, at, free, mode);
    }
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

  /** Seats are taken; several of one event may be on one device. */
  #taken(state: State, { seats, unitsEach, at }: JobPlaced | JobGrown): void {
    const { fleet } = state;
    const free = seats.length > 1 ? new Map<number, number>() : undefined;
    for (const { node, gpus, part } of seats) {
      for (const gpu of gpus) {
        const left = (free?.get(gpu) ?? fleet.gpuFree[gpu]!) - (part?.compute ?? unitsEach);
        free?.set(gpu, left);
        this.#state(state, node, gpu, at, left, fleet.node(node).mode);
      }
    }
  }

  /** What is given back to a claimant is not idle. */
  #givenBack(state: State, { node, gpus, unitsEach }: Lease, at: number): void {
    const { fleet } = state;
    const mode = gpus.some((gpu) => fleet.gpuHeldFor[gpu] !== 0) ? "held" : fleet.node(node).mode;
    for (const gpu of gpus) this.#state(state, node, gpu, at, fleet.gpuFree[gpu]! + unitsEach, mode);
  }

  /** Free devices are kept for a claimant from now on, or no longer. What is in use is told when it is given back. */
  #keep(state: State, seats: readonly Seat[], at: number, held: boolean): void {
    const { fleet } = state;
    for (const { node, gpus } of seats) {
      const mode = fleet.nodes[node]?.mode;
      if (mode === undefined) continue;
      for (const gpu of gpus) {
        const free = fleet.gpuFree[gpu]!;
        if (free > 0) this.#state(state, node, gpu, at, free, held ? "held" : mode);
      }
    }
  }

  #state(state: State, no: NodeNo, gpu: number, at: number, free: number, mode: string): void {
    const { fleet } = state;
    const model = fleet.models[fleet.gpuModel[gpu]!]!;
    this.#device(at, fleet.gpuUuid[gpu]!, fleet.node(no).facts.name, model, unitsPerGpu, free, mode);
  }

  /** The stretch that a lease has spent in the state it is about to leave. */
  #used(state: State, lease: Lease, toAt: number): void {
    if (toAt <= lease.since) return;
    const job = state.jobs.get(lease.job)!;
    this.#usage.push(...usageRows(state, job, lease, toAt));
  }
}

/** A stretch in which a GPU was left to the tenant that has its node to itself. */
export function restRow(state: State, { gpu, account, units, since, toAt }: RestStretch): UsageRow {
  const { fleet } = state;
  return {
    lease: restLease(state, gpu),
    job: "",
    account: state.accounts[account]!.path,
    user: "",
    node: fleet.nodes[fleet.gpuNode[gpu]!]!.facts.name,
    gpu: fleet.gpuUuid[gpu]!,
    model: fleet.models[fleet.gpuModel[gpu]!]!,
    units,
    state: "dedicated",
    class: "guaranteed",
    fromAt: since,
    toAt,
  };
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
    state: deviceState(lease, gpu),
    class: job.class,
    fromAt: lease.since,
    toAt,
  }));
}
