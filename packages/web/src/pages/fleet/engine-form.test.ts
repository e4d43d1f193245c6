import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EngineShape } from "@tessera/wire";
import { createBody, draftOf, editBody, engineCommand, wrongIn } from "./engine-form.ts";

const east: EngineShape = {
  ...{ name: "east", kind: "kubernetes", reach: "reachable", nodes: 1, gpus: 8, gpusHeld: 0, gpusFree: 8 },
  ...{ leaving: false, lostAfter: "10m", credentials: "kept", fromStart: false },
  settings: { context: "east", rackLabel: "rack" },
};

describe("an engine as it is typed", () => {
  it("changes only what was changed, and takes away a setting that is gone", () => {
    const draft = draftOf(east);
    assert.equal(editBody(draft, draft, ""), undefined);
    assert.deepEqual(editBody(draft, { ...draft, settings: "context=west", lostAfter: "never" }, ""), {
      settings: { context: "west", rackLabel: null },
      lostAfter: null,
    });
    assert.deepEqual(editBody(draft, draft, "apiVersion: v1"), { kubeconfig: "apiVersion: v1" });
  });

  it("is made with what was given, and says what is wrong by field", () => {
    const draft = { ...draftOf(undefined), name: "sim", kind: "simulated" as const, settings: "fleet=2x8" };
    assert.deepEqual(createBody(draft, ""), {
      ...{ name: "sim", kind: "simulated", settings: { fleet: "2x8" }, lostAfter: null },
    });
    assert.deepEqual(wrongIn(draft), {});
    assert.deepEqual(Object.keys(wrongIn({ ...draft, name: "East", settings: "x", lostAfter: "soon" })), [
      ...["name", "settings", "lostAfter"],
    ]);
  });

  it("is one command with all that the form sets, or all that it changes", () => {
    const fresh = { ...draftOf(undefined), name: "sim", kind: "simulated" as const, settings: "fleet=2x8" };
    assert.equal(
      engineCommand("sim", "simulated", createBody(fresh, "")),
      "tess engine create sim --kind simulated --set fleet=2x8 --lost-after never",
    );
    const draft = draftOf(east);
    const edit = editBody(draft, { ...draft, settings: "context=west", lostAfter: "30m" }, "apiVersion: v1")!;
    assert.equal(
      engineCommand("east", undefined, edit),
      "tess engine edit east --kubeconfig FILE --set context=west --set rackLabel= --lost-after 30m",
    );
  });
});
