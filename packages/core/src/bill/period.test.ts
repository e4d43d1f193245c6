import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, unitsPerGpu } from "../model/units.ts";
import type { Charge, InvoiceLine } from "../money/charge.ts";
import { RateBook } from "./rate-book.ts";
import { floorOf, periodOf, pricesOf, ratingOf, usageOf } from "./sample.fixture.ts";
import { Totals } from "./totals.ts";

const gpuHour = BigInt(unitsPerGpu) * BigInt(hour);

/** Lines as `account kind model hours micros`. */
function shown(lines: readonly InvoiceLine[]): string[] {
  return lines.map(
    (line) =>
      `${line.account} ${line.kind} ${line.model} ${Number((line.quantity * 1000n) / gpuHour) / 1000}h ${line.micros}`,
  );
}

describe("rating a period", () => {
  it("bills a floor of 4 that runs one 6-GPU job as 4 reserved and 2 burst", () => {
    const rating = ratingOf(
      { usage: [usageOf("lab/vision", 6, 0, 10)], floors: [floorOf("lab", 4)] },
      { period: periodOf(10) },
    );
    assert.deepEqual(shown(rating.lines("lab")), [
      "lab reserved H100 40h 80000000",
      "lab/vision burst H100 20h 60000000",
    ]);
  });

  it("[P11] multiplies the price beyond the floor by that of the pool, and not the floor", () => {
    const pool = { pool: "gold", poolPerMille: 1500 };
    const usage = [usageOf("lab", 4, 0, 1), usageOf("lab", 4, 0, 1, pool)];
    const rating = ratingOf({ usage, floors: [floorOf("lab", 2)] }, { period: periodOf(1) });
    const lines = rating.lines("lab");
    assert.deepEqual(shown(lines), [
      "lab burst H100 3h 9000000",
      "lab burst H100 3h 13500000",
      "lab reserved H100 2h 4000000",
    ]);
    assert.deepEqual(
      lines.map(({ pool: name, poolPerMille }) => [name, poolPerMille]),
      [
        [undefined, undefined],
        ["gold", 1500],
        [undefined, undefined],
      ],
    );
  });

  it("credits lost work at the price of the pool in which it was lost", () => {
    const pool = { pool: "cheap", poolPerMille: 500 };
    const book = { versions: [pricesOf({ lostWorkPerMille: 1000 })], contracts: [] };
    const about = { lease: "job_a-1-0", job: "job_a", account: "lab", model: "H100", units: unitsPerGpu, at: hour - 1 };
    const lost = [{ ...about, ...pool, lostMs: hour, graceMs: hour, cause: "preempted" as const }];
    const rating = ratingOf({ usage: [usageOf("lab", 1, 0, 1, pool)], lost }, { period: periodOf(1), book });
    assert.deepEqual(shown(rating.lines("lab")), ["lab burst H100 1h 1500000", "lab lost-work H100 1h -1500000"]);
  });

  it("bills a floor whether it is used or not, and each account its own part of it", () => {
    const floors = [floorOf("lab", 8), floorOf("lab/vision", 5), floorOf("lab/vision/detect", 2)];
    const rating = ratingOf({ floors }, { period: periodOf(1) });
    assert.deepEqual(shown(rating.lines("lab")), [
      "lab reserved H100 3h 6000000",
      "lab/vision reserved H100 3h 6000000",
      "lab/vision/detect reserved H100 2h 4000000",
    ]);
  });

  it("divides an overcommitted floor among the accounts that it is guaranteed to", () => {
    const floors = [floorOf("lab", 4), floorOf("lab/a", 3), floorOf("lab/b", 3)];
    const rating = ratingOf({ floors }, { period: periodOf(1) });
    assert.deepEqual(shown(rating.lines("lab")), ["lab/a reserved H100 2h 4000000", "lab/b reserved H100 2h 4000000"]);
  });

  it("passes what is beyond the floor down to the accounts that are beyond theirs", () => {
    const floors = [floorOf("lab", 4), floorOf("lab/a", 4)];
    const usage = [usageOf("lab/a", 4, 0, 1), usageOf("lab/b", 1, 0, 1), usageOf("lab/c", 2, 0, 1)];
    const rating = ratingOf({ floors, usage }, { period: periodOf(1) });
    assert.deepEqual(shown(rating.lines("lab")).slice(1), [
      "lab/b burst H100 1h 3000000",
      "lab/c burst H100 2h 6000000",
    ]);
  });

  it("passes it down by the floors of that instant, also where only the floor of an account below changes", () => {
    const floors = [floorOf("lab", 4), floorOf("lab/a", 4), floorOf("lab/b", 0), floorOf("lab/a", 0, 1, 2)];
    const usage = [usageOf("lab/a", 4, 0, 2), usageOf("lab/b", 4, 0, 2)];
    const rating = ratingOf({ floors, usage }, { period: periodOf(2) });
    // First hour: all 4 beyond the floor are of b. Second: neither has a floor of its own, and both pay for half.
    assert.deepEqual(
      shown(rating.lines("lab")).filter((line) => line.includes("burst")),
      ["lab/a burst H100 2h 6000000", "lab/b burst H100 6h 18000000"],
    );
  });

  it("gives the same when hours are rated separately and added", () => {
    const floors = [floorOf("lab", 2), floorOf("lab", 3, 2, 2), floorOf("ops", 3)];
    const usage = [usageOf("lab/a", 2, 0.25, 3.7), usageOf("lab/b", 3, 1.1, 2.9), usageOf("ops/x", 3, 0.5, 4)];
    const capacity = [{ model: "H100", at: 0, revision: 1, unitsAdded: 8 * unitsPerGpu }];
    const idle = { policy: "by-use", gpus: [{ model: "*", micros: 1_000_000 }] } as const;
    const book = { versions: [pricesOf({ lenderPerMille: 500, lostWorkPerMille: 700, idle })], contracts: [] };
    const lost = [
      { lease: "job_a-1-0", job: "job_a", account: "lab/a", model: "H100", units: unitsPerGpu, at: 1.5 * hour },
      { lease: "job_b-1-0", job: "job_b", account: "lab/a", model: "H100", units: unitsPerGpu, at: 2.5 * hour },
    ].map((each) => ({ ...each, lostMs: hour, graceMs: hour, cause: "preempted" as const }));
    const metered = { floors, usage, capacity, lost };
    const whole = ratingOf(metered, { period: periodOf(5), book }).totals;
    const rates = new RateBook();
    const sum = new Totals(rates);
    for (const [from, to] of [
      [0, 1],
      [1, 3],
      [3, 5],
    ] as const) {
      const period = { ...periodOf(to), fromAt: from * hour };
      sum.addAll(ratingOf(metered, { period, book, rates }).totals);
    }
    for (const tenant of ["lab", "ops"]) {
      assert.deepEqual(sum.linesOf(tenant), whole.linesOf(tenant));
      assert.deepEqual(sum.within(tenant), whole.within(tenant));
    }
    assert.deepEqual([sum.shared(), sum.unused(), sum.tenants()], [whole.shared(), whole.unused(), whole.tenants()]);
  });

  it("lets a floor of any model hold what named floors do not", () => {
    const floors = [{ account: "lab", at: 0, revision: 1, guarantee: { A100: 2 * unitsPerGpu, "*": unitsPerGpu } }];
    const usage = [usageOf("lab/a", 2, 0, 1, { model: "A100" }), usageOf("lab/a", 2, 0, 1)];
    const rating = ratingOf({ floors, usage }, { period: periodOf(1) });
    assert.deepEqual(shown(rating.lines("lab")), [
      "lab reserved * 1h 2000000",
      "lab reserved A100 2h 4000000",
      "lab/a burst H100 1h 3000000",
    ]);
  });

  it("does not bill states that the price list names as free", () => {
    const usage = [
      usageOf("lab/a", 1, 0, 1, { lease: "job_x-1-0", state: "starting" }),
      usageOf("lab/a", 1, 1, 2, { lease: "job_x-1-0" }),
    ];
    const rating = ratingOf({ usage }, { period: periodOf(3) });
    assert.deepEqual(shown(rating.lines("lab")), ["lab/a burst H100 1h 3000000"]);
  });

  it("cuts at the instant a price changes, also within an hour", () => {
    const versions = [
      pricesOf(),
      pricesOf({ id: "p2", fromAt: 1.5 * hour, gpus: [{ model: "H100", reservedMicros: 0, burstMicros: 6_000_000 }] }),
    ];
    const rating = ratingOf(
      { usage: [usageOf("lab/a", 1, 0, 2)] },
      { period: periodOf(2), book: { versions, contracts: [] } },
    );
    assert.deepEqual(shown(rating.lines("lab")), ["lab/a burst H100 1.5h 4500000", "lab/a burst H100 0.5h 3000000"]);
  });

  it("multiplies by isolation, topology, profile, time of day and contract, and rounds once", () => {
    const version = pricesOf({ isolation: { mig: 900 }, topology: { nvlink: 1150 }, profile: { "1g.10gb": 1070 } });
    const contract = { tenant: "lab", fromAt: 0, toAt: 10 * hour, gpus: [], perMille: 950 };
    const part = { isolation: "mig", topology: "nvlink", profile: "1g.10gb", unitsEach: 3000 } as const;
    const rating = ratingOf(
      { usage: [usageOf("lab/a", 1, 0, 1, part)] },
      {
        period: periodOf(1),
        book: { versions: [version], contracts: [contract] },
        windows: [{ fromAt: 0, toAt: hour, perMille: 800 }],
      },
    );
    // 3,000,000 x 1/7 x 0.9 x 1.15 x 1.07 x 0.8 x 0.95 = 360,712.28…
    assert.equal(rating.lines("lab")[0]!.micros, 360_712n);
  });

  it("[S11] does not depend on the order of records, nor on repeated ones", () => {
    const floors = [floorOf("lab", 2), floorOf("lab", 3, 2, 2), floorOf("ops", 1)];
    const usage = [
      usageOf("lab/a", 2, 0.25, 3.7),
      usageOf("lab/b", 3, 1.1, 2.9),
      usageOf("ops/x", 3, 0.5, 4),
      usageOf("lab/a", 1, 2, 2.5, { model: "A100" }),
    ];
    const late = { ...usage[0]!, toAt: 3 * hour, revision: 2 };
    const capacity = [{ model: "H100", at: 0, revision: 1, unitsAdded: 8 * unitsPerGpu }];
    const book = { versions: [pricesOf({ lenderPerMille: 500 })], contracts: [] };
    const once = ratingOf({ floors, usage: [...usage, late], capacity }, { period: periodOf(5), book });
    const again = ratingOf(
      { floors: floors.toReversed(), usage: [late, ...usage.toReversed(), ...usage], capacity },
      { period: periodOf(5), book },
    );
    assert.deepEqual(again.lines("lab"), once.lines("lab"));
    assert.deepEqual(again.lines("ops"), once.lines("ops"));
    assert.deepEqual(again.shared(), once.shared());
  });

  it("shows hours that add up to their lines to the micro", () => {
    const charges: Charge[] = [];
    const gpus = [{ model: "*", reservedMicros: 1_234_567, burstMicros: 1_000_003 }];
    const rating = ratingOf(
      { usage: [usageOf("lab/a", 1, 0.1, 6.77, { unitsEach: 3000 })], floors: [floorOf("lab", 1, 0, 1, "A100")] },
      {
        period: periodOf(7),
        book: { versions: [pricesOf({ gpus })], contracts: [] },
        onCharge: (charge) => charges.push(charge),
      },
    );
    for (const line of rating.lines("lab")) {
      const hours = charges.filter(({ kind }) => kind === line.kind);
      assert.equal(
        hours.reduce((sum, { micros }) => sum + micros, 0n),
        line.micros,
      );
      assert.equal(
        hours.reduce((sum, { quantity }) => sum + quantity, 0n),
        line.quantity,
      );
    }
    assert.equal(charges.filter(({ kind }) => kind === "burst").length, 7);
  });

  it("credits lost work up to the grace that was promised, and no more than was charged", () => {
    const lost = { lease: "job_a-1-0", job: "job_a", account: "lab/a", model: "H100", units: unitsPerGpu, at: hour };
    const book = { versions: [pricesOf({ lostWorkPerMille: 1000 })], contracts: [] };
    const usage = [usageOf("lab/a", 1, 0, 1)];
    const of = (lostMs: number, graceMs: number) =>
      ratingOf(
        { usage, lost: [{ ...lost, lostMs, graceMs, cause: "preempted" }] },
        { period: periodOf(2), book },
      ).lines("lab")[1]?.micros;
    assert.equal(of(hour, hour / 10), -300_000n);
    assert.equal(of(hour / 20, hour / 10), -150_000n);
    assert.equal(of(5 * hour, 5 * hour), -3_000_000n);
  });
});

describe("lending", () => {
  const book = { versions: [pricesOf({ lenderPerMille: 500 })], contracts: [] };
  const capacity = (gpus: number) => [{ model: "H100", at: 0, revision: 1, unitsAdded: gpus * unitsPerGpu }];

  it("takes from unguaranteed capacity first", () => {
    const rating = ratingOf(
      { usage: [usageOf("lab/a", 2, 0, 1)], floors: [floorOf("ops", 6)], capacity: capacity(8) },
      { period: periodOf(1), book },
    );
    assert.deepEqual(rating.shared(), []);
  });

  it("then from idle floors in proportion to what is idle, at every instant", () => {
    const floors = [floorOf("ops", 6), floorOf("web", 2)];
    const usage = [usageOf("lab/a", 4, 0, 2), usageOf("ops/x", 4, 1, 2)];
    const rating = ratingOf({ usage, floors, capacity: capacity(8) }, { period: periodOf(2), book });
    const lent = rating.shared().map(({ tenant, quantity }) => [tenant, Number((quantity * 1000n) / gpuHour)]);
    // First hour: 6 and 2 are idle, 4 are lent as 3 and 1. Second: 2 and 2 are idle and all of them lent.
    assert.deepEqual(lent, [
      ["ops", 5000],
      ["web", 3000],
    ]);
  });

  it("lends no more than an account allows", () => {
    const floors = [{ ...floorOf("ops", 6), lendable: { "*": unitsPerGpu } }, floorOf("web", 2)];
    const rating = ratingOf(
      { usage: [usageOf("lab/a", 3, 0, 1)], floors, capacity: capacity(8) },
      { period: periodOf(1), book },
    );
    assert.deepEqual(
      rating.shared().map(({ tenant, quantity }) => [tenant, quantity / gpuHour]),
      [
        ["ops", 1n],
        ["web", 2n],
      ],
    );
  });

  it("counts a floor of a family as one of any model from when a second model of it joins", () => {
    const floors = [floorOf("ops", 4)];
    const usage = [usageOf("lab/a", 4, 0, 2, { model: "H100-80GB" })];
    const joins = [
      { model: "H100-80GB", at: 0, revision: 1, unitsAdded: 4 * unitsPerGpu },
      { model: "H100-141GB", at: hour, revision: 2, unitsAdded: unitsPerGpu },
    ];
    const rating = ratingOf({ usage, floors, capacity: joins }, { period: periodOf(2), book });
    assert.deepEqual(
      rating.shared().map(({ model, quantity }) => [model, quantity / gpuHour]),
      [
        ["*", 3n],
        ["H100-80GB", 4n],
      ],
    );
  });

  it("shares unused capacity by quota or by use", () => {
    const floors = [floorOf("ops", 3), floorOf("web", 1)];
    const of = (policy: "by-quota" | "by-use") => {
      const idle = { policy, gpus: [{ model: "*", micros: 1_000_000 }] };
      const rating = ratingOf(
        { usage: [usageOf("web/a", 1, 0, 1)], floors, capacity: capacity(8) },
        { period: periodOf(1), book: { versions: [pricesOf({ idle })], contracts: [] } },
      );
      return rating.shared().map(({ tenant, micros }) => [tenant, micros]);
    };
    assert.deepEqual(of("by-quota"), [
      ["ops", 3_000_000n],
      ["web", 1_000_000n],
    ]);
    assert.deepEqual(of("by-use"), [["web", 4_000_000n]]);
  });
});
