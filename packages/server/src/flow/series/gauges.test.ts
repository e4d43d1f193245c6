import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, plainTerms, unitsPerGpu } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { Slices } from "../slices.ts";
import { sampleGauges } from "./gauges.ts";

/** The sum of each name over all keys, of the whole fleet. */
function sums(standing: Record<string, number>): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [at, value] of Object.entries(standing)) {
    const [name = "", ...rest] = at.split(" ");
    if (rest.length < 2) found[name] = (found[name] ?? 0) + value;
  }
  return found;
}

/** Counts how often others had their turn. */
class CountedSlices extends Slices {
  turns = 0;

  override get isOver(): boolean {
    return true;
  }

  override next(): Promise<void> {
    this.turns++;
    return super.next();
  }
}

/** What stands, as `name account key` and its value; the root has no name. */
async function standingOf(control: TestControl): Promise<Record<string, number>> {
  const { state } = control;
  const found: Record<string, number> = {};
  for (const { name, account, key, value } of await sampleGauges(state, control.now(), new Slices())) {
    const path = state.accountById.get(account as AccountId)?.path ?? "";
    const at = [name, path, key].filter((part) => part !== "").join(" ");
    found[at] = (found[at] ?? 0) + value;
  }
  return found;
}

/** These of what stands; those that are nothing are not there. */
function some(standing: Record<string, number>, names: RegExp): Record<string, number> {
  return Object.fromEntries(Object.entries(standing).filter(([name, value]) => names.test(name) && value !== 0));
}

describe("what stands in a minute", () => {
  it("is counted by the model of each GPU, also on a node with several", async () => {
    const [plain, mixed] = fleetOf(2, 8);
    const gpus = mixed!.gpus.map((gpu, no) => (no < 4 ? gpu : { ...gpu, model: "A100" }));
    const control = await TestControl.start(undefined, [plain!, { ...mixed!, gpus }]);
    const tenancy = new Tenancy(control);
    await tenancy.account("acme");
    const ana = await tenancy.user("ana", "member", "acme");
    assert.deepEqual(some(await standingOf(control), /^(capacity|idle|largest|fragmentation)/), {
      ...{ "fragmentation /H100": 12, "fragmentation /A100": 4 },
      ...{ "capacity H100": 12, "capacity A100": 4, "idle H100": 12, "idle A100": 4 },
      ...{ "largest.node H100": 8, "largest.rack H100": 12, "largest.block H100": 12, "largest.fleet H100": 12 },
      ...{ "largest.node A100": 4, "largest.rack A100": 4, "largest.block A100": 4, "largest.fleet A100": 4 },
      ...{ "largest.level node": 8, "largest.level rack": 12, "largest.level block": 12, "largest.level fleet": 12 },
    });
    await control.run(await tenancy.job("acme", ana.id, { gpus: "A100:1" }));
    const standing = await standingOf(control);
    assert.deepEqual(some(standing, /^(idle|fragmentation|allocated)/), {
      ...{ "idle H100": 12, "idle A100": 3 },
      ...{ "fragmentation A100": 300, "fragmentation /A100": 3, "fragmentation /H100": 12 },
      ...{ "allocated burst": 1, "allocated acme burst": 1 },
      ...{ "allocated.model A100": 1, "allocated.model acme A100": 1 },
    });
  });

  it("parts the capacity into held, idle, reserved and down", async () => {
    const control = await TestControl.start(undefined, fleetOf(3, 8));
    const tenancy = new Tenancy(control);
    await tenancy.account("acme");
    const ana = await tenancy.user("ana", "member", "acme");
    await control.run(await tenancy.job("acme", ana.id, { gpus: 3 }));
    await control.must({ kind: "node.cordon", node: "n3", reason: "fan" });
    const { idle = 0, reserved = 0, down = 0, allocated = 0 } = sums(await standingOf(control));
    assert.deepEqual([idle, reserved, down, allocated], [13, 0, 8, 3]);
  });

  it("tells how much of what is guaranteed others hold, and of whom", async () => {
    const control = await TestControl.start(undefined, fleetOf(2, 8));
    const tenancy = new Tenancy(control);
    const guaranteed = (gpus: number) => ({
      ...plainTerms,
      quota: { ...plainTerms.quota, guarantee: { "*": gpus * unitsPerGpu } },
    });
    await tenancy.account("acme", guaranteed(8));
    await tenancy.account("rival", guaranteed(4));
    await tenancy.account("guest");
    const ana = await tenancy.user("ana", "member", "acme");
    const gus = await tenancy.user("gus", "member", "guest");
    await control.run(await tenancy.job("acme", ana.id, { gpus: 2 }));
    assert.deepEqual(some(await standingOf(control), /^lent/), {}, "nothing is held by others");
    await control.run(await tenancy.job("guest", gus.id, { gpus: 4 }));
    assert.deepEqual(some(await standingOf(control), /^lent/), {}, "four are promised to no account");
    await control.run(await tenancy.job("guest", gus.id, { gpus: 5 }));
    // Of ten idle guaranteed GPUs five are lent, half of those of each.
    assert.deepEqual(some(await standingOf(control), /^(lent|guarantee)/), {
      ...{ "guarantee acme *": 8, "guarantee rival *": 4, "guarantee *": 12 },
      ...{ "lent acme": 3, "lent rival": 2, lent: 5 },
    });
  });

  it("lends no more of a team than its tenant lends, and of all teams together neither", async () => {
    const control = await TestControl.start(undefined, fleetOf(2, 8));
    const tenancy = new Tenancy(control);
    const guaranteed = (gpus: number) => ({
      ...plainTerms,
      quota: { ...plainTerms.quota, guarantee: { H100: gpus * unitsPerGpu } },
    });
    await tenancy.account("acme", guaranteed(8));
    await tenancy.account("acme/a", guaranteed(4));
    await tenancy.account("acme/b", guaranteed(2));
    await tenancy.account("rival", guaranteed(8));
    await tenancy.account("rival/c", guaranteed(8));
    await tenancy.account("guest");
    const ana = await tenancy.user("ana", "member", "acme");
    const gus = await tenancy.user("gus", "member", "guest");
    // b holds four more than its two, so that acme has two idle, although a has four.
    await control.run(await tenancy.job("acme/b", ana.id, { gpus: 6 }));
    await control.run(await tenancy.job("guest", gus.id, { gpus: 5 }));
    const lent = some(await standingOf(control), /^lent/);
    assert.deepEqual(lent, { lent: 5, "lent acme": 1, "lent acme/a": 1, "lent rival": 4, "lent rival/c": 4 });
    // Half of what acme has is promised to none of its teams: that half stays with itself.
    await control.must({ kind: "account.edit", path: "acme/a", terms: guaranteed(1) });
    const after = some(await standingOf(control), /^lent acme/);
    assert.deepEqual(after, { "lent acme": 1, "lent acme/a": 0.5 });
  });

  it("tells limits of all models and of each apart, of 0 too, and none where there is none", async () => {
    const control = await TestControl.start(undefined, fleetOf(2, 8));
    const tenancy = new Tenancy(control);
    const limited = (max: Record<string, number>) => ({ ...plainTerms, quota: { ...plainTerms.quota, max } });
    const units = unitsPerGpu;
    await tenancy.account("both", limited({ "*": 10 * units, H100: 8 * units }));
    await tenancy.account("model", limited({ H100: 10 * units }));
    await tenancy.account("closed", limited({ "*": 0 }));
    await tenancy.account("open");
    const standing = await standingOf(control);
    assert.deepEqual(some(standing, /^max/), {
      ...{ "max both *": 10, "max both /*": 1, "max both H100": 8, "max both /H100": 1 },
      ...{ "max model H100": 10, "max model /H100": 1, "max closed /*": 1 },
    });
    assert.equal(standing["max closed *"], 0);
  });

  it("counts the elements of an array that wait, made or not", async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 8));
    const tenancy = new Tenancy(control);
    await tenancy.account("acme");
    const ana = await tenancy.user("ana", "member", "acme");
    await tenancy.job("acme", ana.id, { gpus: 1, array: "1-300" });
    assert.deepEqual(some(await standingOf(control), /^waiting acme/), { "waiting acme capacity": 292 });
  });

  it("is read with a pause before each reason, so that charts are answered meanwhile", async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 8));
    const tenancy = new Tenancy(control);
    await tenancy.account("acme");
    const ana = await tenancy.user("ana", "member", "acme");
    for (const gpus of [8, 4, 2, 1]) await tenancy.job("acme", ana.id, { gpus }); // the first takes all
    const groups = [...control.state.waiting.groups].length;
    assert.equal(groups, 3);
    const slices = new CountedSlices();
    const standing = await sampleGauges(control.state, control.now(), slices);
    const parts = ["fleet", "held", "quota"].length;
    assert.equal(slices.turns, parts + groups);
    const acme = control.state.accountByPath.get("acme")!.id;
    const waiting = standing.filter(({ name, account }) => name === "waiting" && account === acme);
    assert.equal(
      waiting.reduce((sum, { value }) => sum + value, 0),
      7,
    );
  });
});
