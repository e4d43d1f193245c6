import { canary } from "./steps/canary.js";
import { checks, checksWhileCut, counters } from "./steps/checks.js";
import { idle } from "./steps/idle.js";
import { mpsFault } from "./steps/mps-fault.js";
import { mpsMemory } from "./steps/mps-memory.js";
import { migNeighbour, mpsNeighbour } from "./steps/neighbour.js";
import { recut } from "./steps/recut.js";
import { telemetry } from "./steps/telemetry.js";
import { threeTenants } from "./steps/three-tenants.js";

/** In this order: all that needs MIG before MPS, since a GPU that is made whole again needs no reset then. */
export const steps = {
  counters,
  checks,
  "three-tenants": threeTenants,
  "mig-neighbour": migNeighbour,
  telemetry,
  recut,
  canary,
  idle,
  "checks-while-cut": checksWhileCut,
  "mps-neighbour": mpsNeighbour,
  "mps-memory": mpsMemory,
  "mps-fault": mpsFault,
};
