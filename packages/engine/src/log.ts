/** The log of a member as files: how it is cut into lines, written, bounded and read. */
export { LineCutter, lineCharsMax } from "./log/lines.ts";
export { type Masker, maskerOf } from "./log/mask.ts";
export { type LogKeep, pruneLogs } from "./log/prune.ts";
export { readLog, type SealFor } from "./log/reader.ts";
export type { LogSeal, SealedLog } from "./log/seal.ts";
export { LogWriter } from "./log/writer.ts";
