import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PolicyShape } from "@tessera/wire";
import { changesOf, readPolicy, textsOf } from "./policy-fields.ts";

const policy: PolicyShape = {
  ...{ rebalance: "on", minRuntime: "5m", grace: "30s", graceMax: "10m", backfill: true, movesPerHourMax: 60 },
  ...{ scrub: "off", reshape: "20s", lostWork: "grace", acceptance: "off", checkEvery: "off", passwords: "on" },
  ...{ factorRoles: ["platform-owner"], sessionIdle: "8h", sessionLife: "7d", tokenLife: "90d" },
  ...{ snapshotFilesMax: 10_000, snapshotMiBMax: 1024, contentMiBMax: 4096 },
  max: { arrayElements: 500 },
  sizes: { Small: "1g.10gb" },
  revision: "r1",
};

describe("the policy as it is typed", () => {
  it("is read as it was shown: nothing is lost", () => {
    const { revision: _, ...body } = policy;
    assert.deepEqual(readPolicy(textsOf(policy)), { body });
  });

  it("names each field that is wrong, and what to type instead", () => {
    const texts = { ...textsOf(policy), grace: "soon", "max.arrayElements": "0", factorRoles: "boss", sizes: "Small" };
    const read = readPolicy(texts);
    assert.ok("wrong" in read);
    assert.deepEqual(Object.keys(read.wrong).sort(), ["factorRoles", "grace", "max.arrayElements", "sizes"]);
    assert.match(read.wrong.grace!, /type 90s/);
    const german = readPolicy({ ...textsOf(policy), "max.arrayElements": "1.000" }, "de");
    assert.equal("body" in german && german.body.max?.arrayElements, 1_000, "as the hint beside it is written");
  });

  it("tells what changes, in words", () => {
    const before = textsOf(policy);
    assert.deepEqual(changesOf(before, { ...before, grace: "1m", "max.arrayElements": "" }), [
      "Grace period of jobs without a checkpoint: 30s → 1m",
      "elements of one array: 500 → not said",
    ]);
    assert.deepEqual(changesOf(before, before), []);
  });
});
