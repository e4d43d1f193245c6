import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../../journal/event.ts";
import { hour } from "../../model/units.ts";
import { jobId, World } from "../../testing/world.ts";
import { apply } from "../apply/apply.ts";
import { emptyState } from "../empty.ts";
import type { State } from "../state.ts";
import { readSnapshot, writeSnapshot } from "./snapshot.ts";

/** Four GPUs, two of them held for an hour and two for long. Two jobs wait; the second account has borrowed less. */
function crowded(): World {
  const w = new World().nodes(["n0", "H100:2"], ["n1", "H100:2"]).account("a").account("b").account("x");
  w.submit("short", "x", { gpus: 2, max_time: "1h" });
  w.submit("long", "a", { gpus: 2, max_time: "10h" });
  for (const id of ["short", "long"]) w.run(id);
  w.submit("first", "a", { gpus: 2, max_time: "1h" });
  w.submit("second", "b", { gpus: 2, max_time: "1h" });
  return w;
}

const replayed = (events: readonly Event[]): State => {
  const state = emptyState();
  for (const event of events) apply(state, JSON.parse(JSON.stringify(event)) as Event);
  return state;
};

/** The jobs that start when the planned room is free, and the order of the plans that remain. */
function goOn(w: World, state: State): { started: string[]; planned: string[] } {
  const again = new World(state);
  again.now = w.now + hour;
  again.reportOn(state.jobById.get(jobId("short"))!.leases[0]!.id, { kind: "exited", ran: true, code: 0 }, 9);
  const started = again.events.flatMap((event) => (event.kind === "job-placed" ? [state.jobs.get(event.job)!.id] : []));
  return { started, planned: [...state.planned.keys()].map(({ id }) => id) };
}

describe("a restart", () => {
  it("[S26, B1] keeps the order of planned starts, from a snapshot and from the journal", () => {
    const w = crowded();
    assert.deepEqual(
      [...w.state.planned.keys()].map(({ id }) => id),
      ["job_first", "job_second"],
    );
    const restarts = [readSnapshot(writeSnapshot(w.state)), replayed(w.events)];
    const expected = { started: ["job_first"], planned: ["job_second"] };
    for (const state of restarts) {
      assert.equal(writeSnapshot(state), writeSnapshot(w.state));
      assert.deepEqual(goOn(w, state), expected);
    }
    assert.deepEqual(goOn(w, w.state), expected);
  });

  it("[B1] knows from the journal alone that a held job has lost its planned start", () => {
    const w = crowded();
    w.must({ kind: "job.hold", job: jobId("first") });
    const held = replayed(w.events);
    assert.deepEqual(
      [...held.planned.keys()].map(({ id }) => id),
      ["job_second"],
    );
    w.must({ kind: "job.release", job: jobId("first") });
    assert.equal(writeSnapshot(replayed(w.events)), writeSnapshot(w.state));
  });
});
