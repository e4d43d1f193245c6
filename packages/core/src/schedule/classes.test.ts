import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Event } from "../journal/event.ts";
import { must } from "../model/must.ts";
import { unitsPerGpu } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";

/** Eight GPUs for a team of two projects, and one account beside it. */
function world(team: number, one = 0, two = 0): World {
  const w = new World().nodes(["n0", "H100:4"], ["n1", "H100:4"]);
  w.account("team", { guarantee: team });
  return w.account("team/one", { guarantee: one }).account("team/two", { guarantee: two }).account("other");
}

/** Class and covering account of a job. */
function classOf({ state }: World, id: string): string {
  const job = must(state.jobById.get(jobId(id)), id);
  return job.class === "burst" ? "burst" : must(state.accounts[job.cover], "the cover").path;
}

function guarantee(w: World, path: string, gpus: number): Event[] {
  const { terms } = must(w.state.accountByPath.get(path), path);
  const quota = { ...terms.quota, guarantee: { "*": gpus * unitsPerGpu } };
  return w.must({ kind: "account.edit", path, terms: { ...terms, quota } });
}

function starts(w: World, id: string, account: string, raw: Parameters<World["submit"]>[2] = {}): void {
  w.submit(id, account, raw);
  w.run(id);
}

const classed = (events: readonly Event[]) => events.filter(({ kind }) => kind === "job-classed").length;

describe("the class of a running job", () => {
  it("[C1] is guaranteed by the lowest account on its path whose guarantee holds it", () => {
    const w = world(4, 2);
    starts(w, "a", "team/one", { gpus: 2 });
    starts(w, "b", "team/one", { gpus: 2 });
    starts(w, "c", "team/two", { gpus: 2 });
    assert.deepEqual(
      ["a", "b", "c"].map((id) => classOf(w, id)),
      ["team/one", "team", "burst"],
    );
  });

  it("[C3] rises when a job that used the guarantee ends, and the job stays where it is", () => {
    const w = world(2);
    starts(w, "first", "team/one", { gpus: 2 });
    starts(w, "second", "team/two", { gpus: 2 });
    const seats = must(w.state.jobById.get(jobId("second")), "second").leases;
    assert.equal(classOf(w, "second"), "burst");
    assert.equal(classed(w.exit("first", 0)), 1);
    assert.equal(classOf(w, "second"), "team");
    assert.deepEqual(must(w.state.jobById.get(jobId("second")), "second").leases, seats);
  });

  it("[C3] falls when its guarantee shrinks: the lowest priority first, then the youngest", () => {
    const w = world(3);
    starts(w, "low", "team/one", { priority: "low" });
    starts(w, "old", "team/one");
    starts(w, "young", "team/one");
    guarantee(w, "team", 2);
    assert.deepEqual(
      ["low", "old", "young"].map((id) => classOf(w, id)),
      ["burst", "team", "team"],
    );
    guarantee(w, "team", 1);
    assert.deepEqual(
      ["low", "old", "young"].map((id) => classOf(w, id)),
      ["burst", "team", "burst"],
    );
  });

  it("[C3] rises for the oldest job first when a guarantee grows", () => {
    const w = world(0);
    for (const id of ["old", "young"]) starts(w, id, "other", { gpus: 2 });
    guarantee(w, "other", 4);
    assert.deepEqual([classOf(w, "old"), classOf(w, "young")], ["other", "other"]);
    guarantee(w, "other", 2);
    assert.deepEqual([classOf(w, "old"), classOf(w, "young")], ["other", "burst"]);
  });

  it("[C3] stays with the account above when a guarantee below comes later", () => {
    const w = world(2);
    starts(w, "a", "team/one", { gpus: 2 });
    starts(w, "b", "team/two", { gpus: 2 });
    assert.deepEqual([classOf(w, "a"), classOf(w, "b")], ["team", "burst"]);
    guarantee(w, "team", 4);
    assert.deepEqual([classOf(w, "a"), classOf(w, "b")], ["team", "team"]);
    assert.equal(classed(guarantee(w, "team/one", 2)), 0);
  });

  it("[C3] does not rise while the job is stopping", () => {
    const w = world(2);
    starts(w, "first", "team/one", { gpus: 2 });
    starts(w, "second", "team/two", { gpus: 2 });
    w.must({ kind: "job.cancel", job: jobId("second") });
    assert.equal(classed(w.exit("first", 0)), 0);
    assert.equal(classOf(w, "second"), "burst");
  });

  it("[C3] is left alone where nothing changed", () => {
    const w = world(4, 2);
    starts(w, "a", "team/one", { gpus: 2 });
    const { cover } = must(w.state.jobById.get(jobId("a")), "a");
    assert.equal(classed(w.tick(60_000)), 0);
    assert.equal(must(w.state.jobById.get(jobId("a")), "a").cover, cover);
  });
});
