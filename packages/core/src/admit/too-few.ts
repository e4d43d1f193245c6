import type { MemberNeed } from "../fleet/fit.ts";
import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import { type Refusal, refuse } from "../journal/refusal.ts";
import type { JobSpec } from "../model/job.ts";

/** Enough members fit, but not in one domain of the topology [P2]. */
export function tooFewTogether({ topology }: JobSpec, members: number): Refusal {
  const { level } = topology!;
  const why = `is too strict: no ${level} can hold ${members} such members`;
  return refuse(
    "never-fits",
    "topology",
    level,
    why,
    `write topology: ${level}? to prefer it only, or ask for fewer members`,
  );
}

/** A gang is in one engine [P9]: where there are several, it is the engine that is too small. */
export function tooFewInAll(
  fleet: ReadonlyFleet,
  { model, among }: Pick<MemberNeed, "model" | "among">,
  apart: boolean,
  members: number,
  fit: number,
): Refusal {
  const whole = fleet.engines.length > 1 ? `engine ${fleet.engineOf(model)}` : "the whole fleet";
  const where = among === undefined ? `${whole} holds` : "the nodes that it may use hold";
  const why = `is too many: ${where} ${fit} such members when ${among === undefined ? "it is" : "they are"} empty`;
  return refuse("never-fits", apart ? "nodes" : "members", members, why, `ask for at most ${fit}`);
}
