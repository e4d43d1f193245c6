import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stopWords } from "./what-stops.ts";

const running = { state: "running" as const, gpus: 8 };
const waiting = { state: "waiting" as const, gpus: 4 };
const array = { state: "running" as const, gpus: 2, elements: { active: 5, waiting: 12 } };

describe("what stops when jobs are cancelled", () => {
  it("counts the GPUs of every element of an array that runs", () => {
    assert.equal(
      stopWords([array]),
      "5 elements of arrays stop and release 10 GPUs. 12 elements of arrays will not start.",
    );
    assert.equal(
      stopWords([running, array, waiting]),
      "1 job and 5 elements of arrays stop and release 18 GPUs. 1 job and 12 elements of arrays will not start.",
    );
  });

  it("says one in the singular, and nothing of what has ended", () => {
    assert.equal(stopWords([running]), "1 job stops and releases 8 GPUs.");
    assert.equal(
      stopWords([{ ...array, elements: { active: 1, waiting: 0 } }]),
      "1 element of an array stops and releases 2 GPUs.",
    );
    assert.equal(stopWords([{ state: "ended", gpus: 8 }]), "");
  });
});
