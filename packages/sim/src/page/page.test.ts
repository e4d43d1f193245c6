import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainPolicy, plainTerms } from "@tessera/core";
import { alikeNodes } from "../simulate/alike-nodes.ts";
import { gangSpec } from "../simulate/gang.ts";
import { simulate } from "../simulate/simulate.ts";
import { pageOf } from "./page.ts";

describe("the page of a run", () => {
  const spec = gangSpec({ gpus: 4, gpusPerNode: 8 });
  const arrivals = Array.from({ length: 20 }, (_, i) => ({
    name: `j${i}`,
    account: "a",
    spec,
    submitAt: 1_000_000 + i * 600_000,
    runMs: 3_600_000,
  }));
  const result = simulate({
    nodes: alikeNodes(1, 8),
    accounts: [{ path: "a", terms: plainTerms }],
    policy: plainPolicy,
    arrivals,
    sampleMs: 600_000,
  });
  const page = pageOf("a <run>", ["x & y"], result);

  it("asks nothing of the network and shows every chart", () => {
    assert.doesNotMatch(page, /https?:|src=|<script|@import|url\(/);
    for (const title of ["Utilization", "Queue", "Fragmentation", "Preemptions", "Waits by team"])
      assert.ok(page.includes(title), title);
    assert.deepEqual([page.match(/<svg/g)?.length, page.match(/<dl/g)?.length], [4, 1]);
    assert.doesNotMatch(page, /NaN|undefined/);
  });

  it("shows names as text", () => {
    assert.match(page, /a &lt;run&gt;/);
    assert.match(page, /x &amp; y/);
  });
});
