import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import { beyondEgress, type Egress, narrowestEgress } from "../model/egress.ts";
import { parseEgress } from "./egress.ts";

describe("where a job may connect", () => {
  it("is none, declared, all or a list of hosts and ports", () => {
    assert.deepEqual(parseEgress("none", "egress"), "none");
    assert.deepEqual(parseEgress({ allow: ["PyPI.org:443", "10.0.0.7:5432", "pypi.org:443"] }, "egress"), {
      allow: ["10.0.0.7:5432", "pypi.org:443"],
    });
  });

  it("names the target that is wrong, and no more than 64 may be named", () => {
    for (const wrong of [
      "pypi.org",
      "pypi.org:0",
      "pypi.org:99999",
      "a b:1",
      "1.2.3:80",
      "999.1.1.1:80",
      "[::1]:80",
      "x;y:1",
    ]) {
      const refusal = parseEgress({ allow: ["ok.example:1", wrong] }, "egress");
      assert.ok(isRefusal(refusal) && refusal.field === "egress.allow[1]", wrong);
    }
    const many = Array.from({ length: 65 }, (_, i) => `h${i}.example:1`);
    const refusal = parseEgress({ allow: many }, "egress");
    assert.ok(isRefusal(refusal) && /more than 64/.test(refusal.detail));
  });

  it("reaches no further than each account above allows", () => {
    const list = (...allow: string[]): Egress => ({ allow });
    assert.equal(beyondEgress("all", "declared"), "all");
    assert.equal(beyondEgress(list("a:1"), "none"), "declared");
    assert.equal(beyondEgress(list("a:1", "b:1"), list("a:1")), "b:1");
    assert.equal(beyondEgress(list("a:1"), "declared"), undefined);
    assert.equal(beyondEgress("none", list("a:1")), undefined);
    assert.deepEqual(narrowestEgress([]), { egress: "all" });
    assert.deepEqual(narrowestEgress(["all", "none"]), { egress: "none" });
    assert.deepEqual(narrowestEgress([list("a:1", "b:1"), "declared", list("b:1", "c:1")]), {
      egress: "declared",
      allow: ["b:1"],
    });
    assert.deepEqual(narrowestEgress(["declared"]), { egress: "declared", allow: [] });
  });
});
