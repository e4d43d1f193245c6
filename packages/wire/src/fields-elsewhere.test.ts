import assert from "node:assert/strict";
import test from "node:test";
import { fieldElsewhere, JobSpecBody } from "./index.ts";

const known = Object.keys(JobSpecBody.properties);

test("fields of other programs lead to the field that there is here", () => {
  const pairs: [string, string][] = [
    ["timeout", "max_time"],
    ["retries", "retry"],
    ["num_nodes", "nodes"],
    ["accelerators", "gpus"],
    ["activeDeadlineSeconds", "max_time"],
    ["working-dir", "workdir"],
    ["commands", "run"],
  ];
  for (const [theirs, ours] of pairs)
    assert.deepEqual(fieldElsewhere(theirs, known), { field: ours, fix: `It is ${ours} here.` });
  assert.match(fieldElsewhere("resources", known)!.fix, /gpus, cpus and memory at the top level/);
  assert.match(fieldElsewhere("partition", known)!.fix, /no partitions/);
});

test("a field of our own is never led elsewhere, and other objects are left alone", () => {
  for (const field of known) assert.equal(fieldElsewhere(field, known), undefined, field);
  assert.equal(fieldElsewhere("timeout", ["max", "when"]), undefined);
  assert.equal(fieldElsewhere("frobnicate", known), undefined);
});
