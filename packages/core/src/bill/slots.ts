import type { Kind } from "./kinds.ts";
import type { Payer, TenantPayer } from "./payers.ts";
import { addProduct, clearSum, fitting } from "./wide.ts";

/** Numbers of one slot in the column of all. What is beyond the floor changes most often and stands together. */
const slotRow = 14;
/** Of the units, those beyond the tenant's floor. */
const ofBeyond = 0;
/** Up to when the sums are worked out: a slot is looked at when it changes, not when others do. */
const ofBeyondAt = 1;
/** Since the price last changed, in unit-ms, millicore-ms and MiB-ms; each takes two places. Units in all follow those beyond. */
export const ofOverSum = 2;
const ofHeldSum = 4;
const ofHeldAt = 6;
const ofCpus = 7;
const ofMemory = 8;
export const ofCpuSum = 9;
export const ofMemorySum = 11;
const ofIsLive = 13;

/** Slots of one account and model that stand side by side. */
const chunk = 8;

/** A slot is what an account holds of one kind of GPU in one way: all of it costs the same. Slots are numbers. */
export class Slots {
  cells: Float64Array = new Float64Array(256 * slotRow);
  /** Units that are held, apart from the rest: whoever divides them looks at nothing else. */
  units: Float64Array = new Float64Array(256);
  /** The present instant, alone in a column: a number of this size that is handed from call to call is an object each time. */
  readonly clock = new Float64Array(1);
  readonly payers: Payer[] = [];
  readonly tenants: TenantPayer[] = [];
  readonly kinds: Kind[] = [];
  readonly modelNos: number[] = [];
  /** The row of its account that it is counted in, see `Payers`. */
  readonly rows: number[] = [];
  /** By account and model: the next free number and how many are left after it. */
  readonly #room = new Map<Payer, Map<number, { next: number; left: number }>>();

  /** A new slot that holds nothing. */
  add(payer: Payer, kind: Kind, modelNo: number, row: number): number {
    const slot = this.#take(payer, modelNo);
    this.payers[slot] = payer;
    this.tenants[slot] = payer.tenant;
    this.kinds[slot] = kind;
    this.modelNos[slot] = modelNo;
    this.rows[slot] = row;
    return slot;
  }

  #take(payer: Payer, modelNo: number): number {
    const ofPayer = this.#room.get(payer) ?? new Map<number, { next: number; left: number }>();
    this.#room.set(payer, ofPayer);
    const room = ofPayer.get(modelNo);
    if (room !== undefined && room.left > 0) {
      room.left--;
      return room.next++;
    }
    const first = this.rows.length;
    for (let i = 0; i < chunk; i++) {
      this.rows.push(-1);
      this.modelNos.push(modelNo);
      this.payers.push(payer);
      this.tenants.push(payer.tenant);
    }
    this.cells = fitting(this.cells, this.rows.length * slotRow);
    this.units = fitting(this.units, this.rows.length);
    ofPayer.set(modelNo, { next: first + 1, left: chunk - 1 });
    return first;
  }

  /** Where the numbers of a slot begin in `cells`. */
  placeOf(slot: number): number {
    return slot * slotRow;
  }

  /** Brings the sums of what a slot holds up to now. */
  settleHeld(slot: number): void {
    const { cells } = this;
    const place = slot * slotRow;
    const at = this.clock[0]!;
    const elapsed = at - cells[place + ofHeldAt]!;
    if (elapsed === 0) return;
    cells[place + ofHeldAt] = at;
    addProduct(cells, place + ofHeldSum, this.units[slot]!, elapsed);
    addProduct(cells, place + ofCpuSum, cells[place + ofCpus]!, elapsed);
    addProduct(cells, place + ofMemorySum, cells[place + ofMemory]!, elapsed);
  }

  settleBeyond(slot: number): void {
    const { cells } = this;
    const place = slot * slotRow;
    const at = this.clock[0]!;
    addProduct(cells, place + ofOverSum, cells[place + ofBeyond]!, at - cells[place + ofBeyondAt]!);
    cells[place + ofBeyondAt] = at;
  }

  /** Cores and memory change; what was held until now is in the sums. */
  addHeld(slot: number, cpusMilli: number, memoryMiB: number): void {
    const place = slot * slotRow;
    this.cells[place + ofCpus]! += cpusMilli;
    this.cells[place + ofMemory]! += memoryMiB;
  }

  /** From now on so many units are beyond the floor of the tenant, who borrows so much by number of the model. */
  setBeyond(slot: number, beyond: number, borrowed: TenantPayer["borrowed"]): void {
    const place = slot * slotRow;
    const before = this.cells[place + ofBeyond]!;
    if (before === beyond) return;
    this.settleBeyond(slot);
    borrowed[this.modelNos[slot]!]! += beyond - before;
    this.cells[place + ofBeyond] = beyond;
  }

  isLive(slot: number): boolean {
    return this.cells[slot * slotRow + ofIsLive] === 1;
  }

  setLive(slot: number, live: boolean): void {
    this.cells[slot * slotRow + ofIsLive] = live ? 1 : 0;
  }

  holdsAnything(slot: number): boolean {
    const place = slot * slotRow;
    return this.units[slot]! > 0 || this.cells[place + ofCpus]! > 0 || this.cells[place + ofMemory]! > 0;
  }

  clearSums(slot: number): void {
    const place = slot * slotRow;
    clearSum(this.cells, place + ofOverSum);
    clearSum(this.cells, place + ofHeldSum);
    clearSum(this.cells, place + ofCpuSum);
    clearSum(this.cells, place + ofMemorySum);
  }
}
