import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isView, viewOf } from "./kept-views.ts";

describe("a saved view", () => {
  it("is what cuts, orders and draws a list, not what was opened on the page", () => {
    const search = "?job=job_1&sort=-gpus&reason=quota&account=lab&elements.columns=a~b&entry=1&columns=Job~GPUs";
    const view = viewOf(search, ["reason"]);
    assert.equal(view, "account=lab&columns=Job%7EGPUs&elements.columns=a%7Eb&reason=quota&sort=-gpus");
    assert.equal(viewOf("?reason=quota&account=lab", ["reason"]), viewOf("?account=lab&reason=quota", ["reason"]));
    assert.equal(viewOf("?job=job_1", ["reason"]), "");
  });

  it("is read with care: anything may be kept under its name", () => {
    assert.ok(isView({ name: "mine", search: "mine=yes" }));
    const others = [{}, null, "text", { name: "", search: "" }, { name: "x" }, { name: "x".repeat(41), search: "" }];
    for (const other of others) assert.equal(isView(other), false, JSON.stringify(other));
  });
});
