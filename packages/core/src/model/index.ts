/** The nouns that the oracle shares with the core: it judges the scheduler and must share nothing else with it. */
export type { GpuAmounts, Quota, Trust } from "./account.ts";
export { hour, type Instant, minute, unitsPerGpu } from "./units.ts";
