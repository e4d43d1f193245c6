import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { minute } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";

describe("jobs that end by one decision", () => {
  it("do not start a job that was to run after an array that is cancelled as a whole", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    w.submit("frames", "lab", { array: "1-2", notBeforeAt: w.now + minute });
    w.submit("film", "lab", { after: [{ job: jobId("frames"), when: "succeeded" }] });
    w.must({ kind: "job.cancel", job: jobId("frames") });
    assert.equal(w.outcomeOf("film"), "dependency-failed");
  });

  it("[S21] end a job once when both jobs that it was to run after are lost with their node", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    const retry = { max: 0, when: [] };
    w.submit("left", "lab", { retry });
    w.submit("right", "lab", { retry });
    const after = ["left", "right"].map((id) => ({ job: jobId(id), when: "succeeded" as const }));
    w.submit("both", "lab", { after });
    w.run("left").run("right").must({ kind: "node.down", node: "n0", reason: "fire" });
    assert.equal(w.outcomeOf("left"), "infra-failed");
    assert.equal(w.events.filter((event) => event.kind === "job-ended" && event.job === w.noOf("both")).length, 1);
  });

  it("[S22] stay cancelled when the engine reports a time limit late", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    w.submit("a", "lab");
    w.run("a").must({ kind: "job.cancel", job: jobId("a") });
    w.report("a", { kind: "stopping", cause: "time-limit" });
    w.report("a", { kind: "exited", ran: true, signal: "SIGKILL", limit: "time" });
    assert.equal(w.outcomeOf("a"), "cancelled");
  });
});
