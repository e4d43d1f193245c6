import type { HealthFinding, LeaseId, NodeFacts, Report, ReportWhat } from "@tessera/core";
import {
  type Clock,
  declaredDevices,
  declaredEnforcement,
  EngineFenced,
  type EngineLease,
  type LeaseOrder,
  type StopOrder,
  type Telemetry,
} from "@tessera/engine";
import type { Kept, KeptMember } from "./kept.ts";
import { findingIn } from "./kernel-log.ts";
import { type Hold, SimulatedTelemetry } from "./load/telemetry.ts";
import { listedState, type Member, newMember } from "./member.ts";
import { type Faults, noFaults, Outbox } from "./outbox.ts";
import { parseScript, type Script } from "./script.ts";
import type { Ran } from "./truth.ts";

/** How a member behaves, when a simulator says so instead of the order's `run`. */
export interface Behaviour {
  /** From the release to the start. */
  readonly startMs: number;
  /** From the start to its own end; Infinity when it never ends by itself. */
  readonly runMs: number;
  readonly exitCode: number;
  readonly ignoresSignal: boolean;
  /** Told to stop, it saves for so long and exits with 0, although its work is not complete. */
  readonly leaveMs?: number;
}

export interface FleetOptions {
  readonly clock: Clock;
  readonly nodes: readonly NodeFacts[];
  /** Asked once for each member; undefined leaves it to the order's `run` (see script.ts). */
  readonly behaviour?: (order: LeaseOrder) => Behaviour | undefined;
  /** From the bind to the report that the member is ready. */
  readonly prepareMs?: number;
  readonly faults?: Faults;
}

const plainPrepareMs = 5;
const startMs = 5;

/** How a lease ended that is otherwise forgotten, and what its log is made of. */
interface Ended {
  readonly last: Report;
  readonly log?: Logged;
}

/** What the log of a member follows from. */
export type Logged = Pick<Member, "order" | "script" | "startedAt" | "endedAt">;

/**
 * The simulated machines and what runs on them. They outlive the engine object through which a control plane sees
 * them, so a crash is simulated by opening another one. One timer per member that is under way, none per node.
 */
export class SimulatedFleet {
  readonly clock: Clock;
  readonly outbox: Outbox;
  readonly #nodes: Map<string, NodeFacts>;
  readonly #lost = new Set<string>();
  readonly #boots = new Map<string, number>();
  readonly #behaviour: (order: LeaseOrder) => Behaviour | undefined;
  readonly #prepareMs: number;
  readonly #members = new Map<LeaseId, Member>();
  readonly #ended = new Map<LeaseId, Ended>();
  readonly #ran: Ran[] = [];
  readonly #telemetry = new SimulatedTelemetry();
  #epochSeen = 0;
  #onFinding: ((finding: HealthFinding) => void) | undefined;

  constructor(options: FleetOptions) {
    const { clock, nodes, behaviour = () => undefined, prepareMs = plainPrepareMs, faults = noFaults } = options;
    this.clock = clock;
    this.outbox = new Outbox(clock, faults);
    this.#nodes = new Map(nodes.map((node) => [node.name, node]));
    this.#behaviour = behaviour;
    this.#prepareMs = prepareMs;
  }

  /** Everything that ever ran, in the order of its start. */
  get ran(): readonly Ran[] {
    return this.#ran;
  }

  get members(): Iterable<Member> {
    return this.#members.values();
  }

  nodes(): readonly NodeFacts[] {
    return [...this.#nodes.values()];
  }

  leases(): readonly EngineLease[] {
    const leases: EngineLease[] = [];
    for (const { lease, phase, lastSequence } of this.#members.values()) {
      leases.push({ lease, state: listedState(phase), sequence: lastSequence });
    }
    return leases;
  }

  /** What its machines show; those that are lost show nothing. */
  telemetry(): Promise<Telemetry> {
    const nodes = this.nodes().filter(({ name }) => !this.#lost.has(name));
    return this.#telemetry.read(nodes, holdsOf(this.#members.values()), this.clock.now());
  }

  /** The machine is gone with all that was on it. It refuses members until it is back. */
  loseNode(name: string): void {
    if (!this.#nodes.has(name)) throw new Error(`there is no node ${name}`);
    this.#lost.add(name);
    for (const member of this.#members.values()) {
      if (member.order?.node !== name || member.phase === "gone") continue;
      this.#end(member, { kind: "lost", reason: `node ${name} is lost` }, "lost");
    }
  }

  /** The machine is back, empty and with a new boot id. */
  returnNode(name: string): void {
    const node = this.#nodes.get(name);
    if (node === undefined || !this.#lost.delete(name)) throw new Error(`node ${name} is not lost`);
    const boots = (this.#boots.get(name) ?? 1) + 1;
    this.#boots.set(name, boots);
    this.#nodes.set(name, { ...node, bootId: `${name}-boot-${boots}` });
  }

  /**
   * A member faults on its GPU: it fails. By MPS all members on that GPU end with it, and which job caused it is not known,
   * unless there was only one.
   */
  fault(lease: LeaseId): void {
    const culprit = this.#members.get(lease);
    if (culprit?.order === undefined || culprit.startedAt === undefined) throw new Error(`${lease} does not run`);
    const { node, gpuUuids, part, job } = culprit.order;
    const onServer = [...this.#members.values()].filter(({ order, phase }) => {
      const isBeside = order?.part?.mode === "mps" && order.node === node && order.gpuUuids[0] === gpuUuids[0];
      return isBeside && (phase === "running" || phase === "stopping");
    });
    const faulted = part?.mode === "mps" ? onServer : [culprit];
    const isShared = faulted.some(({ order }) => order?.job !== job);
    for (const member of faulted) {
      const why = isShared ? { neighbour: true as const } : { reason: "a fault on its GPU" };
      this.#end(member, { kind: "exited", ran: true, code: 1, ...why }, 1);
    }
  }

  /** One listener; a later one takes the place of the one before. */
  onHealth(listener: (finding: HealthFinding) => void): void {
    this.#onFinding = listener;
  }

  /** A line of a kernel log about one of these machines. Answers what it says, if it says anything of a GPU here. */
  kernelSays(line: string): HealthFinding | undefined {
    const finding = findingIn(this.nodes(), line, this.clock.now());
    if (finding !== undefined) this.#onFinding?.(finding);
    return finding;
  }

  /** The programs that run on a GPU end with this code, as they do when the driver takes it from them. */
  endPrograms(gpuUuid: string, code: number): void {
    for (const member of this.#members.values())
      if ((member.phase === "running" || member.phase === "stopping") && member.order?.gpuUuids.includes(gpuUuid))
        this.#exit(member, { code });
  }

  bind(order: LeaseOrder): void {
    if (order.epoch < this.#epochSeen) throw new EngineFenced(order.lease, order.epoch, this.#epochSeen);
    this.#epochSeen = order.epoch;
    if (this.#isKnown(order.lease)) {
      this.#repeatEnd(order.lease);
      return;
    }
    const member = newMember(order.lease, this.#nodes.get(order.node)?.bootId ?? "", order);
    this.#members.set(order.lease, member);
    this.#scrub(member, order);
  }

  /** Clearing and cutting take as long as they usually do. */
  #scrub(member: Member, order: LeaseOrder): void {
    const { scrub } = order;
    if (scrub === undefined || this.#whyNot(order) !== undefined) {
      this.#reshape(member, order);
      return;
    }
    this.#next(member, this.clock.now() + scrub.usualMs, () => {
      this.outbox.report(member, { kind: "scrubbed", how: "simulated" });
      this.#reshape(member, order);
    });
  }

  #reshape(member: Member, order: LeaseOrder): void {
    const { reshape } = order;
    const prepare = () => this.#next(member, this.clock.now() + this.#prepareMs, () => this.#prepare(member));
    if (reshape === undefined || this.#whyNot(order) !== undefined) {
      prepare();
      return;
    }
    this.#next(member, this.clock.now() + reshape.usualMs, () => {
      this.outbox.report(member, { kind: "reshaped", how: `simulated, to ${reshape.to}` });
      prepare();
    });
  }

  release(lease: LeaseId): void {
    const member = this.#members.get(lease);
    if (member?.phase !== "held") return;
    this.#enter(member, "starting");
    this.#next(member, this.clock.now() + member.startMs, () => this.#start(member));
  }

  stop(lease: LeaseId, how: StopOrder): void {
    if (this.#ended.has(lease)) return;
    const known = this.#members.get(lease);
    const member = known ?? newMember(lease, "");
    if (known === undefined) this.#members.set(lease, member);
    switch (member.phase) {
      case "gone":
        break;
      case "running":
      case "stopping":
        member.limitAt = Number.POSITIVE_INFINITY; // it ends because of a stop order
        this.#signal(member, how);
        break;
      default:
        this.#end(member, { kind: "exited", ran: false });
    }
  }

  acknowledge(lease: LeaseId, sequence: number): void {
    const member = this.#members.get(lease);
    if (member === undefined) return;
    const last = member.reports.at(-1);
    this.outbox.acknowledge(member, sequence);
    if (member.phase !== "gone" || member.reports.length > 0 || last === undefined) return;
    this.#members.delete(lease);
    this.#ended.set(lease, member.script?.lines.length ? { last, log: member } : { last });
  }

  /** What the log of a lease follows from, and its member while it is not forgotten. */
  logged(lease: LeaseId): { readonly log: Logged; readonly member?: Member } | undefined {
    const member = this.#members.get(lease);
    if (member !== undefined) return { log: member, member };
    const log = this.#ended.get(lease)?.log;
    return log === undefined ? undefined : { log };
  }

  /** What runs or is told to leave. What has not started yet is not kept: its control plane orders it again. */
  kept(): Kept {
    const members = [...this.#members.values()].filter(({ phase }) => phase === "running" || phase === "stopping");
    return { epochSeen: this.#epochSeen, members: members.map(keptOf) };
  }

  /** The machines have run on while no control plane looked. */
  goOn({ epochSeen, members }: Kept): void {
    this.#epochSeen = Math.max(this.#epochSeen, epochSeen);
    for (const was of members) {
      const { lease, bootId, order, lastSequence } = was;
      if (order === undefined || this.#whyNot(order) !== undefined || this.#isKnown(lease)) continue;
      const member: Member = { ...newMember(lease, bootId, order), ...was, fated: lastSequence };
      this.#members.set(lease, member);
      this.#arrange(member);
    }
  }

  #isKnown(lease: LeaseId): boolean {
    return this.#members.has(lease) || this.#ended.has(lease);
  }

  #repeatEnd(lease: LeaseId): void {
    const member = this.#members.get(lease);
    const last = member === undefined ? this.#ended.get(lease)?.last : member.reports.at(-1);
    if (last === undefined || (member !== undefined && member.phase !== "gone")) return;
    // One that was not delivered yet is on its way.
    if (member === undefined || last.sequence <= member.delivered) this.outbox.repeat(last);
  }

  #prepare(member: Member): void {
    const order = member.order!;
    const behaviour = this.#behaviour(order);
    const script = this.#whyNot(order) ?? (behaviour === undefined ? parseScript(order) : scriptOf(behaviour));
    if (typeof script === "string") {
      this.#end(member, { kind: "refused", reason: script });
      return;
    }
    member.script = script;
    member.startMs = behaviour?.startMs ?? startMs;
    this.#enter(member, "held");
    this.outbox.report(member, {
      kind: "prepared",
      engineId: `simulated/${order.lease}`,
      enforcement: { time: "virtual clock", ...declaredEnforcement(order, "simulated") },
      ...(order.part !== undefined && { devices: declaredDevices(order) }),
    });
  }

  #whyNot(order: LeaseOrder): string | undefined {
    const node = this.#nodes.get(order.node);
    if (node === undefined) return `there is no node ${order.node}`;
    if (this.#lost.has(order.node)) return `node ${order.node} is lost`;
    const stranger = order.gpuUuids.find((uuid) => !node.gpus.some((gpu) => gpu.uuid === uuid));
    if (stranger !== undefined) return `node ${order.node} has no GPU ${stranger}`;
    if (order.image !== undefined) return "simulated members run no image";
    if (order.workdir !== undefined) return "simulated members have no workdir";
    return undefined;
  }

  #start(member: Member): void {
    const order = member.order!;
    const now = this.clock.now();
    member.startedAt = now;
    if (order.limits.runMsMax > 0) member.limitAt = now + order.limits.runMsMax;
    member.ran = { lease: member.lease, node: order.node, gpuUuids: order.gpuUuids, from: now };
    this.#ran.push(member.ran);
    this.#enter(member, "running");
    this.outbox.report(member, { kind: "started" });
    this.#arrange(member);
  }

  #signal(member: Member, how: StopOrder): void {
    const now = this.clock.now();
    member.killAt = Math.min(member.killAt, now + how.graceMs);
    if (member.stop === undefined) {
      member.stop = how;
      member.heeds = now - member.startedAt! < member.script!.deafFromMs;
      member.leaveAt = now + (member.script!.leaveMs ?? Number.POSITIVE_INFINITY);
    }
    this.#enter(member, "stopping");
    this.#arrange(member);
  }

  /** Sets the one timer of a member that runs to whatever happens to it first. */
  #arrange(member: Member): void {
    const { stop, leaveAt, killAt, limitAt } = member;
    const { runMs, exitCode } = member.script!;
    const ownEndAt = member.startedAt! + runMs;
    if (stop !== undefined && member.heeds) {
      this.#next(member, this.clock.now(), () => this.#exit(member, { signal: stop.signal }));
    } else if (leaveAt < ownEndAt && leaveAt < killAt) {
      this.#next(member, leaveAt, () => this.#exit(member, { code: 0 }));
    } else if (ownEndAt <= killAt && ownEndAt <= limitAt) {
      if (ownEndAt === Number.POSITIVE_INFINITY) this.#never(member);
      else this.#next(member, ownEndAt, () => this.#exit(member, { code: exitCode }));
    } else if (killAt <= limitAt) {
      this.#next(member, killAt, () => this.#exit(member, { signal: "SIGKILL" }));
    } else {
      this.#next(member, limitAt, () => this.#overrun(member));
    }
  }

  #overrun(member: Member): void {
    member.overLimit = true;
    member.limitAt = Number.POSITIVE_INFINITY;
    this.outbox.report(member, { kind: "stopping", cause: "time-limit" });
    this.#signal(member, member.order!.stop);
  }

  #exit(member: Member, how: { readonly code: number } | { readonly signal: string }): void {
    const limit = member.overLimit ? { limit: "time" } : {};
    const done = this.clock.now() - member.startedAt! >= member.script!.doneFromMs ? { done: true } : {};
    const what: ReportWhat = { kind: "exited", ran: true, ...how, ...limit, ...done };
    this.#end(member, what, "code" in how ? how.code : how.signal);
  }

  #end(member: Member, what: ReportWhat, exit?: number | string): void {
    this.#never(member);
    member.endedAt = this.clock.now();
    if (member.ran !== undefined) {
      member.ran.to = member.endedAt;
      if (exit !== undefined) member.ran.exit = exit;
    }
    this.outbox.report(member, what);
    this.#enter(member, "gone");
  }

  #enter(member: Member, phase: Member["phase"]): void {
    member.phase = phase;
    for (const watcher of member.watchers) watcher();
  }

  #next(member: Member, at: number, act: () => void): void {
    this.#never(member);
    member.cancelNext = this.clock.at(at, act);
  }

  #never(member: Member): void {
    member.cancelNext?.();
    delete member.cancelNext;
  }
}

function keptOf(member: Member): KeptMember {
  const { startMs, ran, cancelNext, delivered, fated, stalled, watchers, ...kept } = member;
  // Secrets must not outlive the process, and nothing that runs here reads them.
  return kept.order === undefined ? kept : { ...kept, order: { ...kept.order, secrets: {} } };
}

function* holdsOf(members: Iterable<Member>): Generator<Hold> {
  for (const { order, phase, startedAt } of members) {
    if (order !== undefined && phase !== "gone") yield { ...order, ...(startedAt !== undefined && { startedAt }) };
  }
}

/** A member that comes to its own end with 0 has completed its work and written its done file. */
function scriptOf({ runMs, exitCode, ignoresSignal, leaveMs }: Behaviour): Script {
  const deafFromMs = ignoresSignal || leaveMs !== undefined ? 0 : Number.POSITIVE_INFINITY;
  const doneFromMs = exitCode === 0 ? runMs : Number.POSITIVE_INFINITY;
  return { runMs, exitCode, deafFromMs, doneFromMs, lines: [], ...(leaveMs !== undefined && { leaveMs }) };
}
