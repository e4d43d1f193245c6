/** What one arriving member needs of a node. Arrivals of equal shape are interchangeable. */
export interface ArrivalShape {
  readonly cpusMilli: number;
  readonly gpus: number;
  /** Units of each of its GPUs; less than a whole GPU only for a part of one. */
  readonly unitsEach: number;
  /** The numbers of the models that it may use; empty = any. */
  readonly models: readonly number[];
}

/** The free room of a node, as far as it decides what the node can host. */
export interface NodeRoom {
  readonly model: number;
  readonly cpusMilli: number;
  /** Free units of each GPU, in ascending order. */
  readonly freeUnits: readonly number[];
}

/** Equal for equal shapes. */
export function arrivalKey({ cpusMilli, gpus, unitsEach, models }: ArrivalShape): string {
  return `${cpusMilli}/${gpus}/${unitsEach}/${models.join()}`;
}
