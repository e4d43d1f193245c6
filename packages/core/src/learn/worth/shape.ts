/** What one arrival asks of one node. Arrivals of the same shape are alike to the fleet. */
export interface ArrivalShape {
  readonly cpusMilli: number;
  readonly gpus: number;
  /** Of each of its GPUs; less than a whole one only where it asks for one GPU. */
  readonly unitsEach: number;
  /** Numbers of the models it may use; empty for any. */
  readonly models: readonly number[];
}

/** What nodes have left, as far as it matters for what they could host; nodes with equal rooms are alike. */
export interface NodeRoom {
  readonly model: number;
  readonly cpusMilli: number;
  /** Free units of each GPU, in ascending order. */
  readonly freeUnits: readonly number[];
}

/** The same text for the same shape. */
export function arrivalKey({ cpusMilli, gpus, unitsEach, models }: ArrivalShape): string {
  return `${cpusMilli}/${gpus}/${unitsEach}/${models.join()}`;
}
