export { parseVirtual } from "./inventory/virtual.ts";
export { openLocalEngine } from "./open.ts";
export type { LocalEngineOptions } from "./options.ts";
