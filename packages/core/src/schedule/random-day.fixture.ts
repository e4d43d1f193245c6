import { type AccountTerms, plainTerms } from "../model/account.ts";
import { plainPolicy } from "../model/policy.ts";
import { minute } from "../model/units.ts";
import { diceOf } from "../testing/dice.ts";
import { jobId, nodeOf, World } from "../testing/world.ts";

/** How a random day is set up. */
export interface DayOptions {
  readonly seed: number;
  /** Jobs that are submitted before the day begins; more than 256 different ones make the queue long [B6]. */
  readonly waiting: number;
  readonly backfill: boolean;
  /** Called before each step. */
  readonly beforeStep?: (world: World) => void;
}

const steps = 40;
const accounts = ["lab/x", "lab/y", "shop/z", "shop/w", "bank"];

/** A day of a small full fleet with random submissions, ends, cancellations and edits; returns all events as text. */
export function playDay({ seed, waiting, backfill, beforeStep }: DayOptions): string {
  const roll = diceOf(seed);
  const world = fleetOf(seed, backfill);
  for (let i = 0; i < waiting; i++) submit(world, `w${i}`, roll);
  for (let step = 0; step < steps; step++) {
    beforeStep?.(world);
    act(world, step, roll);
    answer(world, roll);
    world.tick(100 + roll(400));
  }
  return world.events.map((event) => JSON.stringify(event)).join("\n");
}

function fleetOf(seed: number, backfill: boolean): World {
  const world = new World();
  const nodes = ["n0", "n1", "n2"].map((name) => ({ ...nodeOf(name, "H100:4"), pool: "any" as const }));
  world.must({ kind: "node.register", nodes });
  const policy = { ...plainPolicy, rebalance: "on" as const, minRuntimeMs: seed % 2 === 0 ? 0 : 1_000, backfill };
  world.must({ kind: "policy.set", policy });
  world.account("lab", { guarantee: 4 }).account("shop");
  for (const path of accounts) world.account(path, termsOf(path, seed));
  return world;
}

function termsOf(path: string, seed: number): Partial<AccountTerms> & { guarantee?: number } {
  if (path === "lab/x") return { guarantee: 2 };
  if (path === "lab/y" && seed % 3 === 0) return { order: "aged-shortest" };
  if (path === "bank") return { guarantee: 1, trust: seed % 3 === 1 ? "untrusted" : plainTerms.trust };
  return {};
}

function submit(world: World, id: string, roll: (sides: number) => number): void {
  const limit = roll(2) === 0 ? {} : { max_time: `${1 + roll(30)}m` };
  const gpus = [1, 1, 2, 4, "0.3", "0.6"][roll(6)]!;
  const shared = typeof gpus === "string" ? { isolation: "mps" as const } : {};
  const elastic = typeof gpus === "number" && roll(8) === 0 ? { members: "1..3" } : {};
  world.submit(id, accounts[roll(accounts.length)]!, {
    gpus,
    cpus: 1 + roll(7),
    memory: `${1 + roll(50)}GiB`,
    priority: roll(7) === 0 ? "high" : "normal",
    ...(roll(3) === 0 && { checkpoint: { every: "1m" } }),
    ...(roll(20) === 0 && { array: "1-4%1" }),
    ...limit,
    ...shared,
    ...elastic,
  });
}

function act(world: World, step: number, roll: (sides: number) => number): void {
  const jobs = [...world.state.jobs.values()];
  const job = jobs[roll(Math.max(1, jobs.length))];
  const what = roll(10);
  if (what < 5 || job === undefined) submit(world, `s${step}`, roll);
  else if (what === 5) world.do({ kind: "job.cancel", job: job.id });
  else if (what === 6) world.do({ kind: job.held ? "job.release" : "job.hold", job: job.id });
  else if (what === 7) editQuota(world, roll);
  else if (what === 8) world.do({ kind: roll(2) === 0 ? "node.cordon" : "node.up", node: "n2", reason: "test" });
  else if (what === 9) world.tick(minute);
}

function editQuota(world: World, roll: (sides: number) => number): void {
  const account = world.state.accountByPath.get("shop/z")!;
  const quota = { ...account.terms.quota, weight: 1 + roll(3) };
  world.do({ kind: "account.edit", path: "shop/z", terms: { ...account.terms, quota } });
}

/** The engine starts what was placed, ends what must stop, and some running jobs finish. */
function answer(world: World, roll: (sides: number) => number): void {
  for (const job of [...world.state.jobs.values()]) {
    const name = job.id.replace("job_", "");
    const ends = job.state === "stopping" || (job.state === "running" && roll(6) === 0);
    if (job.state === "starting") world.run(name);
    else if (ends) for (const { rank } of job.leases) if (isLive(world, name, rank)) world.exit(name, 0, rank);
  }
}

function isLive(world: World, name: string, rank: number): boolean {
  return world.state.jobById.get(jobId(name))?.leases.some((lease) => lease.rank === rank) === true;
}
