import assert from "node:assert/strict";
import { it } from "node:test";
import { plainTerms, rootAccount, unitsPerGpu } from "@tessera/core";
import { fleetMap } from "../../render/fleet-map.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { sampleGauges } from "../series/gauges.ts";
import { Slices } from "../slices.ts";
import { Reasons } from "./reasons.ts";
import { renderSummary } from "./summary.ts";
import { tally } from "./tally.ts";

/** A fleet with GPUs of every use: parts, a claim under way, a cordoned node, one that is lost, a GPU that is withheld. */
async function motley() {
  const labels = { tier: "shared" };
  const nodes = fleetOf(6, 4).map((node, no) => (no === 0 ? { ...node, labels } : node));
  const withheld = nodes[5]!.gpus.slice(0, 1).map(({ uuid }) => uuid);
  const control = await TestControl.start(undefined, [...nodes.slice(0, 5), { ...nodes[5]!, withheld }]);
  control.capabilities = { images: false, isolation: ["whole", "mig", "mps", "timeslice"], workdir: true };
  const tenancy = new Tenancy(control);
  const terms = { labels, perMille: 1_000, mode: "timeslice" } as const;
  await control.must({ kind: "pool.create", name: "shared", terms });
  const guarantee = { "*": 12 * unitsPerGpu };
  await tenancy.account("acme", { ...plainTerms, quota: { ...plainTerms.quota, guarantee } });
  await tenancy.account("rival");
  const owner = await tenancy.user("owner", "platform-owner");
  const ana = await tenancy.user("ana", "tenant-admin", "acme");
  return { control, tenancy, owner, ana };
}

it("the summary, the series and the map say the same of every GPU, parts of GPUs as parts", async () => {
  const { control, tenancy, owner, ana } = await motley();
  const { state } = control;
  const start = async (account: string, gpus: number | string) => {
    const job = await tenancy.job(account, owner.id, { gpus });
    await control.run(job);
    return job;
  };
  for (let i = 0; i < 3; i++) await start("rival", 0.25);
  await start("acme", "H100:2");
  const gone = await start("rival", "H100:4");
  await start("rival", "H100:4");
  await control.must({ kind: "node.cordon", node: "n4", reason: "fan" });
  await control.must({ kind: "node.down", node: "n5", reason: "dead" });
  // Room is being made for two members: one of two borrowers has stopped already.
  await tenancy.job("acme", ana.id, { gpus: "H100:4", members: 2 });
  await control.end(gone);

  const counted = await tally(state, control.now(), new Reasons(control), new Slices(), 100);
  const { fleet } = renderSummary(state, counted, { roots: [state.accounts[rootAccount]!], user: undefined });
  const uses = ["idle", "reserved", "guaranteed", "burst", "leaving", "others", "unusable"] as const;
  const { byModel: _, byMode: __, columns: ___, ...counts } = fleet;
  assert.deepEqual(counts, {
    ...{ nodes: 6, gpus: 24, idle: 4.25, reserved: 4, unusable: 9, others: 0 },
    ...{ guaranteed: 2, burst: 0.75, leaving: 4 },
  });
  assert.equal(
    uses.reduce((sum, use) => sum + fleet[use], 0),
    fleet.gpus,
  );
  const few = await tally(state, control.now(), new Reasons(control), new Slices(), 2);
  const { columns } = renderSummary(state, few, { roots: [state.accounts[rootAccount]!], user: undefined }).fleet;
  assert.deepEqual(columns, [
    { guaranteed: 2, burst: 0.75, leaving: 4, reserved: 4, idle: 1.25 },
    { idle: 3, withheld: 1, cordoned: 4, down: 4 },
  ]);

  const gauges = new Map<string, number>();
  for (const { name, account, value } of await sampleGauges(state, control.now(), new Slices()))
    if (account === state.accounts[rootAccount]!.id) gauges.set(name, (gauges.get(name) ?? 0) + value);
  const { gpus, idle, reserved, unusable, guaranteed, burst, leaving } = fleet;
  assert.deepEqual(
    ["capacity", "idle", "reserved", "down", "allocated"].map((name) => gauges.get(name) ?? 0),
    [gpus, idle, reserved, unusable, guaranteed + burst + leaving],
  );

  const words = { ".": "idle", r: "reserved", w: "unusable", g: "guaranteed", b: "burst", l: "leaving" } as const;
  const drawn: Record<string, number> = Object.fromEntries(uses.map((use) => [use, 0]));
  for (const { cells, mode, parts } of fleetMap(state, state.users.get(owner.id)!)) {
    for (const [place, letter] of [...cells].entries())
      for (const [each, part] of Object.entries(parts?.[place] ?? { [letter]: 1 })) {
        const word = words[each as keyof typeof words];
        const use = mode !== "up" && (word === "idle" || word === "reserved") ? "unusable" : word;
        drawn[use]! += part;
      }
  }
  assert.deepEqual(drawn, Object.fromEntries(uses.map((use) => [use, fleet[use]])));
});
