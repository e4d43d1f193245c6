import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { changesOf, effectsOf } from "./effect.ts";

describe("the effect of a quota edit", () => {
  it("names each model that changes, also one that is left out", () => {
    const texts = changesOf("Guarantee", { H100: 24, A100: 8 }, { "*": 8, A100: 8 }).map(({ text }) => text);
    assert.deepEqual(texts, ["Guarantee of H100: 24 → 0", "Guarantee of any model: 0 → 8"]);
    assert.deepEqual(
      changesOf("At most", undefined, { "*": 4 }).map(({ text }) => text),
      ["At most of any model: no limit → 4"],
    );
    assert.deepEqual(changesOf("At most", { "*": 4 }, { "*": 4 }), []);
  });

  it("says what the scheduler made of it", () => {
    const none = { jobs: 0, gpus: 0, named: [] };
    const losesClass = { jobs: 2, gpus: 16, named: [{ id: "j", name: "llama", project: "a/x", gpus: 8 }] };
    const told = effectsOf({
      at: "",
      byModel: [{ model: "H100", losesClass, gainsClass: none, starts: none, pushedBack: none, heldBack: none }],
    });
    assert.deepEqual(told, [
      { text: "2 jobs on 16 GPUs (H100) become burst and can be reclaimed: llama of a/x and 1 more.", bad: true },
    ]);
    assert.equal(effectsOf({ at: "", byModel: [] })[0]?.text, "No job is affected now.");
  });

  it("says first what would be held above the max, and which jobs wait for it", () => {
    const none = { jobs: 0, gpus: 0, named: [] };
    const heldBack = { jobs: 1, gpus: 8, named: [] };
    const ofModel = { model: "H100", losesClass: none, gainsClass: none, starts: none, pushedBack: none, heldBack };
    assert.deepEqual(effectsOf({ at: "", aboveMax: ["213 GPUs are held, 113 above"], byModel: [ofModel] }), [
      { text: "213 GPUs are held, 113 above.", bad: true },
      { text: "1 job on 8 GPUs (H100) cannot start before others of the account end.", bad: true },
    ]);
  });
});
