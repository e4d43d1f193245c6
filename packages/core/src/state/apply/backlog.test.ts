import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainTerms } from "../../model/account.ts";
import { hour } from "../../model/units.ts";
import { jobId, World } from "../../testing/world.ts";
import { readSnapshot, writeSnapshot } from "../snapshot/snapshot.ts";

const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;

/** Four GPUs, all held by one account. */
function full(order: "age" | "aged-shortest" = "aged-shortest"): World {
  const w = new World().nodes(["n", "H100:4"]).account("a", { order });
  w.submit("first", "a", { gpus: 4 });
  w.run("first");
  return w;
}

describe("the backlog that a job finds", () => {
  it("[O3] is the time that all waiting jobs of its account and it need on the GPUs that the account holds", () => {
    const w = full();
    w.submit("one", "a", { gpus: 1, max_time: "8h" });
    w.submit("two", "a", { gpus: 2, expected_time: "4h", max_time: "9h" });
    assert.equal(jobOf(w, "one").backlogMs, 2 * hour);
    assert.equal(jobOf(w, "two").backlogMs, 4 * hour);
  });

  it("[O3] counts jobs without a declared time by the usual run time, and all elements of an array", () => {
    const w = full();
    w.submit("silent", "a", { gpus: 2 }); // 6 h are usual while nothing has ended
    w.submit("many", "a", { gpus: 1, max_time: "1h", array: "0-3" });
    assert.equal(jobOf(w, "silent").backlogMs, undefined);
    assert.equal(jobOf(w, "many.0").backlogMs, 4 * hour);
  });

  it("[O3] corrects estimates by how good those of the account have been", () => {
    const w = full();
    w.submit("guess", "a", { gpus: 4, priority: 1, expected_time: "10h" });
    w.exit("first", 0);
    w.run("guess").tick(5 * hour);
    w.submit("next", "a", { gpus: 4 });
    w.exit("guess", 0);
    w.submit("last", "a", { gpus: 4, expected_time: "4h" });
    assert.equal(jobOf(w, "last").backlogMs, 2 * hour);
  });

  it("[O3] [S26] is kept over a restart, and waiting work is counted again", () => {
    const w = full();
    w.submit("one", "a", { gpus: 4, max_time: "8h" });
    const again = new World(readSnapshot(writeSnapshot(w.state)));
    again.now = w.now;
    again.submit("two", "a", { gpus: 4, max_time: "8h" });
    assert.equal(jobOf(again, "one").backlogMs, 8 * hour);
    assert.equal(jobOf(again, "two").backlogMs, 16 * hour);
  });

  it("[O3] is known only under aged-shortest, which may be chosen while jobs wait", () => {
    const w = full("age");
    w.submit("one", "a", { gpus: 4, max_time: "8h" });
    const { quota } = w.state.accountByPath.get("a")!.terms;
    w.must({ kind: "account.edit", path: "a", terms: { ...plainTerms, quota, order: "aged-shortest" } });
    w.submit("two", "a", { gpus: 4, max_time: "8h" });
    assert.equal(jobOf(w, "one").backlogMs, undefined);
    assert.equal(jobOf(w, "two").backlogMs, 16 * hour);
  });
});
