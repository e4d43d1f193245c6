/** Units by entry of a guarantee. */
type Amounts = { readonly [entry: string]: number };

/** An account as it is billed. */
export interface Payer {
  readonly path: string;
  readonly parent: Payer | undefined;
  readonly tenant: TenantPayer;
  /** Sorted by path. */
  readonly children: Payer[];
  /** The number of its holding of each SKU, by the number of the SKU. */
  readonly holdingOf: (number | undefined)[];
  guarantee: Amounts;
  /** Its row in `Payers.counts` for the first group of its tenant's floor; the rows of the other groups follow. */
  row: number;
  /** Its holdings: by group, and within a group sorted by key. */
  holdings: number[][];
}

/** A top-level account, which pays and has the floor. */
export interface TenantPayer extends Payer {
  /** Its number, in the order of arrival. */
  readonly no: number;
  lendable: Amounts | undefined;
  /** Sorted entries of its floor without `*`. Each is a group of models; one more group holds all other models. */
  entries: readonly string[];
  /** Units of each of `entries`. */
  floor: Float64Array;
  /** Units of `*`. */
  anyFloor: number;
  /** Counts the changes of the floor. */
  floorNo: number;
  readonly groupOf: Map<string, number>;
  readonly allHoldings: number[];
  /** Holdings that are not empty, or were not when the tenant was last settled. */
  readonly live: number[];
  isDirty: boolean;
  /** Units beyond the floor, by number of the model. */
  readonly borrowed: number[];
  /** The first `dirtyCount` entries are the groups that changed since the excess was last divided. */
  dirtyGroups: Int32Array;
  dirtyCount: number;
}
