import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { amountsOf, changed, spellChange, startSpan, victimsText, waterfall } from "./why.ts";

describe("why a job waits, as a picture", () => {
  it("shows what was passed before the reason, and leaves open what comes after it", () => {
    const rows = waterfall({ kind: "capacity", detail: "8 of 16 are free" });
    assert.deepEqual(
      rows.map(({ kind, result }) => `${kind} ${result}`),
      [
        ...["never", "held", "not-yet", "dependency", "budget", "price", "evicting", "quota"].map(
          (kind) => `${kind} passed`,
        ),
        "capacity failing",
        ...["shape", "isolation", "health", "reservation", "order"].map((kind) => `${kind} open`),
      ],
    );
    assert.equal(rows[8]!.text, "8 of 16 are free");
    assert.ok(waterfall(undefined).every(({ result }) => result === "passed"));
  });

  it("draws what is needed beside what is held of a limit, or what is free", () => {
    const drawn = (reason: Parameters<typeof amountsOf>[0]) =>
      amountsOf(reason).map(({ label, gpus }) => `${label} ${gpus}`);
    assert.deepEqual(drawn({ kind: "quota", detail: "", needed: 64, held: 49, limit: 112 }), [
      "needed 64",
      "held 49",
      "limit 112",
    ]);
    assert.deepEqual(drawn({ kind: "health", detail: "", needed: 1, free: 2 }), ["needed 1", "out of service 2"]);
    assert.deepEqual(drawn({ kind: "shape", detail: "", needed: 512, fits: 56, free: 1510 }), [
      "needed 512",
      "fit as asked 56",
      "free 1510",
    ]);
    assert.deepEqual(drawn({ kind: "held", detail: "" }), []);
  });

  it("says of which teams the jobs are that would be evicted", () => {
    assert.deepEqual(
      [
        { jobs: 8, members: 0, own: 2 },
        { jobs: 1, members: 0, own: 0 },
        { jobs: 3, members: 0, own: 3 },
        { jobs: 0, members: 2, own: 1 },
      ].map(victimsText),
      [
        "2 of its own account, 6 of other teams",
        "all of other teams",
        "all of its own account",
        "2 members of elastic jobs",
      ],
    );
  });

  it("applies a change to the job file, and takes a field away where nothing is to be left of it", () => {
    const job = { spec: { run: "x", gpus: "H100:8", topology: "rack" }, project: "lab" };
    assert.deepEqual(changed(job, { field: "gpus", to: "H100:4" }), { ...job.spec, gpus: "H100:4", project: "lab" });
    assert.equal("topology" in changed(job, { field: "topology", to: null }), false);
    assert.equal(spellChange({ field: "gpus", from: 8, to: 4 }), "gpus: 4 instead of 8");
  });

  it("spans from now to a little after the last start that is thought of", () => {
    const p90 = new Date(100_000).toISOString();
    assert.deepEqual(startSpan({ when: "later", p90 }, 0), { from: 0, to: 115_000 });
    assert.equal(startSpan({ when: "unknown" }, 0), undefined);
  });
});
