import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal, mistakesOf } from "../journal/refusal.ts";
import { readDuration } from "../model/duration.ts";
import { hour, minute } from "../model/units.ts";
import { World } from "../testing/world.ts";
import { withoutAll } from "./all-gpus.ts";
import { parseJob, type RawJob } from "./parse.ts";

/** The fields at fault; none for a job that is fine. */
function wrongFields(raw: Partial<RawJob>): string[] {
  const parsed = parseJob({ run: "x", ...raw }, { after: [] });
  return isRefusal(parsed) ? mistakesOf(parsed).map(({ field }) => field) : [];
}

describe("a raw job", () => {
  it("is refused for everything that is wrong with it, each field once", () => {
    const raw = {
      gpus: ["H100:1.5", 8, "a b"],
      nodes: "two",
      topology: "galaxy",
      memory: "banana",
      max_time: "0s",
      checkpoint: { grace: "soon", signal: "SIGKILL" },
      array: "5-1",
    };
    assert.deepEqual(wrongFields(raw as Partial<RawJob>), [
      ...["gpus[0]", "gpus[2]", "nodes", "topology", "memory", "max_time"],
      ...["checkpoint.grace", "checkpoint.signal", "array"],
    ]);
    assert.deepEqual(wrongFields({ gpus: 1 }), []);
  });

  it("sets no variable that Tessera sets, nor one twice", () => {
    assert.deepEqual(wrongFields({ env: { TESS_RANK: 1, RANK: 1, TESS_TOKEN: "t" } }), ["env.TESS_RANK"]);
    assert.deepEqual(wrongFields({ env: ["A=1", "TESS_JOB_ID=x", "A=2"] }), ["env[1]", "env[2]"]);
    assert.deepEqual(wrongFields({ secrets: ["TESS_NODE"] }), ["secrets[0]"]);
  });

  it("does not have more members without a GPU than a server can follow", () => {
    assert.deepEqual(wrongFields({ members: 100_000 }), ["members"]);
    assert.deepEqual(wrongFields({ members: 100, array: "1-1000" }), ["members"]);
    assert.deepEqual(wrongFields({ members: 100, array: "1-1000%100" }), []);
    assert.deepEqual(wrongFields({ members: 100_000, gpus: 1 }), []);
  });

  it("writes times with units, or as a clock does", () => {
    assert.equal(readDuration("01:30:00"), 90 * minute);
    assert.equal(readDuration("2-12:00:00"), 60 * hour);
    for (const text of ["90", "1:30", "01:60:00", "1h 30m"]) assert.equal(readDuration(text), undefined, text);
  });

  it("asks for all GPUs of a node: as many as the largest has of one model", () => {
    const { fleet } = new World().nodes(["a", "H100:2"], ["b", "H100:4"]).state;
    assert.equal(withoutAll("all", fleet), 4);
    assert.deepEqual(withoutAll(["H100:all", 1], fleet), ["H100:4", 1]);
    const none = withoutAll({ any: ["A100:all"] }, fleet);
    assert.ok(isRefusal(none) && none.field === "gpus.any[0]" && /H100/.test(none.hint));
  });
});
