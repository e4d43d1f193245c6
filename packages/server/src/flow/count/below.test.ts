import assert from "node:assert/strict";
import { it } from "node:test";
import { plainTerms, unitsPerGpu } from "@tessera/core";
import { summaryBelowMax } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import type { RollUpQuery } from "../series/query.ts";
import { Slices } from "../slices.ts";
import { failedBelow, summariesBelow } from "./below.ts";
import { Reasons } from "./reasons.ts";
import { tally } from "./tally.ts";

const noJobs = { at: 0, jobs: [], cells: [], gpus: new Map(), nodes: 0, byMode: new Map(), columns: [] };

it("counts GPUs beyond a guarantee by model: an idle one of another model covers none", async () => {
  const control = await TestControl.start(undefined, []);
  const h100 = fleetOf(1, 8, "H100");
  const a100 = fleetOf(1, 8, "A100").map((node) => ({
    ...node,
    name: "n2",
    gpus: node.gpus.map((gpu) => ({ ...gpu, uuid: `${gpu.uuid}-a` })),
  }));
  await control.must({ kind: "node.register", nodes: [...h100, ...a100] });
  const tenancy = new Tenancy(control);
  const quota = { ...plainTerms.quota, guarantee: { H100: 4 * unitsPerGpu, "*": unitsPerGpu } };
  await tenancy.account("acme", { ...plainTerms, quota });
  await tenancy.account("other");
  const ana = await tenancy.user("ana", "member", "acme");
  await control.run(await tenancy.job("acme", ana.id, { gpus: "A100:3" }));
  await control.run(await tenancy.job("acme", ana.id, { gpus: "H100:2" }));
  await control.run(await tenancy.job("other", ana.id, { gpus: "H100:1" }));
  const { below } = summariesBelow(control.state, noJobs, [control.state.accounts[0]!], undefined);
  assert.deepEqual(
    below.map(({ account, held, guarantee, borrowed }) => ({ account, held, guarantee, borrowed })),
    [
      { account: "acme", held: 5, guarantee: 5, borrowed: 2 },
      { account: "other", held: 1, guarantee: 0, borrowed: 1 },
    ],
  );
});

it("counts the GPUs of burst jobs in and below each account: those of its class, not those beyond its own guarantee", async () => {
  const control = await TestControl.start(undefined, fleetOf(1, 8, "H100"));
  const tenancy = new Tenancy(control);
  const quota = { ...plainTerms.quota, guarantee: { "*": 4 * unitsPerGpu } };
  await tenancy.account("lab", { ...plainTerms, quota });
  await tenancy.account("lab/nlp");
  const ana = await tenancy.user("ana", "member", "lab/nlp");
  for (const gpus of [4, 2]) await control.run(await tenancy.job("lab/nlp", ana.id, { gpus }));
  const { state } = control;
  const counted = await tally(state, control.now(), new Reasons(control), new Slices(), 10);
  const { below } = summariesBelow(state, counted, [state.accounts.find((each) => each?.path === "lab")!], undefined);
  assert.deepEqual(
    below.map(({ account, held, guarantee, borrowed, burst }) => ({ account, held, guarantee, borrowed, burst })),
    [{ account: "lab/nlp", held: 6, guarantee: 0, borrowed: 6, burst: 2 }],
  );
});

it("tells how many accounts there are, and of all of them how many jobs failed, also where not all are listed", async () => {
  const control = await TestControl.start(undefined, []);
  const tenancy = new Tenancy(control);
  for (let no = 0; no <= summaryBelowMax; no++) await tenancy.account(`t${no}`);
  const failed = new Map([...control.state.accounts].flatMap((account) => (account ? [[account.id, 2] as const] : [])));
  failed.delete(control.state.accounts[0]!.id);
  const { below, belowTotal } = summariesBelow(control.state, noJobs, [control.state.accounts[0]!], failed);
  assert.equal(below.length, summaryBelowMax);
  assert.deepEqual(belowTotal, { accounts: summaryBelowMax + 1, failed: 2 * (summaryBelowMax + 1) });
  const unknown = summariesBelow(control.state, noJobs, [control.state.accounts[0]!], undefined);
  assert.deepEqual(unknown.belowTotal, { accounts: summaryBelowMax + 1 });
});

it("counts failures of no more than 24 hours, to ten minutes", async () => {
  const control = await TestControl.start(undefined, []);
  await new Tenancy(control).account("acme");
  const asked: RollUpQuery[] = [];
  const series = {
    async read(query: RollUpQuery) {
      asked.push(query);
      return { stepMs: query.stepMs, times: [], lines: [], leftOut: 0 };
    },
  };
  const to = Date.parse("2026-01-02T10:47:00Z");
  await failedBelow(series, control.state, [control.state.accounts[0]!], to);
  assert.equal(asked.length, 3);
  for (const { from, to: until, stepMs } of asked) {
    assert.deepEqual([new Date(from).toISOString(), until, stepMs], ["2026-01-01T10:50:00.000Z", to, 600_000]);
  }
});
