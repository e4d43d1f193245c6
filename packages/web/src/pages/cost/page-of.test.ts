import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pageOf } from "./page-of.ts";

describe("a line of a report", () => {
  const mayAll = () => true;

  it("leads to the page of what it is about", () => {
    assert.equal(pageOf("job", "job_1.2", mayAll), "/jobs/job_1.2");
    assert.equal(pageOf("account", "lab/nlp", mayAll), "/quota/lab/nlp");
    assert.equal(pageOf("node", "east/gpu-07", mayAll), "/nodes/east/gpu-07");
  });

  it("leads nowhere where there is no page, or none for this reader", () => {
    assert.equal(pageOf("model", "H100", mayAll), undefined);
    assert.equal(pageOf("job", "(unused guarantee)", mayAll), undefined);
    assert.equal(pageOf("account", "", mayAll), undefined, "the platform itself");
    assert.equal(
      pageOf("job", "job_1", (action) => action !== "job.read"),
      undefined,
    );
  });
});
