import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import type { QuotaWindow } from "../model/account.ts";
import { hour, unitsPerGpu } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { World } from "../testing/world.ts";

const gpus = (count: number) => ({ "*": count * unitsPerGpu });

function plan(w: World, path: string, fromHours: number, toHours: number, quota: QuotaWindow["quota"]) {
  const window = { from: w.now + fromHours * hour, to: w.now + toHours * hour, quota };
  return w.do({ kind: "account.window", path, window });
}

function quotaOf(w: World, path: string) {
  const { guarantee, max } = w.state.accountByPath.get(path)!.terms.quota;
  return [guarantee["*"]! / unitsPerGpu, max === undefined ? undefined : max["*"]! / unitsPerGpu];
}

function world(): World {
  const w = new World().nodes(["n", "H100:8"]);
  return w.account("a", { guarantee: 2, max: 4 }).account("b", { guarantee: 2 });
}

describe("a quota for a time", () => {
  it("[U4] replaces the account's own quota from its first instant until its end", () => {
    const w = world();
    assert.ok(!isRefusal(plan(w, "a", 1, 3, { guarantee: gpus(6), max: null })));
    w.submit("x", "a", { gpus: 6 });
    assert.equal(w.stateOf("x"), "ended");
    for (let i = 0; i < 6; i++) w.submit(`j${i}`, "a", { gpus: 1 });
    assert.deepEqual([quotaOf(w, "a"), w.state.usage[1]!.units / unitsPerGpu], [[2, 4], 4]);
    w.tick(hour);
    assert.deepEqual([quotaOf(w, "a"), w.state.usage[1]!.units / unitsPerGpu], [[6, undefined], 6]);
    w.tick(2 * hour);
    assert.deepEqual(quotaOf(w, "a"), [2, 4]);
    assert.deepEqual([w.state.accounts[1]!.windows, w.state.accounts[1]!.base], [undefined, undefined]);
  });

  it("[U4, S26] survives a restart before it, during it, and one that lasts beyond its end", () => {
    const w = world();
    plan(w, "a", 1, 3, { guarantee: gpus(5), max: gpus(8) });
    for (const [hours, expected] of [
      [0, [2, 4]],
      [1, [5, 8]],
      [1, [5, 8]],
      [1, [2, 4]],
    ] as const) {
      w.tick(hours * hour);
      assert.deepEqual(quotaOf(w, "a"), expected);
      const again = new World(readSnapshot(writeSnapshot(w.state)));
      again.now = w.now;
      assert.equal(writeSnapshot(again.state), writeSnapshot(w.state));
      again.tick(4 * hour);
      assert.deepEqual([quotaOf(again, "a"), again.state.accounts[1]!.windows], [[2, 4], undefined]);
    }
  });

  it("[U4] keeps an edit made meanwhile for the terms that come back, and can be cancelled", () => {
    const w = world();
    plan(w, "a", 0, 2, { guarantee: gpus(4) });
    plan(w, "a", 5, 6, { guarantee: gpus(4) });
    assert.deepEqual(quotaOf(w, "a"), [4, 4]);
    const base = w.state.accounts[1]!.base!;
    w.must({ kind: "account.edit", path: "a", terms: { ...base, quota: { ...base.quota, max: gpus(5) } } });
    assert.deepEqual(quotaOf(w, "a"), [4, 5]);
    w.must({ kind: "account.window", path: "a", window: null });
    assert.deepEqual([quotaOf(w, "a"), w.state.accounts[1]!.windows], [[2, 5], undefined]);
    w.tick(5 * hour);
    assert.deepEqual(quotaOf(w, "a"), [2, 5]);
  });

  it("[U4] is refused if it would break the nesting of guarantees, when it is requested or when it begins", () => {
    const w = world();
    const refused = (decision: ReturnType<typeof plan>) => isRefusal(decision) && decision.refused;
    assert.equal(refused(plan(w, "a", 1, 2, { guarantee: gpus(7), max: null })), "over-guarantee");
    assert.equal(refused(plan(w, "a", 1, 2, { guarantee: gpus(5) })), "invalid");
    assert.equal(refused(plan(w, "a", 2, 1, { weight: 2 })), "invalid");
    assert.equal(refused(plan(w, "a", -2, -1, { weight: 2 })), "invalid");
    assert.ok(!isRefusal(plan(w, "a", 1, 3, { guarantee: gpus(6), max: null })));
    assert.equal(refused(plan(w, "a", 2, 4, { weight: 2 })), "conflict");
    const { terms } = w.state.accounts[2]!;
    w.must({ kind: "account.edit", path: "b", terms: { ...terms, quota: { ...terms.quota, guarantee: gpus(3) } } });
    w.tick(hour);
    const [window] = w.state.accounts[1]!.windows!;
    assert.deepEqual([quotaOf(w, "a"), window!.state], [[2, 4], "refused"]);
    assert.match(window!.refused!, /guarantee .*exceed/);
    w.tick(2 * hour);
    assert.equal(w.state.accounts[1]!.windows, undefined);
  });

  it("[U4] may rely on a window of the parent at the same time, and what comes back at its end stays promised", () => {
    const w = world().account("a/team", { guarantee: 2 });
    assert.ok(isRefusal(plan(w, "a/team", 1, 2, { guarantee: gpus(4) })));
    assert.ok(!isRefusal(plan(w, "a", 1, 2, { guarantee: gpus(4) })));
    assert.ok(!isRefusal(plan(w, "a/team", 1, 2, { guarantee: gpus(4) })));
    // A floor that is lowered for a time is promised to no other account meanwhile.
    assert.ok(!isRefusal(plan(w, "b", 0, 2, { guarantee: gpus(0) })));
    w.account("c", { guarantee: 4 });
    const { terms } = w.state.accountByPath.get("c")!;
    const more = { ...terms, quota: { ...terms.quota, guarantee: gpus(5) } };
    assert.ok(isRefusal(w.do({ kind: "account.edit", path: "c", terms: more })));
    w.must({ kind: "account.edit", path: "c", terms: { ...terms, quota: { ...terms.quota, guarantee: gpus(2) } } });
    w.tick(hour);
    assert.deepEqual(
      [quotaOf(w, "a"), quotaOf(w, "a/team"), quotaOf(w, "b")],
      [
        [4, 4],
        [4, undefined],
        [0, undefined],
      ],
    );
    w.tick(hour);
    assert.deepEqual(
      [quotaOf(w, "a"), quotaOf(w, "a/team"), quotaOf(w, "b")],
      [
        [2, 4],
        [2, undefined],
        [2, undefined],
      ],
    );
  });
});
