import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { carried } from "./carried.ts";

describe("an address that leads on", () => {
  const from = (text: string) => new URLSearchParams(text);

  it("keeps the account, unless it names another", () => {
    assert.equal(carried("/jobs", from("")), "/jobs");
    assert.equal(carried("/jobs", from("account=acme/nlp")), "/jobs?account=acme%2Fnlp");
    assert.equal(carried("/jobs?state=waiting", from("account=acme")), "/jobs?state=waiting&account=acme");
    assert.equal(carried("/jobs?account=other", from("account=acme")), "/jobs?account=other");
    assert.equal(carried("/cost/money", from("account=acme")), "/cost/money?account=acme");
    assert.equal(carried("/audit?text=x", from("account=acme")), "/audit?text=x&account=acme");
    assert.equal(carried("/people", from("account=acme")), "/people");
  });

  it("keeps the moment and the range where the next page shows them too", () => {
    const then = from("at=2h&range=7d&compare=before&node=n1");
    assert.equal(carried("/queue", then), "/queue?at=2h&range=7d&compare=before");
    assert.equal(carried("/fleet", then), "/fleet?at=2h&range=7d&compare=before");
    assert.equal(carried("/quota", then), "/quota?range=7d&compare=before");
    assert.equal(carried("/", then), "/?range=7d&compare=before");
    assert.equal(carried("/jobs", then), "/jobs");
    assert.equal(carried("/jobs/j-1", then), "/jobs/j-1?at=2h", "a job has a time of its own");
    assert.equal(carried("/nodes/east/n1", then), "/nodes/east/n1?at=2h&range=7d&compare=before");
  });
});
