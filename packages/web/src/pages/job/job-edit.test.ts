import assert from "node:assert/strict";
import { it } from "node:test";
import { commandOf, editBetween, fieldsOf } from "./job-edit.ts";

it("an edit of a job sets what was typed and takes away what was emptied, and nothing else", () => {
  const before = fieldsOf({ spec: { gpus: "H100:8", nodes: 1, priority: 0, max_time: "2h", run: "x" } });
  assert.deepEqual(before, { gpus: "H100:8", nodes: "1", priority: "0", max_time: "2h", not_before: "", deadline: "" });
  assert.equal(editBetween(before, before), undefined);
  assert.deepEqual(editBetween(before, { ...before, priority: " 5 ", gpus: "H100:4", max_time: "" }), {
    set: { gpus: "H100:4", priority: 5 },
    unset: ["max_time"],
  });
  assert.equal(
    commandOf("job_1", { set: { gpus: "H100:4", priority: 5 }, unset: ["max_time"] }),
    "tess edit job_1 --set gpus=H100:4 --set priority=5 --set max_time=",
  );
  assert.deepEqual(editBetween(before, { ...before, priority: "high" }), { set: { priority: "high" } });
});
