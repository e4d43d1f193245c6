import { seededRandom } from "@tessera/engine-simulated";

/**
 * Where a kill falls. The first six are phases in which the server ends itself; `idle`, with nothing to do, and
 * `anywhere`, at a random moment under load, come from outside; `paused` is a SIGSTOP beyond its lease.
 */
export const killPoints = [
  "deciding",
  "committing",
  "committed",
  "beforeEngineCall",
  "afterEngineCall",
  "adopting",
  "idle",
  "anywhere",
  "paused",
] as const;
export type KillPoint = (typeof killPoints)[number];

/** The names that the server has for its phases. */
export const phaseOf: Partial<Record<KillPoint, string>> = {
  deciding: "deciding",
  committing: "committing",
  committed: "committed",
  beforeEngineCall: "before-engine-call",
  afterEngineCall: "after-engine-call",
  adopting: "adopting",
};

/** One kill a cycle, each point as often as the others, in an order that follows from the seed. */
export function planKills(cycles: number, points: readonly KillPoint[], seed: number): KillPoint[] {
  const random = seededRandom(seed);
  const plan = Array.from({ length: cycles }, (_, i) => points[i % points.length]!);
  for (let i = plan.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [plan[i], plan[other]] = [plan[other]!, plan[i]!];
  }
  return plan;
}
