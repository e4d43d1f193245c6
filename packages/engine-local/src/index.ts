export { type LocalEngineOptions, openLocalEngine } from "./engine.ts";
export { parseVirtual } from "./inventory/virtual.ts";
