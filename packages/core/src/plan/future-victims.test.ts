import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { minute } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { Ends } from "./ends.ts";
import {
  exposedAt,
  gpusReclaimableOutside,
  isReclaimable,
  preemptibleBy,
  reclaimableOutside,
} from "./future-victims.ts";
import { endOf } from "./run-time.ts";

const minRuntimeMs = 10 * minute;
const jobOf = (w: World, id: string) => w.state.jobById.get(jobId(id))!;

/** `lab` has a guarantee of two GPUs, used by a covered job; all other jobs run as burst. */
function world(): World {
  const w = new World().nodes(["n", "H100:8"]).account("lab", { guarantee: 2 }).account("other");
  w.must({ kind: "policy.set", policy: { rebalance: "off", minRuntimeMs, graceMs: 0, backfill: true } });
  w.submit("covered", "lab", { gpus: 2, priority: "low" });
  w.submit("low", "lab", { gpus: 1, priority: "low" });
  w.submit("short", "other", { gpus: 1, max_time: "1h" });
  w.submit("long", "other", { gpus: 2, max_time: "3h" });
  for (const id of ["covered", "low", "short", "long"]) w.run(id);
  w.submit("planned", "lab", { gpus: 4 });
  return w;
}

describe("work that could be taken back at a later instant", () => {
  it("[T1] is burst work outside the guarantee that still runs then", () => {
    const w = world();
    const ends = new Ends(w.state, w.now, endOf);
    const { account } = jobOf(w, "planned");
    const idsAt = (at: number) => [...reclaimableOutside(w.state, ends, account, at)].map(({ job }) => job.id);
    assert.deepEqual(idsAt(w.now), [jobId("short"), jobId("long")]);
    assert.deepEqual(idsAt(w.now + 120 * minute), [jobId("long")]);
    assert.deepEqual([...gpusReclaimableOutside(w.state, ends, account, w.now)], [[0, 3]]);
    assert.deepEqual([isReclaimable(jobOf(w, "covered")), isReclaimable(jobOf(w, "low"))], [false, true]);
  });

  it("[T3, T8] is work of lower priority in the same account, once it is past min_runtime", () => {
    const w = world();
    const found = preemptibleBy(w.state, jobOf(w, "planned"));
    assert.deepEqual(found.map(({ job }) => job.id).sort(), [jobId("covered"), jobId("low")]);
    assert.equal(exposedAt(w.state, jobOf(w, "low")), w.now + minRuntimeMs);
    assert.deepEqual(preemptibleBy(w.state, jobOf(w, "low")), []);
  });
});
