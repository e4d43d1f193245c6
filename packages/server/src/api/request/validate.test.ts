import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { JobSpecBody } from "@tessera/wire";
import { problemOf } from "../answer/problem.ts";
import { checkOfBody } from "./validate.ts";

const check = checkOfBody(JobSpecBody, false);

/** The two sentences that a user reads of a job file. */
function told(job: object): [string, string] {
  const denial = check({ run: "x", ...job });
  assert.ok(denial !== undefined, JSON.stringify(job));
  const { detail, hint = "" } = problemOf(denial, "req_1");
  return [detail, hint];
}

describe("a job file that is not valid", () => {
  const cases: [object, string, RegExp][] = [
    [{ gpuss: 1 }, "gpuss is not a known field.", /^Did you mean gpus\?$/],
    [{ run: true }, "run must be text, and is the value true.", /Quote it: run: "true"\.$/],
    [{ run: "" }, "run is empty.", /^Write the shell command/],
    [{ gpus: -2 }, "gpus -2 is below 0.", /H100:8/],
    [{ gpus: [] }, 'gpus "[]" is an empty list.', /H100:8/],
    [
      { nodes: "two" },
      'nodes "two" is not a number or a range.',
      /a whole number from 1 to 100000, or a range such as 4\.\.8/,
    ],
    [{ nodes: 0 }, "nodes 0 is below 1.", /4\.\.8/],
    [{ max_time: 90 }, "max_time 90 has no unit.", /^Write 90s, 90m or 90h: a number with a unit/],
    [{ max_time: "1:30" }, 'max_time "1:30" is not a duration.', /2h30m/],
    [{ memory: "banana" }, 'memory "banana" is not a size or a number of MiB.', /^Write a size such as 512MiB, 64GiB/],
    [{ env: ["A=1", "B"] }, "env[1] is not NAME=value.", /^Write NAME=value\.$/],
    [{ env: { "a-b": "x" } }, "env.a-b is not a valid name.", /letters, digits and _/],
    [{ array: "many" }, 'array "many" is not a range or a list.', /at most 10000 elements/],
    [
      { priority: 99_999 },
      "priority 99999 is above 1000.",
      /low, normal or high, or a whole number from -1000 to 1000/,
    ],
    [{ retry: { when: ["oops"] } }, 'retry.when[0] "oops" is not valid.', /^Write failed, node_lost or preempted\.$/],
    [{ strict: "maybe" }, 'strict "maybe" must be true or false, and is text.', /^Write true or false\.$/],
    [{ cpus: "many" }, 'cpus "many" must be a number, and is text.', /from 0 to 100000/],
  ];
  for (const [job, detail, hint] of cases) {
    it(`is told: ${detail}`, () => {
      const [said, advice] = told(job);
      assert.equal(said, detail);
      assert.match(advice, hint);
    });
  }

  it("never shows a value of its environment", () => {
    assert.doesNotMatch(told({ env: { KEY: ["secret-value"] } }).join(" "), /secret-value/);
  });
});
