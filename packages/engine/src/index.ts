/** The port to what runs jobs; the suite that each engine passes is `@tessera/engine/suite`. */
export { type Clock, systemClock, timerAt } from "./clock.ts";
export { type DcgmRow, parseDcgm } from "./dcgm.ts";
export { declaredDevices, declaredEnforcement } from "./declared-part.ts";
export { type Entry, type EntryAsk, type EntryEnd, EntryRefused, type TerminalSize } from "./entry.ts";
export { environmentOf, type MemberSite } from "./environment.ts";
export { fetchScript } from "./fetch.ts";
export { gpuModelOf, usualMemoryMiB } from "./gpu.ts";
export {
  type Capabilities,
  type CheckAsk,
  type CheckResult,
  type CodeOrder,
  type Engine,
  EngineFenced,
  type EngineLease,
  type FileContent,
  type FileEntry,
  type JobFolder,
  type LeaseOrder,
  type Limits,
  type LogLine,
  type LogQuery,
  type MountOrder,
  type NetworkOrder,
  type OutputsOrder,
  type StopOrder,
  type TenantTerms,
} from "./port.ts";
export { quoted } from "./quoted.ts";
export type { GpuMetrics, GpuSample, MemberSample, Telemetry, TelemetrySource } from "./telemetry.ts";
export { bootId, upMs } from "./uptime.ts";
export { parseXid, pciAddress, type XidLine } from "./xid.ts";
