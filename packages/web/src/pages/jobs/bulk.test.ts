import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { concerns, doEach, effectOf, prioritiesOf } from "./bulk.ts";

const may = ["cancelJob", "holdJob", "releaseJob", "editJob"] as const;
const all = { may: [...may] };
const running = { ...all, state: "running" as const, held: false, gpus: 8 };
const waiting = { ...all, state: "waiting" as const, held: false, gpus: 4 };
const held = { ...all, state: "waiting" as const, held: true, gpus: 4 };
const ended = { ...all, state: "ended" as const, held: false, gpus: 1 };

describe("acts on many jobs", () => {
  it("say what they do before they do it", () => {
    assert.equal(
      effectOf("cancel", [running, running, waiting, ended]),
      "3 jobs are cancelled for good. 2 jobs stop and release 16 GPUs. 1 job will not start. 1 job of those chosen stays as it is.",
    );
    assert.equal(
      effectOf("hold", [waiting, held, running]),
      "1 job will not start until released. 2 jobs of those chosen stay as they are.",
    );
    assert.equal(effectOf("release", [running]), "Nothing would change. 1 job of those chosen stays as it is.");
    assert.equal(
      effectOf("hold", [waiting], { left: 2 }),
      "1 job will not start until released. 2 jobs left the list since they were chosen and are not touched.",
    );
    assert.equal(
      effectOf("priority", [waiting], { priority: 1_000 }),
      "1 job gets priority 1,000 and keeps its place among equals.",
    );
    assert.equal(concerns("priority", running), false);
    assert.equal(concerns("cancel", running), true);
    assert.equal(concerns("cancel", { ...running, may: ["holdJob"] }), false, "not by this user");
  });

  it("say of an array what happens to its elements: those that wait are changed, those that run are not", () => {
    const array = { ...running, gpus: 2, elements: { active: 3, waiting: 12 } };
    assert.equal(
      effectOf("hold", [array, waiting]),
      "1 job and 12 elements of arrays will not start until released. 3 running elements stay as they are.",
    );
    assert.equal(
      effectOf("release", [{ ...array, held: true, elements: { active: 1, waiting: 1 } }]),
      "1 element of an array may start. 1 running element stays as it is.",
    );
    assert.equal(
      effectOf("priority", [{ ...array, elements: { active: 0, waiting: 12 } }]),
      "12 elements of arrays get this priority and keep their places among equals.",
    );
    assert.equal(
      effectOf("hold", [{ ...array, elements: { active: 3, waiting: 0 } }]),
      "Nothing would change. 1 job of those chosen stays as it is.",
    );
    assert.equal(
      effectOf("cancel", [array]),
      "1 job is cancelled for good. 3 elements of arrays stop and release 6 GPUs. 12 elements of arrays will not start.",
    );
  });

  it("know what priorities there are now", () => {
    assert.equal(prioritiesOf([]), undefined);
    assert.deepEqual(prioritiesOf([{ priority: 5 }, { priority: -1 }]), { least: -1, most: 5 });
  });

  it("go through all of them, and name those that were refused", async () => {
    const seen: number[] = [];
    const refused = await doEach(
      [1, 2, 3, 4, 5, 6],
      (n) => (n % 3 === 0 ? Promise.reject(new Error(`no ${n}`)) : Promise.resolve()),
      (done) => seen.push(done),
    );
    assert.deepEqual(refused.map(({ item }) => item).sort(), [3, 6]);
    assert.deepEqual(seen, [1, 2, 3, 4, 5, 6]);
  });
});
