import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isRefusal } from "../journal/refusal.ts";
import { plainPolicy } from "../model/policy.ts";
import type { SizeClasses } from "../model/size.ts";
import { unitsPerGpu } from "../model/units.ts";
import { World } from "../testing/world.ts";
import { parseSizes, sizedAmounts, withoutSizes } from "./sizes.ts";

const { fleet } = new World().nodes(["n0", "H100-80GB:8"], ["n1", "L4:4"]).state;

function sizes(given: Record<string, string>): SizeClasses {
  const parsed = parseSizes(given, fleet);
  assert.ok(!isRefusal(parsed), JSON.stringify(parsed));
  return parsed;
}

const usual = sizes({ Small: "H100:1g.10gb", Medium: "0.5", Large: "H100:1" });

describe("named sizes", () => {
  it("[U1] count the larger of compute and memory exactly", () => {
    assert.deepEqual(usual, {
      Small: { ask: "H100:1g.10gb", model: "H100", units: unitsPerGpu / 7 },
      Medium: { ask: "0.5", model: "*", units: unitsPerGpu / 2 },
      Large: { ask: "H100:1", model: "H100", units: unitsPerGpu },
    });
    const given = sizedAmounts({ small: 10, Large: 2, L4: 1 }, usual, "guarantee");
    assert.ok(!isRefusal(given));
    assert.deepEqual(given.units, { H100: (10 * unitsPerGpu) / 7 + 2 * unitsPerGpu });
    assert.deepEqual([given.counts, given.rest], [{ Small: 10, Large: 2 }, { L4: 1 }]);
  });

  it("are refused if their name or their request is not usable", () => {
    const field = (given: Record<string, string>) => {
      const answer = parseSizes(given, fleet);
      return isRefusal(answer) ? [answer.refused, answer.field] : [];
    };
    assert.deepEqual(field({ Small: "1g.5gb" }), ["never-fits", "sizes.Small"]);
    assert.deepEqual(field({ h100: "1" }), ["invalid", "sizes.h100"], "it is a model");
    assert.deepEqual(field({ a: "1", A: "2" }), ["invalid", "sizes.a"]);
    assert.deepEqual(field({ None: "0" }), ["invalid", "sizes.None"]);
    assert.ok(isRefusal(sizedAmounts({ Small: 1.5 }, usual, "max")));
  });

  it("are replaced by their meaning in a job", () => {
    assert.equal(withoutSizes("small", usual), "H100:1g.10gb");
    assert.equal(withoutSizes("Large:2", usual), "H100:2");
    assert.deepEqual(withoutSizes(["Large", "L4:1"], usual), ["H100:1", "L4:1"]);
    assert.deepEqual(withoutSizes({ any: ["Medium"], needs: [] }, usual), { any: ["0.5"], needs: [] });
    assert.ok(isRefusal(withoutSizes("Small:2", usual)));
    assert.equal(withoutSizes("H100:8", usual), "H100:8");
  });

  it("are kept as given in a quota", () => {
    const w = new World().nodes(["n0", "H100-80GB:8"]);
    w.must({ kind: "policy.set", policy: { ...plainPolicy, sizes: usual } });
    w.account("lab", { quota: { guarantee: { H100: 30_000 }, guaranteeSizes: { Small: 10 }, weight: 1 } });
    const change = (given: SizeClasses) => w.do({ kind: "policy.set", policy: { ...plainPolicy, sizes: given } });
    const answer = change({ ...usual, Small: { ask: "0.5", model: "*", units: 10_500 } });
    assert.ok(isRefusal(answer) && answer.refused === "conflict" && /lab/.test(answer.detail));
    assert.ok(isRefusal(change({ Large: usual.Large! })));
    assert.ok(!isRefusal(change({ Small: usual.Small! })));
  });
});
