/** What GPUs did over time: a bounded store of samples, joined to the leases that held them. */

export * from "./port.ts";
export { readTelemetry } from "./reader.ts";
export type { Holder, MemberRow, TelemetryRow } from "./row.ts";
export { bytesMaxLeast, type TelemetrySettings, usualSettings } from "./settings.ts";
export { openTelemetry, type StoreParts } from "./store.ts";
