import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { emptyState, type JobId } from "@tessera/core";
import { missesOf } from "./check.ts";

describe("missesOf", () => {
  it("takes a refusal for never, but not a refusal of something that is not built yet", () => {
    const outlook = (how: string) => ({
      state: emptyState(),
      now: 1,
      ids: new Map([["x", "job_1" as JobId]]),
      groups: new Map([["x", ["x"]]]),
      over: new Map([["x", how]]),
      evicted: new Set<string>(),
      startAt: 1,
      rehearse: () => assert.fail("no expectation rehearses a job"),
      offers: () => false,
    });
    assert.deepEqual(missesOf({ never: ["x"] }, outlook("refused (never-fits: gpus no node is large enough)")), []);
    const notBuilt = "refused (unsupported: shm cannot be honoured)";
    assert.deepEqual(missesOf({ never: ["x"] }, outlook(notBuilt)), [
      { what: "never.x", expected: "never", got: notBuilt },
    ]);
    const ended = "ended (succeeded)";
    assert.deepEqual(missesOf({ never: ["x"] }, outlook(ended)), [{ what: "never.x", expected: "never", got: ended }]);
  });
});
