import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Trust } from "../model/account.ts";
import type { PartSeat, PoolMode } from "../model/part.ts";
import { sharingOf } from "../model/sharing.ts";
import { unitsPerGpu } from "../model/units.ts";
import { diceOf } from "../testing/dice.ts";
import { uncut, withInstance } from "./mig.ts";
import { migModelOf } from "./mig-models.ts";
import { mpsClientsMax, type Newcomer, type Occupant, type PartAsk, type PartDevice, seatPart } from "./seat.ts";

const quarter = unitsPerGpu / 4;

function gpu(pool: PoolMode, model = "H100-80GB", memoryMiB = 81_559): PartDevice {
  return { model, memoryMiB, sharing: sharingOf({ pool }, undefined) };
}

function who(tenant: number, trust: Trust = "trusted", group = "", migWith: readonly number[] = []): Newcomer {
  return { tenant, trust, group, migWith, type: "batch" };
}

const nothing: PartAsk = { compute: 0, memory: 0, memoryMiB: 0, isolation: "any" };
const fraction = (units: number, rest: Partial<PartAsk> = {}): PartAsk => ({
  ...nothing,
  compute: units,
  memory: units,
  ...rest,
});
const profile = (name: string): PartAsk => ({ ...nothing, profile: name });

function isSeat(answer: ReturnType<typeof seatPart>): answer is PartSeat {
  return typeof answer === "object";
}

function sits({ tenant, trust, group, migWith }: Newcomer, seat: PartSeat): Occupant {
  return { tenant, trust, group, migWith, type: "batch", ...seat };
}

/** Seats the guests one after another on one device; fails if one is refused. */
function seated(device: PartDevice, guests: readonly (readonly [Newcomer, PartAsk])[]): Occupant[] {
  const occupants: Occupant[] = [];
  for (const [guest, ask] of guests) {
    const seat = seatPart(device, occupants, guest, ask);
    assert.ok(isSeat(seat), `tenant ${guest.tenant}: ${seat}`);
    occupants.push(sits(guest, seat));
  }
  return occupants;
}

describe("the mode of a part", () => {
  it("[P3] is the strongest isolation that an idle GPU of an `any` pool offers", () => {
    const answer = seatPart(gpu("any"), [], who(1), fraction(quarter));
    assert.deepEqual(answer, { mode: "mig", compute: 6000, memory: 5250, slot: 2, profile: "2g.20gb" });
    const uncuttable = seatPart(gpu("any", "L40S", 46_068), [], who(1), fraction(quarter));
    assert.deepEqual(uncuttable, { mode: "mps", compute: quarter, memory: quarter });
  });

  it("[P3] is the pool's, and the one that the job requests", () => {
    const modeOf = (pool: PoolMode, isolation: PartAsk["isolation"]) => {
      const answer = seatPart(gpu(pool), [], who(1), fraction(quarter, { isolation }));
      return isSeat(answer) ? answer.mode : answer;
    };
    assert.equal(modeOf("mps", "any"), "mps");
    assert.equal(modeOf("timeslice", "timeslice"), "timeslice");
    assert.equal(modeOf("any", "mps"), "mps");
    assert.equal(modeOf("any", "timeslice"), "timeslice");
    assert.equal(modeOf("mps", "mig"), "never");
    assert.equal(modeOf("any", "whole"), "never");
    assert.equal(modeOf("whole", "any"), "never");
  });

  it("[P3] does not change while the GPU is in use", () => {
    const shared = seated(gpu("any"), [[who(1), fraction(quarter, { isolation: "mps" })]]);
    assert.equal(seatPart(gpu("any"), shared, who(1), profile("1g.10gb")), "isolation");
    assert.equal(seatPart(gpu("any"), shared, who(1), profile("7g.80gb")), "no-room");
    const joined = seatPart(gpu("any"), shared, who(1), fraction(quarter));
    assert.ok(isSeat(joined) && joined.mode === "mps");
  });
});

describe("the size of a part", () => {
  it("[U1] is exact: four quarters fill a GPU shared by MPS, and a fifth finds no room", () => {
    const four = Array.from({ length: 4 }, () => [who(1), fraction(quarter)] as const);
    for (const pool of ["mps", "timeslice"] as const) {
      const full = seated(gpu(pool), four);
      assert.equal(seatPart(gpu(pool), full, who(1), fraction(quarter)), "no-room");
      assert.equal(seatPart(gpu(pool), full.slice(1), who(1), fraction(quarter + 1)), "no-room");
      assert.ok(isSeat(seatPart(gpu(pool), full.slice(1), who(1), fraction(quarter))));
    }
  });

  it("[U1] is bounded in compute and in memory separately", () => {
    const much = seated(gpu("mps"), [[who(1), { ...nothing, compute: 3 * quarter, memory: quarter }]]);
    const fits = seatPart(gpu("mps"), much, who(1), { ...nothing, compute: quarter, memory: 3 * quarter });
    assert.deepEqual(fits, { mode: "mps", compute: quarter, memory: 3 * quarter });
    assert.equal(seatPart(gpu("mps"), much, who(1), fraction(quarter + 1)), "no-room");
    const overMemory = { ...nothing, compute: 1, memory: 3 * quarter + 1 };
    assert.equal(seatPart(gpu("mps"), much, who(1), overMemory), "no-room");
  });

  it("[U1] follows from memory in MiB by the size of the device, rounded up", () => {
    const ask = { ...nothing, memoryMiB: 20_480 };
    const units = Math.ceil((20_480 * unitsPerGpu) / 81_559);
    assert.deepEqual(seatPart(gpu("mps"), [], who(1), ask), { mode: "mps", compute: units, memory: units });
    const slice = seatPart(gpu("mig", "H200-141GB", 143_771), [], who(1), ask);
    assert.ok(isSeat(slice) && slice.profile === "1g.35gb");
    assert.equal(seatPart(gpu("mps", "T4", 15_360), [], who(1), ask), "never");
    assert.equal(seatPart(gpu("mig", "A100-40GB", 40_960), [], who(1), { ...nothing, memoryMiB: 40_193 }), "never");
  });

  it("[P3] is never a profile that the model does not have", () => {
    assert.equal(seatPart(gpu("mig"), [], who(1), profile("1g.5gb")), "never");
    assert.equal(seatPart(gpu("any", "L40S", 46_068), [], who(1), profile("1g.10gb")), "never");
    assert.equal(seatPart(gpu("mps"), [], who(1), profile("1g.10gb")), "never");
  });

  it("[P3] of the 49th MPS client is refused, however small", () => {
    const full = seated(
      gpu("mps"),
      Array.from({ length: mpsClientsMax }, () => [who(1), fraction(21)] as const),
    );
    assert.equal(seatPart(gpu("mps"), full, who(1), fraction(21)), "no-room");
    const sliced = full.map((each) => ({ ...each, mode: "timeslice" as const }));
    assert.ok(isSeat(seatPart(gpu("timeslice"), sliced, who(1), fraction(21))));
  });

  it("is not nothing: that is a bug of the caller", () => {
    assert.throws(() => seatPart(gpu("mps"), [], who(1), nothing), /compute, memory or a profile/);
  });
});

describe("sharing a GPU", () => {
  /** The answer to the second guest once the first is there. */
  const beside = (pool: PoolMode, first: Newcomer, second: Newcomer) => {
    const there = seated(gpu(pool), [[first, fraction(quarter)]]);
    const answer = seatPart(gpu(pool), there, second, fraction(quarter));
    return isSeat(answer) ? "shares" : answer;
  };

  it("[S3] is open to four trusted tenants of one H100 by MIG", () => {
    const asks = ["3g.40gb", "2g.20gb", "1g.10gb", "1g.10gb"].map(profile);
    assert.equal(
      seated(
        gpu("mig"),
        asks.map((ask, i) => [who(i + 1), ask] as const),
      ).length,
      4,
    );
  });

  it("[S3] by MPS and time slices is for one tenant or one trust group only", () => {
    for (const pool of ["mps", "timeslice"] as const) {
      assert.equal(beside(pool, who(1, "trusted", "ours"), who(2, "trusted", "ours")), "shares");
      assert.equal(beside(pool, who(1, "trusted", "ours"), who(2, "trusted", "theirs")), "isolation");
      assert.equal(beside(pool, who(1, "trusted", ""), who(2, "trusted", "")), "isolation");
      assert.equal(beside(pool, who(1, "trusted", "ours"), who(2, "untrusted", "ours")), "isolation");
      assert.equal(beside(pool, who(3, "untrusted"), who(3, "untrusted")), "shares");
    }
  });

  it("[S3] with an untrusted tenant is by MIG only, and if each allows the other", () => {
    const guest = (migWith: number[]) => who(9, "untrusted", "", migWith);
    const host = (migWith: number[]) => who(1, "trusted", "", migWith);
    assert.equal(beside("mig", host([9]), guest([1])), "shares");
    assert.equal(beside("mig", guest([1]), host([9])), "shares");
    assert.equal(beside("mig", host([]), guest([1])), "isolation");
    assert.equal(beside("mig", host([9]), guest([])), "isolation");
    assert.equal(beside("mps", host([9]), guest([1])), "isolation");
  });

  it("[S3] with a confidential tenant is for its own jobs only", () => {
    const secret = who(7, "confidential", "ours", [1]);
    const other = who(1, "trusted", "ours", [7]);
    for (const pool of ["mig", "mps", "timeslice"] as const) {
      assert.equal(beside(pool, secret, other), "isolation");
      assert.equal(beside(pool, other, secret), "isolation");
      assert.equal(beside(pool, secret, secret), "shares");
    }
  });

  it("[S3] is refused if one of several neighbours does not allow it", () => {
    const there = seated(gpu("mps"), [
      [who(1, "trusted", "ours"), fraction(quarter)],
      [who(2, "trusted", "ours"), fraction(quarter)],
    ]);
    const changed = [there[0]!, { ...there[1]!, group: "left" }];
    assert.equal(seatPart(gpu("mps"), changed, who(1, "trusted", "ours"), fraction(quarter)), "isolation");
  });

  it("is refused for lack of room before it is refused for the neighbours", () => {
    const full = seated(gpu("mps"), [[who(1), fraction(3 * quarter)]]);
    assert.equal(seatPart(gpu("mps"), full, who(2), fraction(2 * quarter)), "no-room");
  });
});

describe("a GPU over a long time", () => {
  it("[S2, S3] is never partitioned illegally, filled beyond its units or shared against the rules", () => {
    const roll = diceOf(20_261);
    const devices = [
      gpu("any"),
      gpu("mig"),
      gpu("mps"),
      gpu("timeslice"),
      gpu("any", "A30-24GB", 24_576),
      gpu("any", "L4", 23_034),
      gpu("mig", "RTX-PRO-6000-BLACKWELL-96GB", 97_887),
    ];
    const guests: Newcomer[] = [
      who(1, "trusted", "ours"),
      who(2, "trusted", "ours"),
      who(3, "trusted", "", [4]),
      who(4, "untrusted", "ours", [3, 5]),
      who(5, "untrusted", "", [4]),
      who(6, "confidential", "ours", [1, 2, 3, 4, 5]),
    ];
    const isolations = ["any", "mig", "mps", "timeslice"] as const;
    const seen = new Map<string, number>();
    for (const device of devices) {
      const model = migModelOf(device.model, device.memoryMiB);
      let occupants: Occupant[] = [];
      for (let step = 0; step < 3000; step++) {
        if (roll(3) === 0) occupants = occupants.toSpliced(roll(occupants.length + 1), 1);
        if (roll(50) === 0) occupants = [];
        const guest = guests[roll(guests.length)]!;
        const plain = fraction((1 + roll(20)) * 1050, { isolation: isolations[roll(4)]! });
        const ask =
          model !== undefined && roll(2) === 0 ? profile(model.profiles[roll(model.profiles.length)]!.name) : plain;
        const answer = seatPart(device, occupants, guest, ask);
        if (!isSeat(answer)) {
          seen.set(answer, (seen.get(answer) ?? 0) + 1);
          continue;
        }
        seen.set(answer.mode, (seen.get(answer.mode) ?? 0) + 1);
        occupants = [...occupants, sits(guest, answer)];
        check(occupants, device);
      }
    }
    for (const outcome of ["mig", "mps", "timeslice", "never", "no-room", "isolation"]) {
      assert.ok(seen.get(outcome)! > 100, `${outcome} happened only ${seen.get(outcome)} times`);
    }
  });

  function check(occupants: readonly Occupant[], device: PartDevice): void {
    const sum = (of: (each: Occupant) => number) => occupants.reduce((total, each) => total + of(each), 0);
    assert.ok(sum(({ compute }) => compute) <= unitsPerGpu && sum(({ memory }) => memory) <= unitsPerGpu);
    assert.equal(new Set(occupants.map(({ mode }) => mode)).size, 1);
    const tenants = new Set(occupants.map(({ tenant }) => tenant));
    if (tenants.size > 1) {
      assert.ok(!tenants.has(6), "the confidential tenant shares");
      const allowed =
        occupants[0]!.mode === "mig" ? [new Set([1, 2, 3]), new Set([3, 4]), new Set([4, 5])] : [new Set([1, 2])];
      assert.ok(
        allowed.some((set) => [...tenants].every((tenant) => set.has(tenant))),
        `${[...tenants]} share by ${occupants[0]!.mode}`,
      );
    }
    if (occupants[0]!.mode !== "mig") return;
    const model = migModelOf(device.model, device.memoryMiB)!;
    let use = uncut;
    for (const each of occupants) use = withInstance(model, use, model.profileByName.get(each.profile!)!, each.slot!);
  }
});
