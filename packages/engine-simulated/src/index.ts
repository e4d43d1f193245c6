/** A fleet that exists only in memory, on a clock that is moved by hand. */
export { SimulatedClock } from "./clock.ts";
export { SimulatedEngine } from "./engine.ts";
export { type Behaviour, SimulatedFleet } from "./fleet.ts";
export { keepRunning } from "./kept.ts";
export { addressOf } from "./kernel-log.ts";
export { type Hold, SimulatedTelemetry } from "./load/telemetry.ts";
export { declareNodes } from "./nodes.ts";
export { openSimulated } from "./open.ts";
export type { Faults } from "./outbox.ts";
export { seededRandom } from "./random.ts";
export type { Ran } from "./truth.ts";
