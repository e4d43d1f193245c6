import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { differencesOf, rerunFields, withDefaults, withoutDefaults } from "./rerun.ts";

const defaults = { isolation: "any", nodes: 1, priority: 0, retry: { max: 0, when: ["node_lost", "preempted"] } };
const spec = {
  name: "ft",
  run: "./train.sh",
  gpus: "H100:8",
  ...defaults,
  retry: { when: ["node_lost", "preempted"], max: 0 },
  deadline: "2026-01-01T00:00:00Z",
  after: [{ job: "job_1", when: "ended" }],
  labels: { sweep: "lr" },
};
const job = { spec, project: "lab" };

describe("a job that is run again", () => {
  const run = rerunFields(job, Date.parse("2026-06-01T00:00:00Z"));

  it("is written without defaults and without what was meant for then", () => {
    assert.deepEqual(withoutDefaults(run, defaults), {
      name: "ft",
      run: "./train.sh",
      gpus: "H100:8",
      labels: { sweep: "lr" },
      project: "lab",
    });
    assert.equal(rerunFields({ ...job, array: { id: "job_9", index: 4 } }, 0).array, "4-4");
  });

  it("can be seen as a whole, and the same again", () => {
    const short = withoutDefaults(run, defaults);
    assert.deepEqual(withoutDefaults(withDefaults(short, defaults), defaults), short);
    assert.equal(withDefaults({ members: 4 }, defaults).nodes, undefined);
  });

  it("says in what it differs from its run, whether defaults are written or not", () => {
    const changed = { ...withoutDefaults(run, defaults), gpus: "H100:4", priority: 5, labels: undefined };
    const { labels: _, ...written } = changed;
    assert.deepEqual(differencesOf(run, withDefaults(written, defaults), defaults), [
      { field: "gpus", before: "H100:8", after: "H100:4" },
      { field: "labels", before: '{"sweep":"lr"}' },
      { field: "priority", after: "5" },
    ]);
    assert.deepEqual(differencesOf(run, run, defaults), []);
  });
});
