import { type FloorChange, tenantOfPath, type Usage } from "../meter/usage.ts";
import type { Instant } from "../model/units.ts";
import { modelMatches } from "../submit/gpus.ts";
import { Kinds } from "./kinds.ts";
import { Tally } from "./tally.ts";

/** Units by entry of a guarantee. */
type Amounts = { readonly [entry: string]: number };

/** What an account holds of one kind of GPU in one way: all of it costs the same. */
export interface Slot {
  readonly key: string;
  readonly payer: Payer;
  readonly model: string;
  /** The model's place in `models` of all payers. */
  readonly modelNo: number;
  /** The group of the tenant's floor that the model falls under. */
  group: number;
  readonly profile: string;
  readonly isolation: string;
  readonly topology: string;
  readonly state: string;
  units: number;
  cpusMilli: number;
  memoryMiB: number;
  /** Of `units`, those beyond the tenant's floor. */
  beyond: number;
  isLive: boolean;
  isDue: boolean;
  /** Up to when the sums are worked out: a slot is looked at when it changes, not when others do. */
  heldAt: number;
  beyondAt: number;
  /** Since the price last changed, in unit-ms, millicore-ms and MiB-ms. */
  readonly held: Tally;
  readonly over: Tally;
  readonly cpu: Tally;
  readonly memory: Tally;
}

/** An account as it is billed. */
export interface Payer {
  readonly path: string;
  readonly parent: Payer | undefined;
  readonly tenant: TenantPayer;
  /** By path. */
  readonly children: Payer[];
  /** Slots that hold GPUs, by group and key. */
  readonly holding: Slot[][];
  /** By the number of their kind. */
  readonly slotOf: (Slot | undefined)[];
  guarantee: Amounts;
  /** Held by the account and everything below it, by group of the tenant's floor. */
  readonly used: number[];
}

export interface TenantPayer extends Payer {
  lendable: Amounts | undefined;
  /** Entries of its floor by name, `*` left out: the groups that usage falls under; the last group is all the rest. */
  entries: readonly string[];
  readonly groupOf: Map<string, number>;
  readonly slots: Slot[];
  /** Slots that hold something, or did when all were last settled. */
  readonly live: Slot[];
  /** Slots that held something since the price last changed. */
  readonly due: Slot[];
  dirty: boolean;
  /** Units beyond the floor, by number of the model. */
  readonly borrowed: number[];
  /** Units beyond the floor as they were last divided, by group. */
  readonly beyondIn: number[];
  /** Groups in which something changed since the floor was last divided; all of them after a change of the floor. */
  readonly dirtyGroups: Set<number>;
}

/** The account tree as far as anyone in it holds or is promised anything. */
export class Payers {
  readonly byPath = new Map<string, Payer>();
  /** By path. */
  readonly tenants: TenantPayer[] = [];
  /** Every model that anyone held, in the order of its first use. */
  readonly models: string[] = [];
  readonly #modelNo = new Map<string, number>();
  readonly #kinds = new Kinds();

  at(path: string): Payer {
    return this.byPath.get(path) ?? this.#add(path);
  }

  slot(usage: Pick<Usage, "account" | "model" | "profile" | "isolation" | "topology" | "state">): Slot {
    const payer = this.at(usage.account);
    const kind = this.#kinds.of(usage);
    const known = payer.slotOf[kind.no];
    if (known !== undefined) return known;
    const { model, profile, isolation, topology, state } = usage;
    const slot: Slot = {
      ...{ key: kind.key, payer, model, profile, isolation, topology, state },
      ...{ modelNo: this.#noOf(model), group: this.groupOf(payer.tenant, model), heldAt: 0, beyondAt: 0 },
      ...{ units: 0, cpusMilli: 0, memoryMiB: 0, beyond: 0, isLive: false, isDue: false },
      ...{ held: new Tally(), over: new Tally(), cpu: new Tally(), memory: new Tally() },
    };
    payer.slotOf[kind.no] = slot;
    payer.tenant.slots.push(slot);
    return slot;
  }

  #noOf(model: string): number {
    let no = this.#modelNo.get(model);
    if (no === undefined) {
      no = this.models.push(model) - 1;
      this.#modelNo.set(model, no);
    }
    return no;
  }

  /** A floor changes. Usage is sorted anew where the tenant's own entries did. */
  promise({ account, guarantee, lendable }: FloorChange, at: Instant): void {
    const payer = this.at(account);
    payer.guarantee = guarantee;
    const { tenant } = payer;
    if (payer !== tenant) return;
    tenant.lendable = lendable;
    tenant.beyondIn.length = 0;
    tenant.entries = Object.keys(guarantee)
      .filter((entry) => entry !== "*")
      .sort();
    tenant.groupOf.clear();
    this.#regroup(tenant, at);
  }

  /** The group of the tenant's floor that a model falls under: the longest entry that fits. */
  groupOf(tenant: TenantPayer, model: string): number {
    const known = tenant.groupOf.get(model);
    if (known !== undefined) return known;
    let group = tenant.entries.length;
    for (const [i, entry] of tenant.entries.entries()) {
      const longer = group === tenant.entries.length || entry.length > tenant.entries[group]!.length;
      if (modelMatches(entry, model) && longer) group = i;
    }
    tenant.groupOf.set(model, group);
    return group;
  }

  #add(path: string): Payer {
    const tenantPath = tenantOfPath(path);
    const base = { path, children: [], holding: [], slotOf: [], guarantee: {}, used: [] };
    if (path === tenantPath) {
      const tenant = {
        ...base,
        ...{
          parent: undefined,
          lendable: undefined,
          entries: [],
          groupOf: new Map<string, number>(),
          slots: [],
          live: [],
          due: [],
        },
        ...{ dirty: false, borrowed: [], beyondIn: [], dirtyGroups: new Set<number>() },
      } as unknown as TenantPayer & { tenant: TenantPayer };
      tenant.tenant = tenant;
      this.byPath.set(path, tenant);
      insertBy(this.tenants, tenant, (each) => each.path);
      return tenant;
    }
    const parent = this.at(path.slice(0, path.lastIndexOf("/")));
    const payer: Payer = { ...base, parent, tenant: parent.tenant };
    this.byPath.set(path, payer);
    insertBy(parent.children, payer, (each) => each.path);
    return payer;
  }

  #regroup(tenant: TenantPayer, at: Instant): void {
    const clear = (payer: Payer): void => {
      payer.used.length = 0;
      payer.holding.length = 0;
      for (const child of payer.children) clear(child);
    };
    clear(tenant);
    for (let group = 0; group <= tenant.entries.length; group++) tenant.dirtyGroups.add(group);
    for (const slot of tenant.slots) {
      const { units } = slot;
      slot.group = this.groupOf(tenant, slot.model);
      setBeyond(slot, 0, at);
      settleHeld(slot, at);
      slot.units = 0;
      this.count(slot, units, at);
    }
  }

  /** Gives a slot more units, or less, and counts them along the path. */
  count(slot: Slot, units: number, at: Instant): void {
    if (units === 0) return;
    const { group } = slot;
    slot.payer.tenant.dirtyGroups.add(group);
    slot.payer.holding[group] ??= [];
    const holding = slot.payer.holding[group];
    if (slot.units === 0) insertSlot(holding, slot);
    settleHeld(slot, at);
    slot.units += units;
    if (slot.units === 0) {
      holding.splice(holding.indexOf(slot), 1);
      setBeyond(slot, 0, at);
    }
    for (let payer: Payer | undefined = slot.payer; payer !== undefined; payer = payer.parent) {
      payer.used[group] = (payer.used[group] ?? 0) + units;
    }
  }
}

/** Brings the sums of what a slot holds up to `at`. */
export function settleHeld(slot: Slot, at: Instant): void {
  const elapsed = at - slot.heldAt;
  slot.heldAt = at;
  slot.held.addProduct(slot.units, elapsed);
  slot.cpu.addProduct(slot.cpusMilli, elapsed);
  slot.memory.addProduct(slot.memoryMiB, elapsed);
}

export function settleBeyond(slot: Slot, at: Instant): void {
  slot.over.addProduct(slot.beyond, at - slot.beyondAt);
  slot.beyondAt = at;
}

/** From `at` on so many units of a slot are beyond the tenant's floor. */
export function setBeyond(slot: Slot, beyond: number, at: Instant): void {
  if (slot.beyond === beyond) return;
  settleBeyond(slot, at);
  const { borrowed } = slot.payer.tenant;
  borrowed[slot.modelNo] = (borrowed[slot.modelNo] ?? 0) + beyond - slot.beyond;
  slot.beyond = beyond;
}

function insertSlot(slots: Slot[], slot: Slot): void {
  let place = slots.length;
  for (; place > 0 && slots[place - 1]!.key > slot.key; place--) slots[place] = slots[place - 1]!;
  slots[place] = slot;
}

function insertBy<Item>(items: Item[], item: Item, keyOf: (item: Item) => string): void {
  const key = keyOf(item);
  const place = items.findIndex((each) => keyOf(each) > key);
  items.splice(place < 0 ? items.length : place, 0, item);
}
