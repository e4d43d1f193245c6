import {
  type AccountId,
  type Command,
  day,
  hour,
  isRefusal,
  type JobId,
  minute,
  type PriceVersion,
  parseJob,
  plainTerms,
  type RawJob,
  type UserId,
  unitsPerGpu,
  usualHandover,
} from "@tessera/core";
import { declareNodes, SimulatedClock, SimulatedEngine, SimulatedFleet } from "@tessera/engine-simulated";
import type { Store } from "@tessera/server";
import { Dice } from "../prove/dice.ts";
import { VirtualControlPlane } from "../virtual/control-plane.ts";

/** A month that is over, in UTC. */
export interface Month {
  readonly fromAt: number;
  readonly toAt: number;
}

const prices: Omit<PriceVersion, "fromAt"> = {
  id: "first-list",
  currency: "EUR",
  zone: "UTC",
  gpus: [
    { model: "H100", reservedMicros: 1_900_000, burstMicros: 2_600_000 },
    { model: "*", reservedMicros: 600_000, burstMicros: 900_000 },
  ],
  isolation: { mig: 1_050 },
  topology: { nvlink: 1_150 },
  profile: {},
  cpuMicrosPerCoreHour: 8_000,
  memoryMicrosPerGiBHour: 1_000,
  storageMicrosPerGiBHour: 0,
  unbilled: ["starting", "scrub", "reshape"],
  lenderPerMille: 300,
  lostWorkPerMille: 1_000,
  idle: { policy: "absorb", gpus: [] },
  minimumMicros: 0,
  rounding: "half-even",
  timesOfDay: [{ zone: "UTC", days: [1, 2, 3, 4, 5], fromMinute: 22 * 60, toMinute: 6 * 60, perMille: 800 }],
};

const seed = 7;
const user = "usr_before" as UserId;

/**
 * Fills an empty store with a month of two tenants on 16 simulated GPUs, in virtual time, with the server's own writer:
 * a guarantee that is half used, work beyond it by day and by night, a gang in one NVLink domain, and work that is taken
 * back. When the month is over the guarantees are gone and the nodes are down. The same month is always the same.
 */
export async function liveThrough(store: Store, { fromAt, toAt }: Month): Promise<{ readonly jobs: number }> {
  const clock = new SimulatedClock(fromAt);
  const control = new VirtualControlPlane(clock, store);
  // Named like the nodes of a server with --virtual: those that it brings take their place.
  const nodes = declareNodes({ count: 2, gpusEach: 8, model: "H100" }).map((node, i) => ({
    ...node,
    name: `virtual-${i}`,
  }));
  const fleet = new SimulatedFleet({ clock, nodes });
  await control.drive(new SimulatedEngine(fleet));
  const must = async (command: Command) => {
    const asked = control.ask(command);
    if (!(await control.settle())) throw new Error("the month does not come to rest");
    const done = await asked;
    if (isRefusal(done)) throw new Error(`refused: ${JSON.stringify(done)}`);
  };
  const terms = (gpus: number) => ({
    ...plainTerms,
    quota: { guarantee: { H100: gpus * unitsPerGpu }, weight: 1 },
  });
  await must({ kind: "policy.set", policy: { ...control.state.policy, ...usualHandover } });
  await must({ kind: "account.create", id: "acc_local" as AccountId, path: "local", terms: plainTerms });
  await must({ kind: "node.register", nodes: fleet.nodes() });
  await must({ kind: "price.add", version: { ...prices, fromAt } });
  for (const [path, gpus] of guarantees)
    await must({ kind: "account.create", id: idOf(path) as AccountId, path, terms: terms(gpus) });
  const chance = new Dice(seed);
  let jobs = 0;
  for (let at = fromAt; at < toAt - day; at += chance.whole(2, 10) * hour) {
    if (!(await control.advanceTo(at))) throw new Error("the month does not come to rest");
    const spec = parseJob(jobOf(kinds[jobs % kinds.length]!.raw, chance.whole(1, 11)), { after: [] });
    if (isRefusal(spec)) throw new Error(JSON.stringify(spec));
    const account = kinds[jobs % kinds.length]!.account;
    const id = `job_before${String(++jobs).padStart(6, "0")}` as JobId;
    await must({ kind: "job.submit", id, account, user, spec, endedBefore: [] });
  }
  if (!(await control.advanceTo(toAt - minute))) throw new Error("the month does not come to rest");
  for (const [path] of guarantees) await must({ kind: "account.edit", path, terms: terms(0) });
  for (const { name } of nodes) await must({ kind: "node.down", node: name, reason: "the month is over" });
  return { jobs };
}

const guarantees = [
  ["atelier", 8],
  ["atelier/renders", 0],
  ["academy", 8],
] as const;

const kinds = [
  { account: "atelier", raw: { gpus: 4 } },
  { account: "academy", raw: { gpus: 2, checkpoint: { dir: "/ckpt", grace: "1m", every: "15m" } } },
  { account: "atelier/renders", raw: { gpus: 8, topology: "nvlink" } },
  { account: "academy", raw: { nodes: 2, gpus: 6, checkpoint: { dir: "/ckpt", grace: "1m", every: "15m" } } },
] as const;

function jobOf(raw: Partial<RawJob>, hours: number): RawJob {
  return {
    name: "earlier",
    cpus: 16,
    memory: "64GiB",
    max_time: `${hours + 1}h`,
    run: `sleep ${hours * 3_600}`,
    ...raw,
  };
}

function idOf(path: string): string {
  return `acc_${path.replace("/", "")}`;
}
