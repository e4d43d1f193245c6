import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WaitReason } from "@tessera/wire";
import { reasonKinds, whatEnds } from "@tessera/wire/reasons";
import { amountsOf, editOf, spellChange, spellEffect, startSpan, victimsText, waterfall } from "./why.ts";

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
    const drawn = (reason: Omit<WaitReason, "detail">) =>
      amountsOf({ ...reason, detail: "" }).map(({ label, text }) => `${label} ${text}`);
    assert.deepEqual(drawn({ kind: "quota", needed: 64, held: 49, limit: 112 }), ["needed 64", "held 49", "limit 112"]);
    assert.deepEqual(drawn({ kind: "quota", needed: 8, free: 3 }), ["needed 8", "idle, not lent 3"]);
    assert.deepEqual(drawn({ kind: "quota", unit: "MiB", needed: 2048, held: 512, limit: 1024 }), [
      ...["needed 2 GiB", "held 512 MiB", "limit 1 GiB"],
    ]);
    assert.deepEqual(drawn({ kind: "not-yet", unit: "elements", held: 2, limit: 2 }), [
      ...["running 2 elements", "limit 2 elements"],
    ]);
    assert.deepEqual(drawn({ kind: "health", needed: 1, free: 2 }), ["needed 1", "out of service 2"]);
    assert.deepEqual(drawn({ kind: "reservation", needed: 4, free: 4 }), ["needed 4", "before maintenance 4"]);
    assert.deepEqual(drawn({ kind: "shape", needed: 512, fits: 56, free: 1510 }), [
      ...["needed 512", "fit as asked 56", "free 1,510"],
    ]);
    const money = { currency: "EUR", heldMicros: "901000000", limitMicros: "900000000" };
    assert.deepEqual(drawn({ kind: "budget", money }), ["spent 901.00 EUR", "budget 900.00 EUR"]);
    assert.deepEqual(drawn({ kind: "budget", of: "credit", money }), ["owed 901.00 EUR", "credit limit 900.00 EUR"]);
    assert.deepEqual(drawn({ kind: "price", money }), ["an hour costs 901.00 EUR", "max_price 900.00 EUR"]);
    assert.deepEqual(drawn({ kind: "held" }), []);
  });

  it("says of each reason what ends the wait, in words of its own", () => {
    const texts = reasonKinds.map((kind) => whatEnds({ kind }));
    assert.ok(
      texts.every((text) => /^[A-Z].*\.$/.test(text)),
      texts.join("\n"),
    );
    assert.equal(new Set(texts).size, reasonKinds.length);
    assert.doesNotMatch(whatEnds({ kind: "not-yet" }), /array/);
    assert.match(whatEnds({ kind: "not-yet", unit: "elements" }), /array/);
  });

  it("says of a change when the job would start with it, and how much sooner that is", () => {
    const now = Date.parse("2030-01-01T10:00:00Z");
    const at = new Date(now + 600_000).toISOString();
    const later = { effect: "starts later", at } as const;
    const start = { when: "later", at: new Date(now + 11_400_000).toISOString() } as const;
    assert.match(spellEffect(later, start, now), /^would start \d\d:\d\d, 3h sooner$/);
    assert.match(spellEffect(later, { when: "unknown" }, now), /^would start \d\d:\d\d$/);
    assert.equal(spellEffect({ effect: "starts now" }, start, now), "starts now");
    const change = { field: "not_before", from: "2031-11-21T09:00:00.000Z", to: null };
    assert.match(spellChange(change), /^not_before: none instead of Nov 21, 2031, \d\d:\d\d$/);
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

  it("applies a change as an edit, and takes a field away where nothing is to be left of it", () => {
    const job = { spec: { model: "70B" } };
    assert.deepEqual(editOf(job, { field: "gpus", to: "H100:4" }), { set: { gpus: "H100:4" } });
    assert.deepEqual(editOf(job, { field: "topology", to: null }), { unset: ["topology"] });
    assert.deepEqual(editOf(job, { field: "model.precision", to: "fp8" }), {
      set: { model: { name: "70B", precision: "fp8" } },
      unset: ["gpus", "gpu_memory", "nodes", "members", "topology"],
    });
    assert.equal(spellChange({ field: "gpus", from: 8, to: 4 }), "gpus: 4 instead of 8");
  });

  it("spans from now to a little after the last start that is thought of", () => {
    const p90 = new Date(100_000).toISOString();
    assert.deepEqual(startSpan({ when: "later", p90 }, 0), { from: 0, to: 115_000 });
    assert.equal(startSpan({ when: "unknown" }, 0), undefined);
  });
});
