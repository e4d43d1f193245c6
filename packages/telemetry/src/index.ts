/** What GPUs did over time: a bounded store of samples, joined to the leases that held them. */

export * from "./port.ts";
export type { Holder, MemberRow, TelemetryRow } from "./row.ts";
