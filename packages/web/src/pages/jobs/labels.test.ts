import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { keysOf, labelBody, labelEffect, labelsBefore, wrongLabel } from "./labels.ts";

const running = { state: "running" as const, labels: { sweep: "lr" } };
const waiting = { state: "waiting" as const };
const ended = { state: "ended" as const, labels: { sweep: "lr" } };
const full = {
  state: "running" as const,
  labels: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [`k${i}`, ""])),
};

describe("labels of many jobs", () => {
  it("say what they do before they do it", () => {
    assert.equal(
      labelEffect({ how: "add", text: "sweep=seed" }, [running, waiting, ended]),
      "2 jobs get the label sweep=seed. 1 of them had another value. 1 job not changed.",
    );
    assert.equal(labelEffect({ how: "add", text: "sweep=lr" }, [running]), "Nothing would change.");
    assert.equal(
      labelEffect({ how: "remove", text: "sweep" }, [running, waiting]),
      "1 job loses the label sweep. 1 job not changed.",
    );
    assert.equal(
      labelEffect({ how: "add", text: "new=1" }, [full]),
      "1 job gets the label new=1. 1 job will refuse it: 16 labels are the most.",
    );
    assert.equal(
      labelEffect({ how: "remove", text: "sweep" }, [{ ...running, elements: {} }]),
      "1 job loses the label sweep. The same goes for the elements of arrays that have not ended.",
    );
    assert.deepEqual(keysOf([running, ended]), ["sweep"]);
  });

  it("come back as they were, also where there were none", () => {
    const change = { how: "add", text: "sweep=seed" } as const;
    assert.deepEqual(labelsBefore(change, running), { sweep: "lr" });
    assert.deepEqual(labelsBefore(change, waiting), { sweep: null });
    assert.deepEqual(labelsBefore({ how: "remove", text: "sweep" }, running), { sweep: "lr" });
  });

  it("are told what is wrong with them as they are typed", () => {
    assert.equal(wrongLabel({ how: "add", text: "sweep" }), "Write KEY=VALUE, such as sweep=lr");
    assert.match(wrongLabel({ how: "add", text: "a b=1" })!, /"a b" is not a key/);
    assert.equal(wrongLabel({ how: "add", text: "a=b=c" }), undefined);
    assert.deepEqual(labelBody({ how: "add", text: " a = b=c" }), { a: "b=c" });
    assert.deepEqual(labelBody({ how: "remove", text: "a" }), { a: null });
  });
});
