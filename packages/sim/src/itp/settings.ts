import { type Policy, plainPolicy, plainTerms } from "@tessera/core";
import { seededRandom } from "@tessera/engine-simulated";
import { alikeNodes } from "../simulate/alike-nodes.ts";
import { gangSpec } from "../simulate/gang.ts";
import type { Setting } from "../simulate/setting.ts";
import type { NamedGang } from "../trace/itp.ts";

export const gpusPerNode = 8;

/** No job is ever evicted: one account without a guarantee, in the order that an account may choose. */
const policy: Policy = { ...plainPolicy, rebalance: "off", graceMs: 0, movesPerHourMax: 0 };

/** What users would have guessed: the run time times something between a half and four, evenly by its logarithm. */
export function guesses(jobs: readonly NamedGang[], seed: number): number[] {
  const random = seededRandom(seed);
  return jobs.map(({ runMs }) => Math.max(1_000, Math.round(runMs * 0.5 * 8 ** random())));
}

/** All jobs in one account that lets the shorter go first, with or without their users' guesses. */
export function itpSetting(jobs: readonly NamedGang[], nodes: number, expectedMs?: readonly number[]): Setting {
  return {
    nodes: alikeNodes(nodes, gpusPerNode),
    accounts: [{ path: "all", terms: { ...plainTerms, order: "aged-shortest" } }],
    policy,
    arrivals: jobs.map(({ name, submitAt, gpus, runMs }, i) => ({
      name,
      account: "all",
      spec: gangSpec({ gpus, gpusPerNode, ...(expectedMs !== undefined && { expectedMs: expectedMs[i]! }) }),
      submitAt,
      runMs,
    })),
  };
}
