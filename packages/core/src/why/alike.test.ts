import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainPolicy } from "../model/policy.ts";
import { minute } from "../model/units.ts";
import { playDay } from "../schedule/random-day.fixture.ts";
import { World } from "../testing/world.ts";
import { type AlikeReason, alikeKey, alikeReason, kindAmong } from "./alike.ts";
import { ownReason, reasonFor } from "./reason-for.ts";

/** Each waiting job with the reason that it has by itself, and the one that it has among those alike. */
function reasonsOf({ state, now }: World): { id: string; alone: string; among: string }[] {
  const known = new Map<string, AlikeReason>();
  const waiting = [...state.jobs.values()].filter(
    (job) => job.state === "waiting" && ownReason(state, job, now) === undefined,
  );
  return waiting.map((job) => {
    const key = alikeKey(state, job);
    const found = known.get(key) ?? alikeReason(state, job, now);
    known.set(key, found);
    return { id: job.id.slice(4), alone: reasonFor(state, job, now).kind, among: kindAmong(found, job) };
  });
}

describe("why jobs wait that are alike", () => {
  it("is why each of them waits, where some were passed over and those behind them were not", () => {
    const w = new World().nodes(["n0", "H100:8"], ["n1", "H100:8"]).account("lab");
    w.must({ kind: "policy.set", policy: { ...plainPolicy, backfill: true } });
    w.submit("runs", "lab", { gpus: 8, max_time: "1h" });
    w.run("runs");
    w.submit("gang", "lab", { gpus: 8, nodes: 2, max_time: "1h" });
    const long = { gpus: 8, max_time: "2h" };
    for (const id of ["passed-1", "passed-2"]) w.submit(id, "lab", long);
    w.tick(minute);
    w.submit("short", "lab", { gpus: 8, max_time: "30m" });
    w.run("short");
    w.tick(minute);
    for (let i = 1; i <= 5; i++) w.submit(`later-${i}`, "lab", long);
    const found = reasonsOf(w);
    const order = new Set(["passed-1", "passed-2"]);
    for (const { id, alone, among } of found) {
      assert.equal(among, alone, id);
      if (id !== "gang") assert.equal(alone, order.has(id) ? "order" : "capacity", id);
    }
    assert.equal(found.length, 8);
  });

  it("is why each of them waits, through random days", () => {
    const kinds = new Set<string>();
    const beforeStep = (w: World) => {
      for (const { id, alone, among } of reasonsOf(w)) {
        assert.equal(among, alone, id);
        kinds.add(alone);
      }
    };
    for (let seed = 1; seed <= 4; seed++) playDay({ seed, waiting: 60, backfill: seed % 2 === 0, beforeStep });
    for (const kind of ["capacity", "health", "order"]) assert.ok(kinds.has(kind), `no job waited for ${kind}`);
  });
});
