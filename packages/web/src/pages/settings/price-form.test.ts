import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PriceBookShape } from "@tessera/wire";
import { priceChanges, pricesBody, priceTextsOf, ratesOf, textOf } from "./price-form.ts";

const now = Date.parse("2026-11-05T10:00:00Z");
const list: PriceBookShape["versions"][number] = {
  ...{ id: "list-2026-11-05", currency: "EUR", from: "2026-11-05T09:00:00.000Z", tz: "Europe/Berlin" },
  gpus: [
    { model: "H100", reservedMicros: 2_000_000, burstMicros: 3_000_000 },
    { model: "*", reservedMicros: 1_000_000, burstMicros: 1_500_000 },
  ],
  cpuMicrosPerCoreHour: 20_000,
};

describe("a new price list", () => {
  it("begins with the last list under a name that is free, and prices each model of the fleet", () => {
    const texts = priceTextsOf([list], ["H100-80GB", "L4"], now);
    assert.deepEqual([texts.id, texts.currency, texts.from], ["list-2026-11-05-2", "EUR", ""]);
    assert.deepEqual(
      ratesOf(list, ["H100-80GB", "L4"]).map(({ model, burstMicros }) => [model, burstMicros]),
      [
        ["H100", 3_000_000],
        ["L4", 1_500_000],
        ["*", 1_500_000],
      ],
    );
    assert.equal(priceTextsOf([], [], now).id, "list-2026-11-05");
    assert.equal(priceTextsOf([list, { ...list, id: "list-2026-11-05-2" }], [], now).id, "list-2026-11-05-3");
  });

  it("changes what was typed, and nothing that the form does not show", () => {
    const texts = { ...priceTextsOf([list], [], now), [textOf("burstMicros", "H100")]: "3.25" };
    const body = pricesBody([list], [], texts, now, "en")!;
    assert.deepEqual(
      [body.tz, body.cpuMicrosPerCoreHour, body.gpus[0]!.burstMicros, body.from],
      ["Europe/Berlin", 20_000, 3_250_000, "2026-11-05T10:01:00.000Z"],
    );
    assert.deepEqual(priceChanges(list, body), ["H100, burst: 3.00 EUR → 3.25 EUR an hour"]);
    const later = { ...texts, from: "2026-12-01T00:00:00.000Z" };
    assert.equal(pricesBody([list], [], later, now, "en")!.from, "2026-12-01T00:00:00.000Z");
    const ahead = { ...list, from: "2026-12-24T00:00:00.000Z" };
    assert.equal(pricesBody([ahead], [], texts, now, "en")!.from, "2026-12-24T00:01:00.000Z");
    assert.equal(pricesBody([list], [], { ...texts, [textOf("burstMicros", "*")]: "x" }, now, "en"), undefined);
  });

  it("names what a first list and a model of its own cost before", () => {
    const body = pricesBody(
      [list],
      ["L4"],
      { ...priceTextsOf([list], ["L4"], now), [textOf("burstMicros", "L4")]: "1" },
      now,
    )!;
    assert.deepEqual(priceChanges(list, body), ["L4, burst: 1.50 EUR → 1.00 EUR an hour"]);
    assert.equal(priceChanges(undefined, body)[0], "H100, guaranteed: no price → 2.00 EUR an hour");
  });
});
