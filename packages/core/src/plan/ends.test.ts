import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { needOf } from "../fleet/fit.ts";
import { hour, minute } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { Ends } from "./ends.ts";
import { endAtQuantile, endOf } from "./run-time.ts";

const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;

/** Two nodes of four GPUs: one job ends after an hour, one after two, one never. */
function busy(): World {
  const w = new World().nodes(["n0", "H100:4"], ["n1", "H100:4"]).account("lab");
  w.submit("hour", "lab", { gpus: 3, max_time: "1h" });
  w.submit("two", "lab", { gpus: 3, max_time: "2h" });
  w.submit("open", "lab", { gpus: 1 });
  for (const id of ["hour", "two", "open"]) w.run(id);
  return w;
}

describe("the ends of running jobs", () => {
  it("[B1] a job without any known run time runs for ever", () => {
    const w = busy();
    const ends = new Ends(w.state, w.now, endOf);
    assert.deepEqual(
      ["hour", "two", "open"].map((id) => ends.of(jobOf(w, id)) - w.now),
      [hour, 2 * hour, Number.POSITIVE_INFINITY],
    );
    assert.ok(ends.runsPast(jobOf(w, "hour"), w.now + hour - 1));
    assert.ok(!ends.runsPast(jobOf(w, "hour"), w.now + hour));
  });

  it("[B1] are the moments to look at, with the ends of maintenance and others, earliest first", () => {
    const w = busy();
    const window = { from: w.now + 3 * hour, to: w.now + 4 * hour, reason: "new driver" };
    w.must({ kind: "node.maintenance", node: "n0", window });
    const others = [w.now + 90 * minute, w.now - hour, w.now];
    const moments = [...new Ends(w.state, w.now, endOf).moments(others)];
    assert.deepEqual(
      moments.map(({ at, job }) => [(at - w.now) / hour, job?.id]),
      [
        [1, jobId("hour")],
        [1.5, undefined],
        [2, jobId("two")],
        [4, undefined],
      ],
    );
  });

  it("[B1] tell how many members can ever fit", () => {
    const w = busy();
    const ends = new Ends(w.state, w.now, endOf);
    const { spec } = jobOf(w, "open");
    const need = (gpus: number) => ({ ...needOf(spec, 0, 0, undefined), gpus });
    assert.deepEqual([ends.roomAfter(need(1), false), ends.roomAfter(need(4), false)], [7, 1]);
    assert.equal(ends.roomAfter(need(1), true), 2);
    assert.throws(() => ends.roomAfter(need(0), false), /Bug/);
  });

  it("[B1] a job past its limit ends now, by whatever measure", () => {
    const w = busy();
    const later = w.now + 3 * hour;
    for (const measure of [endOf, endAtQuantile(0.5)]) {
      const ends = new Ends(w.state, later, measure);
      assert.deepEqual(
        ends.inOrder().map(({ at, job }) => [at, job.id]),
        [
          [later, jobId("hour")],
          [later, jobId("two")],
        ],
      );
    }
    assert.throws(() => endAtQuantile(90), /Bug/);
  });
});
