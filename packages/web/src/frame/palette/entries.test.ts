import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SearchHit, WhoAmI } from "@tessera/wire";
import { entriesFor } from "./entries.ts";

const me: WhoAmI = {
  ...{ user: "usr_1", name: "ana", bindings: [], scopes: [] },
  may: ["job.read", "job.control"],
};
const job: SearchHit = {
  ...{ kind: "job", id: "job_1", name: "train-a", address: "/jobs/job_1", about: "running, lab", state: "running" },
  may: "all",
};
const cancelled = { label: "Cancel train-a", about: "action", text: "cancel train-a" };

it("tells the runs of one name apart by when they were submitted", () => {
  const runs = [1, 3].map((no) => ({
    ...{ ...job, id: `job_${no}`, address: `/jobs/job_${no}` },
    submittedAt: new Date(Date.now() - no * 3_600_000).toISOString(),
  }));
  const [first, second] = entriesFor(me, "train-a", runs, []).map(({ about }) => about);
  assert.match(first!, /^job, running, lab, submitted 1h ago/);
  assert.match(second!, /^job, running, lab, submitted 3h ago/);
});

describe("what the palette lists first", () => {
  const first = (typed: string) => entriesFor(me, typed, [job], [cancelled])[0];

  it("is a thing by its name, also where something was done to it before", () => {
    assert.deepEqual(first("train-a")?.choice, { go: "/jobs/job_1" });
  });

  it("is an act where its verb is typed", () => {
    assert.deepEqual(first("cancel tra")?.choice, { deed: "cancel", hit: job });
  });

  it("is what was chosen before, where nothing is typed", () => {
    assert.deepEqual(first("")?.choice, { type: "cancel train-a" });
  });

  it("is a form or a section of the settings by its name, for users who may use it", () => {
    const choose = (typed: string, may: string[]) => entriesFor({ ...me, may }, typed, [], [])[0]?.choice;
    assert.deepEqual(choose("set a budget", ["budget.write"]), { go: "/cost/budgets?open=budget" });
    assert.deepEqual(choose("data keys", ["policy.write"]), { go: "/settings/keys" });
    assert.deepEqual(choose("price book", ["price.read"]), { go: "/settings/prices" });
    assert.equal(choose("set a budget", []), undefined);
    assert.equal(choose("data keys", ["price.read"]), undefined);
  });
});
