/** What the oracle may import of the core: it judges the scheduler, so it shares nouns with it and no decisions. */
export type { GpuAmounts, Quota, Trust } from "./account.ts";
export { must } from "./must.ts";
export { hour, type Instant, minute, unitsPerGpu } from "./units.ts";
