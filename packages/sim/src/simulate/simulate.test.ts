import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type AccountId,
  type JobId,
  type Policy,
  plainPolicy,
  plainTerms,
  type UserId,
  unitsPerGpu,
} from "@tessera/core";
import {
  type Behaviour,
  SimulatedClock,
  SimulatedEngine,
  SimulatedFleet,
  seededRandom,
} from "@tessera/engine-simulated";
import { VirtualControlPlane } from "../virtual/control-plane.ts";
import { alikeNodes } from "./alike-nodes.ts";
import { gangSpec } from "./gang.ts";
import { waitMs } from "./result.ts";
import type { Arrival, Setting } from "./setting.ts";
import { simulate } from "./simulate.ts";

const startAt = Date.UTC(2026, 0, 1);
const policy: Policy = { ...plainPolicy, graceMs: 0 };
const minute = 60_000;

function arrival(
  name: string,
  account: string,
  gpus: number,
  submitMin: number,
  runMin: number,
  checkpointMs?: number,
) {
  const spec = gangSpec({ gpus, gpusPerNode: 8, ...(checkpointMs !== undefined && { checkpointMs }) });
  return { name, account, spec, submitAt: startAt + submitMin * minute, runMs: runMin * minute };
}

const floor = (gpus: number) => ({ ...plainTerms, quota: { guarantee: { "*": gpus * unitsPerGpu }, weight: 1 } });

const two: Omit<Setting, "arrivals"> = {
  nodes: alikeNodes(2, 8),
  accounts: [
    { path: "owner", terms: floor(8) },
    { path: "guest", terms: floor(8) },
  ],
  policy,
};

describe("simulate", () => {
  it("takes back what was lent, and the loser does its work again", () => {
    const arrivals = [
      arrival("a", "guest", 8, 0, 60),
      arrival("b", "guest", 8, 0, 60),
      arrival("c", "owner", 8, 10, 30),
    ];
    const { jobs } = simulate({ ...two, arrivals });
    const [, loser, owner] = jobs;
    assert.equal(waitMs(owner!), 0);
    assert.deepEqual([loser!.evictions, loser!.lostGpuMs], [1, 8 * 10 * minute]);
    assert.equal(loser!.endedAt, startAt + (10 + 30 + 60) * minute);
  });

  it("goes on from the last checkpoint", () => {
    const every = 4 * minute;
    const arrivals = ["a", "b"].map((name) => arrival(name, "guest", 8, 0, 60, every));
    const { jobs } = simulate({ ...two, arrivals: [...arrivals, arrival("c", "owner", 8, 10, 30)] });
    assert.deepEqual([jobs[1]!.lostGpuMs, waitMs(jobs[1]!)], [8 * 2 * minute, (30 + 2) * minute]);
  });

  it("starts a job again when its node is lost", () => {
    const outages = [{ node: "n0", at: startAt + 5 * minute, backAt: startAt + 8 * minute }];
    const { jobs } = simulate({ ...two, arrivals: [arrival("a", "owner", 8, 0, 60)], outages });
    assert.deepEqual(
      jobs[0]!.stints.map(({ seats }) => seats[0]!.node),
      ["n0", "n1"],
    );
    assert.equal(waitMs(jobs[0]!), 5 * minute);
  });

  it("decides as the server's own writer and driver do", async () => {
    const random = seededRandom(7);
    const arrivals = Array.from({ length: 150 }, (_, i): Arrival => {
      const gpus = [1, 1, 2, 4, 8, 16][Math.floor(random() * 6)]!;
      const account = random() < 0.7 ? "guest" : "owner";
      return arrival(`j${i}`, account, gpus, i * 3, 5 + Math.floor(random() * 60), random() < 0.3 ? minute : undefined);
    });
    const setting = { ...two, nodes: alikeNodes(4, 8), arrivals };
    const direct = simulate(setting).jobs.map(({ stints }) =>
      stints.map(({ placedAt, seats }) => [placedAt, seats[0]!.node]),
    );
    assert.deepEqual(direct, await throughTheServer(setting));
    assert.ok(direct.some((stints) => stints.length > 1)); // some job was evicted
  });
});

/** When and where each attempt of each job started, with writer, journal, driver and engine in between. */
async function throughTheServer({ nodes, accounts, arrivals }: Setting): Promise<(readonly [number, string])[][]> {
  const control = new VirtualControlPlane(new SimulatedClock(startAt));
  const { clock } = control;
  const saved = new Map<JobId, number>();
  const indexOf = (id: string) => Number(id.slice("job_".length));
  const fleet = new SimulatedFleet({
    clock,
    nodes,
    prepareMs: 0,
    behaviour: ({ job }): Behaviour => ({
      startMs: 0,
      runMs: arrivals[indexOf(job)]!.runMs - (saved.get(job) ?? 0),
      exitCode: 0,
      ignoresSignal: true,
    }),
  });
  const starts: [number, string][][] = arrivals.map(() => []);
  control.follow({
    before(event, state) {
      if (event.kind === "job-placed") {
        const { id } = state.jobs.get(event.job)!;
        starts[indexOf(id)]!.push([event.at, state.fleet.node(event.seats[0]!.node).facts.name]);
      } else if (event.kind === "job-requeued") {
        const job = state.jobs.get(event.job)!;
        const every = job.spec.checkpoint?.everyMs;
        if (every === undefined || job.startedAt === 0) return;
        const ran = event.at - job.startedAt;
        saved.set(job.id, (saved.get(job.id) ?? 0) + ran - (ran % every));
      }
    },
  });
  await control.drive(new SimulatedEngine(fleet));
  const setUp = [
    control.ask({ kind: "node.register", nodes }),
    control.ask({ kind: "policy.set", policy }),
    ...accounts.map(({ path, terms }, i) =>
      control.ask({ kind: "account.create", id: `acc_${i}` as AccountId, path, terms }),
    ),
  ];
  await control.settle();
  await Promise.all(setUp);
  for (const [i, { submitAt, account, spec }] of arrivals.entries()) {
    await control.advanceTo(submitAt);
    void control.ask({
      kind: "job.submit",
      id: `job_${i}` as JobId,
      account,
      user: "usr_a" as UserId,
      spec,
      endedBefore: [],
    });
    await control.settle();
  }
  await control.advanceTo(startAt + 365 * 24 * 60 * minute);
  return starts;
}
