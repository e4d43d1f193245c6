import { type Instant, unitsPerGpu } from "../model/units.ts";
import { type DeviceUse, unitMsIn } from "./balance.ts";
import type { DeviceChange } from "./device-timeline.ts";
import type { LostWork } from "./usage.ts";

/**
 * Where the capacity of a fleet goes; each unit-millisecond is in exactly one of them. The first nine are of leases:
 * - `busy`, `allocated_partly`, `allocated_idle`, `allocated_unmeasured`: a member runs. Time times activity is busy, time
 *   below the idle threshold is idle, and the rest of what was measured is partly used. Missing telemetry is never
 *   idleness [S35].
 * - `dedicated`: left of a node that a confidential tenant has to itself.
 * - `setup`: a member is being started.
 * - `handover`: GPUs that are scrubbed or cut again, or held for a gang that is not whole yet.
 * - `lost_preemption`, `lost_fault`: work since the last checkpoint that a preemption or a lost node destroyed.
 * The others belong to no lease: `fragmented` is free and cannot be used because of what is leased beside it.
 */
export const wasteClasses = [
  "busy",
  "allocated_partly",
  "allocated_idle",
  "allocated_unmeasured",
  "dedicated",
  "setup",
  "handover",
  "lost_preemption",
  "lost_fault",
  "fragmented",
  "unallocated_idle",
  "maintenance",
  "down",
] as const;
export type WasteClass = (typeof wasteClasses)[number];

/** Unit-milliseconds or money, by class. */
export type WasteAmounts = { [name in WasteClass]: bigint };

/** Part of a GPU that a lease held. */
export interface WasteUse extends DeviceUse {
  readonly lease: string;
  readonly model: string;
  /** What its row of the report stands for: an account, a user, a job, a node, a model. */
  readonly key: string;
}

/** A GPU from an instant on, see `DeviceChange`. */
export interface WasteDevice extends Omit<DeviceChange, "mode"> {
  readonly mode: string;
  readonly key: string;
}

/** What telemetry knows of the GPUs of a lease in the span, all of them together, by the share that is held of each. */
export interface MeasuredTime {
  readonly measuredMs: number;
  /** Time times activity. */
  readonly busyMs: number;
  /** Time with so little activity that it counts as idle. */
  readonly idleMs: number;
}

export interface WasteFacts {
  /** Sorted by device, then by time; of several changes at one instant the last counts. */
  readonly devices: readonly WasteDevice[];
  readonly used: readonly WasteUse[];
  readonly lost: readonly Pick<LostWork, "lease" | "at" | "lostMs" | "cause">[];
  readonly measured: ReadonlyMap<string, MeasuredTime>;
}

/** One row of the report, for one model: rows are priced by model. */
export interface WasteCell {
  readonly key: string;
  readonly model: string;
  readonly amounts: WasteAmounts;
}

export interface Waste {
  readonly cells: readonly WasteCell[];
  /** Unit-milliseconds of the devices, by model, counted from them and not from the cells. */
  readonly capacity: ReadonlyMap<string, bigint>;
}

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

export function noWaste(): WasteAmounts {
  return Object.fromEntries(wasteClasses.map((name) => [name, 0n])) as WasteAmounts;
}

/**
 * Divides the capacity of a span among the classes. Like the balance of the fleet, it is made of two independent
 * records, leases and devices, and no class is the remainder of the others: that they add up to capacity is a check.
 */
export function wasteOf(facts: WasteFacts, span: Span): Waste {
  const cells = new Cells();
  addLeases(cells, facts, span);
  const capacity = addFree(cells, facts.devices, span);
  return { cells: cells.all(), capacity };
}

class Cells {
  readonly #byModel = new Map<string, Map<string, WasteCell>>();

  add(of: { readonly key: string; readonly model: string }, name: WasteClass, amount: bigint): void {
    if (amount === 0n) return;
    const byKey = this.#byModel.get(of.model) ?? new Map<string, WasteCell>();
    if (byKey.size === 0) this.#byModel.set(of.model, byKey);
    const cell = byKey.get(of.key) ?? { key: of.key, model: of.model, amounts: noWaste() };
    if (cell.amounts[name] === 0n) byKey.set(of.key, cell);
    cell.amounts[name] += amount;
  }

  all(): WasteCell[] {
    return [...this.#byModel.values()].flatMap((byKey) => [...byKey.values()]);
  }
}

/** What is left to tell of a lease that runs, in unit-milliseconds: `busy` <= `told` <= `measured` <= `ran`. */
interface Running {
  ran: bigint;
  /** With the work that was lost: telemetry saw that too. */
  held: bigint;
  measured: bigint;
  /** Busy or idle. */
  told: bigint;
  busy: bigint;
}

const ofState: { readonly [state: string]: WasteClass } = {
  starting: "setup",
  scrub: "handover",
  reshape: "handover",
  stranded: "fragmented",
  dedicated: "dedicated",
};

function addLeases(cells: Cells, { used, lost, measured }: WasteFacts, span: Span): void {
  const lostOf = new Map(lost.map((each) => [each.lease, each]));
  const running: { readonly use: WasteUse; readonly ran: bigint }[] = [];
  const leases = new Map<string, Running>();
  for (const use of used) {
    const held = unitMsIn(use, span);
    const plain = ofState[use.state];
    if (plain !== undefined) cells.add(use, plain, held);
    if (plain !== undefined || held === 0n) continue;
    const gone = lostOf.get(use.lease);
    const destroyed = gone === undefined ? 0n : destroyedIn(use, gone, span);
    cells.add(use, gone?.cause === "preempted" ? "lost_preemption" : "lost_fault", destroyed);
    const ran = held - destroyed;
    running.push({ use, ran });
    const lease = leases.get(use.lease);
    if (lease === undefined) leases.set(use.lease, { ran, held, measured: 0n, told: 0n, busy: 0n });
    else [lease.ran, lease.held] = [lease.ran + ran, lease.held + held];
  }
  for (const [id, lease] of leases) learn(lease, measured.get(id));
  for (const { use, ran } of running) {
    if (ran === 0n) continue;
    const lease = leases.get(use.lease)!;
    // Each use takes its share of what is left, so that the last one takes the rest and nothing is rounded away.
    const seen = (lease.measured * ran) / lease.ran;
    const told = (lease.told * ran) / lease.ran;
    const busy = (lease.busy * ran) / lease.ran;
    lease.ran -= ran;
    lease.measured -= seen;
    lease.told -= told;
    lease.busy -= busy;
    cells.add(use, "busy", busy);
    cells.add(use, "allocated_idle", told - busy);
    cells.add(use, "allocated_partly", seen - told);
    cells.add(use, "allocated_unmeasured", ran - seen);
  }
}

/** Unit-milliseconds of a use that lie in the work that was lost. */
function destroyedIn(use: WasteUse, { at, lostMs }: Pick<LostWork, "at" | "lostMs">, span: Span): bigint {
  return unitMsIn({ units: use.units, fromAt: Math.max(use.fromAt, at - lostMs), toAt: Math.min(use.toAt, at) }, span);
}

function learn(lease: Running, time: MeasuredTime | undefined): void {
  if (time === undefined || lease.held === 0n) return;
  const part = (ms: number, most: bigint) => {
    const counted = (BigInt(ms) * BigInt(unitsPerGpu) * lease.ran) / lease.held;
    return counted > most ? most : counted;
  };
  lease.measured = part(time.measuredMs, lease.ran);
  lease.told = part(time.busyMs + time.idleMs, lease.measured);
  lease.busy = part(time.busyMs, lease.told);
}

/** The free part of each device; answers the capacity of all, by model. */
function addFree(cells: Cells, devices: readonly WasteDevice[], span: Span): Map<string, bigint> {
  const capacity = new Map<string, bigint>();
  for (const [i, device] of devices.entries()) {
    const next = devices[i + 1];
    const stretch = { fromAt: device.at, toAt: next?.gpu === device.gpu ? next.at : span.to };
    const added = unitMsIn({ ...stretch, units: device.capacityUnits }, span);
    if (added > 0n) capacity.set(device.model, (capacity.get(device.model) ?? 0n) + added);
    const name = freeAs(device);
    if (name !== undefined) cells.add(device, name, unitMsIn({ ...stretch, units: device.freeUnits }, span));
  }
  return capacity;
}

/** What the free units of a device count as; undefined where they are among the uses, because a tenant has them. */
function freeAs({ mode, freeUnits, capacityUnits }: WasteDevice): WasteClass | undefined {
  switch (mode) {
    case "dedicated":
      return undefined;
    case "held":
      return "handover";
    case "stranded":
      return "fragmented";
    case "down":
    case "unknown":
      return "down";
    case "maintenance":
    case "cordoned":
    case "draining":
      return "maintenance";
    default:
      // What is left of a GPU that is shared takes no job that asks for a whole one.
      return freeUnits < capacityUnits ? "fragmented" : "unallocated_idle";
  }
}
