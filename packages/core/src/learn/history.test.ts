import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainTerms } from "../model/account.ts";
import { day, hour, minute, unitsPerGpu } from "../model/units.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import { World } from "../testing/world.ts";
import { pastUnits } from "./history.ts";

function lab(terms: { historyHalfLifeMs?: number } = { historyHalfLifeMs: day }): World {
  const w = new World().nodes(["n", "H100:8"]);
  w.now = 1_000 * day;
  w.account("lab", terms);
  return w.account("lab/a").account("lab/b");
}

function past(w: World, path: string): number {
  return pastUnits(w.state, w.state.accountByPath.get(path)!.no, w.now) / unitsPerGpu;
}

describe("the history of past borrowing", () => {
  it("[O2] approaches present borrowing by half in each half-life, and decays at the same rate", () => {
    const w = lab();
    w.submit("x", "lab/a", { gpus: 8 });
    w.run("x");
    assert.equal(past(w, "lab/a"), 0);
    w.tick(day);
    assert.ok(Math.abs(past(w, "lab/a") - 4) < 0.1, String(past(w, "lab/a")));
    w.tick(day);
    assert.ok(Math.abs(past(w, "lab/a") - 6) < 0.1, String(past(w, "lab/a")));
    w.exit("x", 0);
    w.tick(day);
    assert.ok(Math.abs(past(w, "lab/a") - 3) < 0.1, String(past(w, "lab/a")));
    assert.equal(past(w, "lab/b"), 0);
    w.tick(1_000 * day);
    assert.equal(past(w, "lab/a"), 0);
  });

  it("[O2] counts short jobs too, and nothing inside a guarantee", () => {
    const w = lab();
    const { quota } = w.state.accountByPath.get("lab/b")!.terms;
    const lent = { ...plainTerms, quota: { ...quota, guarantee: { "*": unitsPerGpu } }, overcommit: true };
    w.must({ kind: "account.edit", path: "lab/b", terms: lent });
    for (let i = 0; i < 48; i++) {
      w.submit(`x${i}`, "lab/a", { gpus: 2 });
      w.submit(`y${i}`, "lab/b", { gpus: 1 });
      w.run(`x${i}`).run(`y${i}`).tick(minute);
      w.exit(`x${i}`, 0);
      w.exit(`y${i}`, 0);
      w.tick(29 * minute);
    }
    // 2 GPUs for a thirtieth of a day.
    assert.ok(Math.abs(past(w, "lab/a") - 1 / 30) < 0.003, String(past(w, "lab/a")));
    assert.equal(past(w, "lab/b"), 0);
  });

  it("[S26] is the same after a restart, and is dropped when the account above no longer keeps it", () => {
    const w = lab();
    w.submit("x", "lab/a", { gpus: 3 });
    w.run("x").tick(7 * hour);
    w.submit("y", "lab/a", { gpus: 2 });
    w.tick(5 * hour);
    const again = new World(readSnapshot(writeSnapshot(w.state)));
    again.now = w.now;
    assert.equal(writeSnapshot(again.state), writeSnapshot(w.state));
    assert.equal(past(again, "lab/a"), past(w, "lab/a"));
    for (const each of [w, again]) each.must({ kind: "node.down", node: "n", reason: "fan" });
    assert.equal(writeSnapshot(again.state), writeSnapshot(w.state));
    w.must({ kind: "account.edit", path: "lab", terms: plainTerms });
    assert.equal(w.state.history.size, 0);
  });

  it("[O2] is not kept unless the account above has a half-life", () => {
    const w = lab({});
    w.submit("x", "lab/a", { gpus: 3 });
    w.run("x").tick(day);
    assert.equal(past(w, "lab/a"), 0);
    assert.doesNotMatch(writeSnapshot(w.state), /"history"/);
  });
});
