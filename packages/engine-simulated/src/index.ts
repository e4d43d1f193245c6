export * from "./clock.ts";
export * from "./engine.ts";
export * from "./fleet.ts";
export * from "./nodes.ts";
export * from "./open.ts";
export type { Faults } from "./outbox.ts";
export * from "./random.ts";
export * from "./script.ts";
export type { Ran } from "./truth.ts";
