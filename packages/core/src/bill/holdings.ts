import type { Payer, TenantPayer } from "./payer.ts";
import type { Sku } from "./skus.ts";
import { addProduct, clearSum, fitting } from "./wide.ts";

/** How many numbers a holding has in `cells`. Those that change together are side by side. */
const holdingRow = 14;
/** Units beyond the tenant's floor. */
const ofBurst = 0;
/** The instant up to which the burst sum is complete. A holding is brought up to date only when it changes. */
const ofBurstAt = 1;
/**
 * Sums since the price last changed, in unit-ms, millicore-ms and MiB-ms; each takes two places (`wide.ts`). The sum of
 * all units follows that of units beyond the floor, because `Totals.use` adds both.
 */
export const ofBurstSum = 2;
const ofHeldSum = 4;
const ofHeldAt = 6;
const ofCpus = 7;
const ofMemory = 8;
export const ofCpuSum = 9;
export const ofMemorySum = 11;
const ofIsLive = 13;

/** The number of holdings of one account and model that lie side by side in memory. */
const chunk = 8;

/** What each account holds of each SKU. A holding is a number: its index in the columns below. */
export class Holdings {
  cells: Float64Array = new Float64Array(256 * holdingRow);
  /** Units that are held. A column of its own, because dividing the excess reads nothing else. */
  units: Float64Array = new Float64Array(256);
  /** The present instant; in a typed array, because as an argument a number beyond 2^31 is boxed on every call. */
  readonly clock = new Float64Array(1);
  readonly payers: Payer[] = [];
  readonly tenants: TenantPayer[] = [];
  readonly skus: Sku[] = [];
  readonly modelNos: number[] = [];
  /** The row of its account in `Payers.counts`. */
  readonly rows: number[] = [];
  /** Free numbers of the current chunk, by account and model. */
  readonly #room = new Map<Payer, Map<number, { next: number; left: number }>>();

  /** Adds an empty holding. */
  add(payer: Payer, sku: Sku, modelNo: number, row: number): number {
    const holding = this.#take(payer, modelNo);
    this.payers[holding] = payer;
    this.tenants[holding] = payer.tenant;
    this.skus[holding] = sku;
    this.modelNos[holding] = modelNo;
    this.rows[holding] = row;
    return holding;
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
    this.cells = fitting(this.cells, this.rows.length * holdingRow);
    this.units = fitting(this.units, this.rows.length);
    ofPayer.set(modelNo, { next: first + 1, left: chunk - 1 });
    return first;
  }

  /** Where the numbers of a holding begin in `cells`. */
  placeOf(holding: number): number {
    return holding * holdingRow;
  }

  /** Completes the sums of units, cores and memory up to now. */
  settleHeld(holding: number): void {
    const { cells } = this;
    const place = holding * holdingRow;
    const at = this.clock[0]!;
    const elapsed = at - cells[place + ofHeldAt]!;
    if (elapsed === 0) return;
    cells[place + ofHeldAt] = at;
    addProduct(cells, place + ofHeldSum, this.units[holding]!, elapsed);
    addProduct(cells, place + ofCpuSum, cells[place + ofCpus]!, elapsed);
    addProduct(cells, place + ofMemorySum, cells[place + ofMemory]!, elapsed);
  }

  /** Completes the sum of units beyond the floor up to now. */
  settleBurst(holding: number): void {
    const { cells } = this;
    const place = holding * holdingRow;
    const at = this.clock[0]!;
    addProduct(cells, place + ofBurstSum, cells[place + ofBurst]!, at - cells[place + ofBurstAt]!);
    cells[place + ofBurstAt] = at;
  }

  /** Changes cores and memory. Call `settleHeld` first. */
  addHeld(holding: number, cpusMilli: number, memoryMiB: number): void {
    const place = holding * holdingRow;
    this.cells[place + ofCpus]! += cpusMilli;
    this.cells[place + ofMemory]! += memoryMiB;
  }

  /** Sets how many units are beyond the floor from now on; `borrowed` is the tenant's sum by model. */
  setBurst(holding: number, units: number, borrowed: TenantPayer["borrowed"]): void {
    const place = holding * holdingRow;
    const before = this.cells[place + ofBurst]!;
    if (before === units) return;
    this.settleBurst(holding);
    borrowed[this.modelNos[holding]!]! += units - before;
    this.cells[place + ofBurst] = units;
  }

  isLive(holding: number): boolean {
    return this.cells[holding * holdingRow + ofIsLive] === 1;
  }

  setLive(holding: number, live: boolean): void {
    this.cells[holding * holdingRow + ofIsLive] = live ? 1 : 0;
  }

  holdsAnything(holding: number): boolean {
    const place = holding * holdingRow;
    return this.units[holding]! > 0 || this.cells[place + ofCpus]! > 0 || this.cells[place + ofMemory]! > 0;
  }

  clearSums(holding: number): void {
    const place = holding * holdingRow;
    clearSum(this.cells, place + ofBurstSum);
    clearSum(this.cells, place + ofHeldSum);
    clearSum(this.cells, place + ofCpuSum);
    clearSum(this.cells, place + ofMemorySum);
  }
}
