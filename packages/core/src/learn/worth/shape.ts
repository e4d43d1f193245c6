/** What one arrival asks of one node. Arrivals of the same shape are alike to the fleet. */
export interface Shape {
  readonly cpusMilli: number;
  readonly gpus: number;
  /** Of each of its GPUs; less than a whole one only where it asks for one GPU. */
  readonly unitsEach: number;
  /** Numbers of the models it may use; empty for any. */
  readonly models: readonly number[];
}

/** What nodes have left, as far as it matters for what they could host; nodes with equal rooms are alike. */
export interface Room {
  readonly model: number;
  readonly cpusMilli: number;
  /** Free units of each GPU, in ascending order. */
  readonly freeUnits: readonly number[];
}

/** The same text for the same shape. */
export function shapeKey({ cpusMilli, gpus, unitsEach, models }: Shape): string {
  return `${cpusMilli}/${gpus}/${unitsEach}/${models.join()}`;
}
