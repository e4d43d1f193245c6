import assert from "node:assert/strict";
import { it } from "node:test";
import { changedBetween, commandOf, editBetween, fieldsOf } from "./job-edit.ts";

const none = { max_price: "", budget: "", not_before: "", deadline: "" };

it("an edit of a job sets what was typed and takes away what was emptied, and nothing else", () => {
  const before = fieldsOf({ spec: { gpus: "H100:8", nodes: 1, priority: 0, max_time: "2h", run: "x" } });
  assert.deepEqual(before, { gpus: "H100:8", nodes: "1", priority: "0", max_time: "2h", ...none });
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

it("amounts of money are shown and read as the reader's language writes them", () => {
  const before = fieldsOf({ spec: { gpus: 1, max_price: "2.5", budget: "1200" } }, "de");
  assert.deepEqual([before.max_price, before.budget], ["2,50", "1200"]);
  const after = { ...before, max_price: "3,25", budget: "" };
  assert.deepEqual(changedBetween(before, after), ["max_price", "budget"]);
  assert.deepEqual(editBetween(before, after, "de"), { set: { max_price: "3.25" }, unset: ["budget"] });
  assert.equal(editBetween(before, { ...before, max_price: "3,255" }, "de"), undefined);
});
