import { type JobNo, noAccount } from "../model/ids.ts";
import type { Job, JobSpec } from "../model/job.ts";
import { plainPolicy } from "../model/policy.ts";
import { newJob } from "../state/apply/new-job.ts";
import { wishOf } from "../state/wish-of.ts";
import { parseJob, type RawJob } from "../submit/parse.ts";
import { ana, jobId, World } from "../testing/world.ts";
import { type Victim, whole } from "./draft/victim.ts";
import type { Claimant } from "./rules/claimant.ts";
import { pathOf } from "./rules/sides.ts";

/** A fleet on which T2 applies to all jobs and none is held back for a plan. */
export function rebalancing(...nodes: [name: string, gpus: string][]): World {
  const world = new World().nodes(...nodes);
  world.must({ kind: "policy.set", policy: { ...plainPolicy, rebalance: "on", backfill: false } });
  return world;
}

/** A job as an account would submit it now. */
export function jobOf({ state, now }: World, path: string, raw: Partial<RawJob> = {}): Job {
  const account = accountNo(state, path);
  const spec = parseJob({ run: "true", gpus: 1, ...raw }, { after: [] }) as JobSpec;
  return newJob({ spec, account, user: ana, at: now }, 0, 1_000_000 as JobNo, jobId("claimant"));
}

/** The same job as a claimant, by the guarantee of `cover` or as burst. */
export function claimantOf(
  world: World,
  path: string,
  { cover, ...raw }: Partial<RawJob> & { readonly cover?: string } = {},
): Claimant {
  const { state } = world;
  const job = jobOf(world, path, raw);
  return {
    job,
    demand: wishOf(state, job).options[0]!.demand,
    cover: cover === undefined ? noAccount : accountNo(state, cover),
    path: pathOf(state, job.account),
  };
}

export function accountNo({ accountByPath }: World["state"], path: string) {
  return accountByPath.get(path)!.no;
}

/** A running job as a victim. */
export function victimOf({ state }: World, id: string): Victim {
  return whole(state.jobById.get(jobId(id))!);
}

/** Submits jobs and runs them. */
export function runAll(
  world: World,
  jobs: Readonly<Record<string, readonly [path: string, raw?: Partial<RawJob>]>>,
): World {
  for (const [id, [path, raw]] of Object.entries(jobs)) {
    world.submit(id, path, raw ?? {});
    world.run(id);
  }
  return world;
}
