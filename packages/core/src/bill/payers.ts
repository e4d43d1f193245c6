import { type FloorChange, tenantOfPath, type Usage } from "../meter/usage.ts";
import { modelMatches } from "../model/gpu-name.ts";
import { Kinds } from "./kinds.ts";
import { Slots } from "./slots.ts";
import { fitting } from "./wide.ts";

/** Units by entry of a guarantee. */
type Amounts = { readonly [entry: string]: number };

/** An account as it is billed. */
export interface Payer {
  readonly path: string;
  readonly parent: Payer | undefined;
  readonly tenant: TenantPayer;
  /** By path. */
  readonly children: Payer[];
  /** By the number of their kind. */
  readonly slotOf: (number | undefined)[];
  guarantee: Amounts;
  /** Its row in `Payers.counts` for the first group of its tenant's floor; those of the other groups follow. */
  row: number;
  /** Its slots, by group and key. */
  slots: number[][];
}

export interface TenantPayer extends Payer {
  /** Its place in the order of arrival. */
  readonly no: number;
  lendable: Amounts | undefined;
  /** Entries of its floor by name, `*` left out: the groups that usage falls under; the last group is all the rest. */
  entries: readonly string[];
  /** Units of each of them. */
  floor: Float64Array;
  /** Units of `*`. */
  anyFloor: number;
  /** How often the floor has changed. */
  floorNo: number;
  readonly groupOf: Map<string, number>;
  readonly allSlots: number[];
  /** Slots that hold something, or did when all were last settled. */
  readonly live: number[];
  isDirty: boolean;
  /** Units beyond the floor, by number of the model. */
  readonly borrowed: number[];
  /** Groups in which something changed since the floor was last divided, so many of them; all after a change of the floor. */
  dirtyGroups: Int32Array;
  dirtyCount: number;
}

/** Numbers of an account in one group of its tenant's floor. */
export const countRow = 5;
/** Units that it and everything below it holds. */
export const ofUsed = 0;
/** What it is promised of the models of the group. */
export const ofPromised = 1;
/** Units beyond the floor as they were last divided. */
export const ofDivided = 2;
/** 1 where something at or below it changed since. */
export const ofChanged = 3;
/** 1 where everything of a tenant's group is beyond the floor: a change then concerns the changed slot alone. */
export const ofAllBeyond = 4;
const noRow = -1;

/** The account tree as far as anyone in it holds or is promised anything. */
export class Payers {
  readonly byPath = new Map<string, Payer>();
  /** By path. */
  readonly tenants: TenantPayer[] = [];
  /** Every model that anyone held, in the order of its first use. */
  readonly models: string[] = [];
  readonly slots = new Slots();
  /** What is counted of every account by group, in rows of `countRow`. */
  counts: Float64Array = new Float64Array(64 * countRow);
  /** The row of the parent in the same group. */
  readonly #above: number[] = [];
  readonly #modelNo = new Map<string, number>();
  readonly #kinds = new Kinds();
  /** The last account that was asked for: a lease comes with one stretch after another. */
  #last: Payer | undefined;

  at(path: string): Payer {
    if (this.#last?.path !== path) this.#last = this.byPath.get(path) ?? this.#add(path);
    return this.#last!;
  }

  /** The number of the slot that a stretch falls into. */
  slot(usage: Pick<Usage, "account" | "model" | "profile" | "isolation" | "topology" | "state">): number {
    const payer = this.at(usage.account);
    const kind = this.#kinds.of(usage);
    const known = payer.slotOf[kind.no];
    if (known !== undefined) return known;
    const { tenant } = payer;
    const modelNo = this.#noOf(usage.model);
    while (tenant.borrowed.length <= modelNo) tenant.borrowed.push(0);
    const slot = this.slots.add(payer, kind, modelNo, payer.row + this.groupOf(tenant, usage.model));
    while (payer.slotOf.length < kind.no) payer.slotOf.push(undefined);
    payer.slotOf[kind.no] = slot;
    tenant.allSlots.push(slot);
    this.#insert(slot);
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
  promise({ account, guarantee, lendable }: FloorChange): void {
    const payer = this.at(account);
    payer.guarantee = guarantee;
    const { tenant } = payer;
    if (payer === tenant) {
      tenant.lendable = lendable;
      tenant.entries = Object.keys(guarantee)
        .filter((entry) => entry !== "*")
        .sort();
      tenant.floor = Float64Array.from(tenant.entries, (entry) => guarantee[entry]!);
      tenant.anyFloor = guarantee["*"] ?? 0;
      tenant.floorNo++;
      tenant.groupOf.clear();
      this.#regroup(tenant);
      return;
    }
    for (let group = 0; group <= tenant.entries.length; group++) {
      this.counts[(payer.row + group) * countRow + ofPromised] = promisedIn(payer, group);
      this.#count(payer.row + group, 0, tenant);
    }
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
    const base = { path, children: [], slotOf: [], guarantee: {}, row: noRow, slots: [] };
    if (path === tenantOfPath(path)) {
      const tenant = {
        ...{ ...base, no: this.tenants.length, parent: undefined, lendable: undefined },
        ...{ entries: [], floor: new Float64Array(), anyFloor: 0, floorNo: 0, groupOf: new Map<string, number>() },
        ...{ allSlots: [], live: [], isDirty: false, borrowed: [], dirtyGroups: new Int32Array(1), dirtyCount: 0 },
      } as unknown as TenantPayer & { tenant: TenantPayer };
      tenant.tenant = tenant;
      this.#addRows(tenant);
      this.byPath.set(path, tenant);
      insertByPath(this.tenants, tenant);
      return tenant;
    }
    const parent = this.at(path.slice(0, path.lastIndexOf("/")));
    const payer: Payer = { ...base, parent, tenant: parent.tenant };
    this.#addRows(payer);
    this.byPath.set(path, payer);
    insertByPath(parent.children, payer);
    return payer;
  }

  /** Gives an account rows in which nothing is counted yet, for as many groups as the floor has entries, and one. */
  #addRows(payer: Payer): void {
    const groups = payer.tenant.entries.length + 1;
    payer.row = this.#above.length;
    payer.slots = Array.from({ length: groups }, () => []);
    this.counts = fitting(this.counts, (payer.row + groups) * countRow);
    for (let group = 0; group < groups; group++) {
      this.#above.push(payer.parent === undefined ? noRow : payer.parent.row + group);
      this.counts[(payer.row + group) * countRow + ofPromised] = promisedIn(payer, group);
    }
  }

  #regroup(tenant: TenantPayer): void {
    const { slots } = this;
    for (const slot of tenant.allSlots) {
      slots.setBeyond(slot, 0, tenant.borrowed);
      slots.settleHeld(slot);
    }
    this.#addRowsBelow(tenant);
    tenant.dirtyGroups = new Int32Array(tenant.entries.length + 1);
    tenant.dirtyCount = 0;
    for (let group = 0; group <= tenant.entries.length; group++) this.#count(tenant.row + group, 0, tenant);
    for (const slot of tenant.allSlots) {
      const units = slots.units[slot]!;
      slots.rows[slot] = slots.payers[slot]!.row + this.groupOf(tenant, slots.kinds[slot]!.model);
      slots.units[slot] = 0;
      this.#insert(slot);
      this.count(slot, units);
    }
  }

  #addRowsBelow(payer: Payer): void {
    this.#addRows(payer);
    for (const child of payer.children) this.#addRowsBelow(child);
  }

  /** Gives a slot more units, or less, and counts them along the path. */
  count(slot: number, units: number): void {
    if (units === 0) return;
    const { slots } = this;
    const tenant = slots.tenants[slot]!;
    slots.settleHeld(slot);
    const after = slots.units[slot]! + units;
    slots.units[slot] = after;
    const row = this.#count(slots.rows[slot]!, units, tenant);
    if (after === 0) slots.setBeyond(slot, 0, tenant.borrowed);
    else if (this.counts[row * countRow + ofAllBeyond] === 1) slots.setBeyond(slot, after, tenant.borrowed);
  }

  /** Counts along the path, which has to be looked at again when the floor is divided; answers the row of the tenant. */
  #count(first: number, units: number, tenant: TenantPayer): number {
    const { counts } = this;
    const above = this.#above;
    let row = first;
    for (; above[row] !== noRow; row = above[row]!) {
      counts[row * countRow + ofUsed]! += units;
      counts[row * countRow + ofChanged] = 1;
    }
    counts[row * countRow + ofUsed]! += units;
    if (counts[row * countRow + ofChanged] === 0) {
      counts[row * countRow + ofChanged] = 1;
      tenant.dirtyGroups[tenant.dirtyCount++] = row - tenant.row;
    }
    return row;
  }

  #insert(slot: number): void {
    const { kinds, payers, rows } = this.slots;
    const payer = payers[slot]!;
    const among = payer.slots[rows[slot]! - payer.row]!;
    const place = among.findIndex((other) => kinds[other]!.key > kinds[slot]!.key);
    among.splice(place < 0 ? among.length : place, 0, slot);
  }
}

/** What an account is promised of the models of a group of its tenant. */
function promisedIn({ guarantee, tenant }: Payer, group: number): number {
  const entry = tenant.entries[group];
  let units = 0;
  for (const own in guarantee) {
    if (entry === undefined || own === entry || modelMatches(entry, own)) units += guarantee[own]!;
  }
  return units;
}

function insertByPath<Each extends Payer>(payers: Each[], payer: Each): void {
  const place = payers.findIndex(({ path }) => path > payer.path);
  payers.splice(place < 0 ? payers.length : place, 0, payer);
}
