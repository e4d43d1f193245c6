import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { minute, unitsPerGpu } from "@tessera/core/model";
import { usageOf } from "./amount.ts";
import { lostMs, play, settleClasses, victimsFor } from "./counts.ts";
import { judgeClaim, judgeRest, judgeStart } from "./judge.ts";
import { judgeLeft } from "./leave.ts";
import { isSameWish, nextOf } from "./order.ts";
import { notLent } from "./quota.ts";
import { hasRoom, leastSpread } from "./room.ts";
import { findClaim } from "./search.ts";
import { Sketch } from "./sketch.fixture.ts";
import { claimBasesOf, startable } from "./take.ts";
import { noAccount, optionsOf, type Wish, type World } from "./world.ts";

const bounds = { victimsMax: 6, setsMax: 10_000 };
const three = { a: { guarantee: 3 }, b: { guarantee: 3 }, c: { guarantee: 3 } };
const one = (gpus: number) => [{ name: "n", gpus }];

/** The names of the victims of a job's claim, or why there are none. */
function claims(world: World, wish: Wish): string[] | string {
  const found = findClaim(world, wish, bounds);
  return typeof found === "object" ? found.set.map((each) => each.job).sort() : found;
}

function usage(world: World): Record<string, number> {
  return Object.fromEntries(
    world.accounts.slice(1).map(({ path }, i) => [path, usageOf(world, i + 1)[0]! / unitsPerGpu]),
  );
}

function evictedOf(evicted: readonly { readonly job: string }[], group: string): number {
  return evicted.filter((each) => each.job.startsWith(`${group}.`)).length;
}

/** A start with the seats and the class that the oracle itself would give; it must have no faults. */
function startOf(sketch: Sketch, job: string, seats: { node: number; gpus: number[] }[], cover: number) {
  return { wish: sketch.wish(job), choice: 0, seats, cover, claimed: false };
}

describe("the oracle", () => {
  it("[T1] lets a guarantee reclaim one GPU from the account that borrows (scenario 01)", () => {
    const sketch = new Sketch(one(9), three).runs(
      { job: "a", account: "a", count: 3 },
      { job: "b", account: "b", count: 5 },
      { job: "c", account: "c" },
    );
    sketch.later(minute).waits({ job: "again", account: "c" });
    const played = play(sketch.world, "together");
    assert.deepEqual(usage(played.world), { a: 3, b: 4, c: 2 });
    assert.equal(evictedOf(played.evicted, "b"), 1);
    assert.notEqual(played.world.holdings.find((each) => each.job === "again")!.cover, noAccount);
  });

  it("[T2] gives a borrowing account its fair share (scenario 02)", () => {
    const sketch = new Sketch(one(9), three)
      .runs({ job: "a", account: "a", count: 3 }, { job: "b", account: "b", count: 5 }, { job: "c", account: "c" })
      .later(minute)
      .waits({ job: "more", account: "a" });
    assert.deepEqual(usage(play(sketch.world, "together").world), { a: 4, b: 4, c: 1 });
  });

  it("[T11] takes nothing from a side that already has the claimant's final share", () => {
    const claimsBeside = (memoryMiB: number) => {
      const sketch = new Sketch([{ name: "n", gpus: 4, memoryMiB: 8 }], { a: {}, b: {}, c: {} })
        .runs({ job: "large", account: "a", memoryMiB }, { job: "small", account: "a" })
        .runs({ job: "b", account: "b" }, { job: "c", account: "c" })
        .waits({ job: "more", account: "b" });
      return claims(sketch.world, sketch.wish("more"));
    };
    // Without its small job the side keeps its share: that of its memory.
    assert.equal(claimsBeside(4), "none");
    assert.deepEqual(claimsBeside(5), ["small"]);
  });

  it("[C2] takes no job inside a guarantee (scenario 03)", () => {
    const sketch = new Sketch(one(9), three)
      .runs(
        { job: "a", account: "a", count: 3 },
        { job: "b", account: "b", count: 3 },
        { job: "c", account: "c", count: 3 },
      )
      .waits({ job: "more", account: "c" });
    assert.equal(claims(sketch.world, sketch.wish("more")), "none");
    assert.deepEqual(play(sketch.world, "together").evicted, []);
    const taken = {
      wish: sketch.wish("more"),
      choice: 0,
      seats: [{ node: 0, gpus: [0] }],
      victims: sketch.held("a.1"),
    };
    assert.deepEqual(
      judgeClaim(sketch.world, taken, bounds).map((fault) => fault.kind),
      ["floor"],
    );
  });

  it("[T2] does not reverse an imbalance (scenario 04)", () => {
    const sketch = new Sketch(one(9), three)
      .runs({ job: "a", account: "a", count: 3 }, { job: "b", account: "b", count: 5 })
      .waits({ job: "pair", account: "a", gpus: 2 });
    assert.equal(claims(sketch.world, sketch.wish("pair")), "none");
    const seats = [{ node: 0, gpus: [7, 8] }];
    const taken = { wish: sketch.wish("pair"), choice: 0, seats, victims: sketch.held("b.5") };
    const [fault] = judgeClaim(sketch.world, taken, bounds);
    assert.match(fault!.what, /\[T2\]/);
  });

  it("[T5] spares a victim that the claim does not need (scenario 05)", () => {
    const sketch = new Sketch(one(6), { q: { guarantee: 6 } })
      .runs(
        { job: "low", account: "q", priority: -1 },
        { job: "mid", account: "q", gpus: 2 },
        { job: "high", account: "q", gpus: 3, priority: 1 },
      )
      .waits({ job: "claim", account: "q", gpus: 2, priority: 1 });
    assert.deepEqual(claims(sketch.world, sketch.wish("claim")), ["mid"]);
    const judged = (...victims: string[]) =>
      judgeClaim(
        sketch.world,
        { wish: sketch.wish("claim"), choice: 0, seats: [{ node: 0, gpus: [1, 2] }], victims: sketch.held(...victims) },
        bounds,
      );
    assert.deepEqual(judged("mid"), []);
    assert.match(judged("low", "mid")[0]!.what, /\[T5\] claim needs only \{mid\}/);
    assert.equal(judged("low")[0]!.kind, "capacity");
  });

  it("[P1] takes a gang whole (scenario 06)", () => {
    const nodes = [
      { name: "n0", gpus: 8 },
      { name: "n1", gpus: 8 },
    ];
    const sketch = new Sketch(nodes, { a: { guarantee: 8 }, b: {} })
      .runs({ job: "gang", account: "b", gpus: 8, members: 2, apart: true })
      .waits({ job: "mine", account: "a", gpus: 4 });
    assert.deepEqual(claims(sketch.world, sketch.wish("mine")), ["gang"]);
  });

  it("[T6] takes no job for a claimant that no node can hold (scenario 07)", () => {
    const nodes = [
      { name: "n0", gpus: 5 },
      { name: "n1", gpus: 5 },
    ];
    const sketch = new Sketch(nodes, { one: { guarantee: 4 }, two: { guarantee: 6 } })
      .runs({ job: "small", account: "one", count: 10 })
      .waits({ job: "wide", account: "two", gpus: 6 });
    assert.equal(claims(sketch.world, sketch.wish("wide")), "none");
  });

  it("[P2] counts the room of one rack, not of the fleet (scenario 08)", () => {
    const nodes = [
      { name: "m0", gpus: 4, rack: "r1" },
      { name: "n0", gpus: 4, rack: "r2" },
    ];
    const sketch = new Sketch(nodes, { q: { guarantee: 8 } })
      .runs({ job: "first", account: "q", gpus: 3, on: ["m0"] }, { job: "second", account: "q", gpus: 3, on: ["n0"] })
      .waits({ job: "gang", account: "q", members: 2, within: "rack" }, { job: "any", account: "q", members: 2 });
    assert.equal(startable(sketch.world, sketch.wish("gang")), undefined);
    assert.notEqual(startable(sketch.world, sketch.wish("any")), undefined);
    assert.deepEqual(
      judgeRest(sketch.world, bounds).map((fault) => fault.what),
      ["[O4] any waits and could start"],
    );
  });

  it("[P2] finds the least spread of a gang", () => {
    const nodes = [
      { name: "n0", gpus: 2, rack: "r1" },
      { name: "n1", gpus: 2, rack: "r2" },
      { name: "n2", gpus: 2, rack: "r2" },
    ];
    const sketch = new Sketch(nodes, { q: { guarantee: 6 } }).waits({ job: "gang", account: "q", members: 4 });
    const wish = sketch.wish("gang");
    assert.deepEqual(leastSpread(sketch.world, wish, optionsOf(sketch.world, wish)[0]!), [1, 1, 1, 1, 2, 2]);
    const seats = (second: number) =>
      [1, second].flatMap((node) => [0, 1].map((i) => ({ node, gpus: [node * 2 + i] })));
    const cover = sketch.account("q");
    assert.deepEqual(judgeStart(sketch.world, startOf(sketch, "gang", seats(2), cover), bounds), []);
    assert.match(judgeStart(sketch.world, startOf(sketch, "gang", seats(0), cover), bounds)[0]!.what, /\[P2\]/);
  });

  it("[C5] keeps unlent guarantees free (scenario 10)", () => {
    const sketch = new Sketch(one(15), { lender: { guarantee: 10, lendable: 3 }, borrower: { guarantee: 5 } })
      .runs({ job: "own", account: "borrower", gpus: 5 })
      .waits({ job: "four", account: "borrower", gpus: 4 }, { job: "three", account: "borrower", gpus: 3 });
    assert.equal(notLent(sketch.world, sketch.account("borrower")), 7 * unitsPerGpu);
    assert.equal(notLent(sketch.world, sketch.account("lender")), 0);
    assert.equal(startable(sketch.world, sketch.wish("four")), undefined);
    assert.notEqual(startable(sketch.world, sketch.wish("three")), undefined);
  });

  it("[C5] keeps the larger of an account's own unlent part and its children's", () => {
    const lab = { guarantee: 8, lendable: 6 };
    const tree = { lab, "lab/x": { guarantee: 4, lendable: 1 }, "lab/y": { guarantee: 4, lendable: 2 }, out: {} };
    const sketch = new Sketch(one(9), tree);
    assert.equal(notLent(sketch.world, sketch.account("out")), 5 * unitsPerGpu);
    assert.equal(notLent(sketch.world, sketch.account("lab/x")), 2 * unitsPerGpu);
  });

  it("[C4] lets a job that is not preemptible neither borrow nor be taken (scenario 11)", () => {
    const sketch = new Sketch(one(10), { q0: {}, q1: { guarantee: 2 } })
      .runs({ job: "lent", account: "q0", gpus: 10 })
      .waits({ job: "fixed", account: "q1", members: 2, gpus: 2, preemptible: false });
    assert.equal(claims(sketch.world, sketch.wish("fixed")), "none");
    const kept = new Sketch(one(2), { q0: {}, q1: { guarantee: 2 } })
      .runs({ job: "kept", account: "q0", gpus: 2, preemptible: false })
      .waits({ job: "owner", account: "q1", gpus: 1 });
    assert.equal(claims(kept.world, kept.wish("owner")), "none");
  });

  it("[T5] shrinks an elastic job instead of evicting it (scenario 12)", () => {
    const sketch = new Sketch(one(2), { q0: { guarantee: 1 }, q1: { guarantee: 1 } })
      .runs({ job: "stretchy", account: "q0" }, { job: "second", account: "q0" })
      .waits({ job: "other", account: "q1" });
    const [least, more] = sketch.held("stretchy", "second");
    sketch.set({ holdings: [least!, { ...more!, job: "stretchy", extra: true }] });
    const found = findClaim(sketch.world, sketch.wish("other"), bounds);
    assert.deepEqual(typeof found === "object" && found.set.map((each) => each.extra), [true]);
  });

  it("[T2] brings equal accounts to equal shares without a needless eviction (scenario 13)", () => {
    const sketch = new Sketch(one(32), { a: {}, b: {}, c: {} }).waits({ job: "a", account: "a", count: 32 });
    const more = (world: World, ...jobs: Parameters<Sketch["waits"]>) =>
      play(sketch.set({ ...world, now: world.now + minute }).waits(...jobs).world, "together");
    const first = play(sketch.world, "together");
    const second = more(first.world, { job: "b", account: "b", count: 32 });
    assert.deepEqual(usage(second.world), { a: 16, b: 16, c: 0 });
    assert.equal(evictedOf(second.evicted, "a"), 16);
    const third = more(second.world, { job: "c", account: "c", count: 10 });
    assert.deepEqual(usage(third.world), { a: 11, b: 11, c: 10 });
    assert.deepEqual([evictedOf(third.evicted, "a"), evictedOf(third.evicted, "b")], [5, 5]);
    const late = (account: string) => ({ job: `${account}-late`, account });
    assert.deepEqual(more(third.world, late("a"), late("b"), late("c")).evicted, []);
  });

  it("[T1] takes from each borrower only what it borrowed (scenario 14)", () => {
    const sketch = new Sketch(one(64), { a: { guarantee: 32 }, b: { guarantee: 16 }, c: { guarantee: 16 } })
      .runs(
        { job: "a", account: "a", count: 16 },
        { job: "b", account: "b", count: 24 },
        { job: "c", account: "c", count: 24 },
      )
      .later(minute)
      .waits({ job: "back", account: "a", count: 16 });
    const played = play(sketch.world, "together");
    assert.deepEqual(usage(played.world), { a: 32, b: 16, c: 16 });
    assert.deepEqual([evictedOf(played.evicted, "b"), evictedOf(played.evicted, "c")], [8, 8]);
  });

  it("[T2] comes to rest if the sizes of jobs allow no equal shares (scenario 15)", () => {
    const sketch = new Sketch(one(7), { a: { guarantee: 3 }, b: { guarantee: 4 } })
      .runs(
        { job: "b1", account: "b", gpus: 3 },
        { job: "b2", account: "b", gpus: 3 },
        { job: "b3", account: "b", gpus: 1 },
      )
      .waits({ job: "x", account: "a", gpus: 4 });
    assert.equal(claims(sketch.world, sketch.wish("x")), "none");
  });

  it("[T1] does not let a large victim take its seats back (scenario 16)", () => {
    const sketch = new Sketch(one(8), { q1: { guarantee: 3 }, q2: { guarantee: 5 } })
      .runs({ job: "lump", account: "q1", gpus: 4 }, { job: "one", account: "q2" })
      .waits({ job: "four", account: "q2", gpus: 4 });
    assert.deepEqual(claims(sketch.world, sketch.wish("four")), ["lump"]);
    const after = new Sketch(one(8), { q1: { guarantee: 3 }, q2: { guarantee: 5 } })
      .runs({ job: "one", account: "q2" }, { job: "four", account: "q2", gpus: 4 })
      .waits({ job: "lump", account: "q1", gpus: 4 });
    assert.equal(claims(after.world, after.wish("lump")), "none");
  });

  it("[T2] gives weight 2 twice the surplus of weight 1 (scenario 17)", () => {
    const sketch = new Sketch(one(9), { a: { guarantee: 3, weight: 2 }, b: { guarantee: 3 }, c: { guarantee: 3 } })
      .runs({ job: "a", account: "a", count: 3 }, { job: "b", account: "b", count: 6 })
      .waits({ job: "pair", account: "a", gpus: 2 });
    const found = claims(sketch.world, sketch.wish("pair"));
    assert.equal(typeof found === "object" && found.filter((job) => job.startsWith("b.")).length, 2);
  });

  it("[T4] takes borrowed work of others before its own account's, whatever the priority (scenario 18)", () => {
    const sketch = new Sketch(one(2), { org: { guarantee: 2 }, "org/q": {}, other: {} })
      .runs({ job: "own-low", account: "org/q", priority: -2 }, { job: "borrowed-high", account: "other", priority: 1 })
      .waits({ job: "claim", account: "org/q" });
    assert.deepEqual(
      victimsFor(sketch.world, sketch.wish("claim")).map((each) => each.job),
      ["borrowed-high"],
    );
  });

  it("[O2] equalises dominant shares over GPUs and memory (scenario 23)", () => {
    const nodes = [{ name: "n", gpus: 9, memoryMiB: 18 * 1024 }];
    const sketch = new Sketch(nodes, { a: {}, b: {} }).waits(
      { job: "a", account: "a", memoryMiB: 4 * 1024, count: 10 },
      { job: "b", account: "b", gpus: 3, memoryMiB: 1024, count: 10 },
    );
    const order: string[] = [];
    for (let next = nextOf(sketch.world, sketch.world.wishes); next !== undefined; ) {
      const { wishes } = sketch.world;
      const wish = next;
      if (hasRoom(sketch.world, wish, optionsOf(sketch.world, wish)[0]!)) {
        order.push(world(wish));
        sketch.set({ wishes: wishes.filter((each) => each !== wish) });
        const { asks, memoryMiB, job } = wish;
        sketch.runs({ job, account: world(wish), gpus: asks[0]!.gpus, memoryMiB });
      } else {
        sketch.set({ wishes: wishes.filter((each) => each.account !== wish.account) });
      }
      next = nextOf(sketch.world, sketch.world.wishes);
    }
    function world({ account }: Wish): string {
      return sketch.world.accounts[account]!.path;
    }
    assert.deepEqual(order.sort(), ["a", "a", "a", "b", "b"]);
  });

  it("[C3] promotes a job that is within a guarantee again; the youngest of the lowest priority falls first", () => {
    const sketch = new Sketch(one(6), { p: { guarantee: 4 }, "p/x": { guarantee: 2 } }).runs(
      { job: "x", account: "p/x", count: 3 },
      { job: "old", account: "p" },
      { job: "more", account: "p" },
    );
    const covers = (at: World) =>
      Object.fromEntries(at.holdings.map(({ job, cover }) => [job, at.accounts[cover]?.path ?? "-"]));
    assert.deepEqual(covers(sketch.world), { "x.1": "p/x", "x.2": "p/x", "x.3": "p", old: "p", more: "-" });
    const ended = { ...sketch.world, holdings: sketch.world.holdings.filter((each) => each.job !== "old") };
    assert.equal(judgeRest(ended, bounds).length, 1);
    assert.equal(covers(settleClasses(ended)).more, "p");
    const quota = { guarantee: { "*": 3 * unitsPerGpu }, weight: 1 };
    const lowered = sketch.world.accounts.map((each) => (each.path === "p" ? { ...each, quota } : each));
    assert.deepEqual(covers(settleClasses({ ...sketch.world, accounts: lowered })), {
      ...{ "x.1": "p/x", "x.2": "p/x", "x.3": "p" },
      ...{ old: "-", more: "-" },
    });
  });

  it("[T5] never takes a subtree below its guarantee through a child without one", () => {
    const tree = { own: { guarantee: 3 }, b: { guarantee: 4 }, "b/x": {}, "b/y": {} };
    const sketch = new Sketch(one(6), tree)
      .runs(
        { job: "kept", account: "b/x", gpus: 2 },
        { job: "one", account: "b/x" },
        { job: "two", account: "b/y", gpus: 2 },
      )
      .waits({ job: "claim", account: "own", gpus: 3 });
    const burst = sketch.world.holdings.map((each) => (each.job === "kept" ? each : { ...each, cover: noAccount }));
    sketch.set({ holdings: burst });
    const wish = sketch.wish("claim");
    const [basis] = claimBasesOf(sketch.world, wish, optionsOf(sketch.world, wish)[0]!);
    assert.deepEqual([...basis!.by.values()], ["T1", "T1"]);
    assert.deepEqual(claims(sketch.world, wish), ["two"]);
  });

  it("[O1, O3] puts a covered job before one that would borrow, but not before the first of its own account", () => {
    const sketch = new Sketch(one(3), { a: {}, b: { guarantee: 1 } }).waits(
      { job: "borrows", account: "a" },
      { job: "wide", account: "b", gpus: 2 },
      { job: "owns", account: "b" },
    );
    assert.equal(nextOf(sketch.world, sketch.world.wishes)!.job, "borrows");
    sketch.set({ wishes: sketch.world.wishes.filter((wish) => wish.job !== "wide") });
    assert.equal(nextOf(sketch.world, sketch.world.wishes)!.job, "owns");
  });

  it("[O3, O4] tries a profile and a fraction of the same size separately", () => {
    const wish = new Sketch(one(1), { a: {} }).waits({ job: "a", account: "a" }).wish("a");
    const part = { ...wish.asks[0]!, part: "mig", profile: "4g.40gb" } as const;
    const profile = { ...wish, asks: [part] };
    assert.ok(isSameWish(profile, { ...profile, job: "b", no: 9 }));
    assert.ok(!isSameWish(profile, { ...wish, asks: [{ ...part, isFraction: true }] }));
  });

  it("[T8] protects a job that has just started from T2, not from a reclaim", () => {
    const sketch = new Sketch(one(2), { a: { guarantee: 1 }, b: {}, c: {} })
      .runs({ job: "b", account: "b", count: 2 })
      .set({ minRuntimeMs: minute })
      .waits({ job: "owner", account: "a" }, { job: "fair", account: "c" });
    assert.equal(claims(sketch.world, sketch.wish("fair")), "none");
    assert.notEqual(claims(sketch.world, sketch.wish("owner")), "none");
    assert.notEqual(claims(sketch.later(minute).world, sketch.wish("fair")), "none");
  });

  it("[B2, T3] lets a job start beside a plan that can take it back by priority, and not beside another", () => {
    const faultsWith = (priority: number) => {
      const sketch = new Sketch(one(4), { owner: { guarantee: 2, lendable: 1 }, planned: {}, other: {} })
        .runs({ job: "owner", account: "owner", gpus: 2 }, { job: "low", account: "planned", priority })
        .waits({ job: "high", account: "planned", gpus: 2 }, { job: "other", account: "other" });
      const { now, holdings } = sketch.world;
      const endsAt = now + minute;
      // When the owner's job ends, one of its two GPUs is not lent: of the other three the plan needs two.
      sketch.set({
        holdings: holdings.map((each) => (each.job === "owner" ? { ...each, endsAt } : each)),
        planned: [{ no: sketch.wish("high").no, at: endsAt }],
      });
      return judgeStart(sketch.world, startOf(sketch, "other", [{ node: 0, gpus: [3] }], noAccount), bounds);
    };
    assert.deepEqual(faultsWith(-1), []);
    assert.deepEqual(
      faultsWith(0).map(({ what }) => what.slice(0, 4)),
      ["[B2]"],
    );
  });

  it("[T5] counts the work lost since the last checkpoint", () => {
    const [held] = new Sketch(one(1), { a: {} }).runs({ job: "a", account: "a", since: 1_000 }).held("a");
    assert.equal(lostMs(held!, 31_000), 30_000);
    assert.equal(lostMs({ ...held!, checkpointMs: 20_000 }, 31_000), 10_000);
    assert.equal(lostMs({ ...held!, startedAt: 0 }, 31_000), 0);
  });
});

it("[L1] finds a job that was asked to leave and ended as if it had not been", () => {
  const left = { job: "a", asked: true, done: false, outcome: "succeeded" };
  assert.equal(judgeLeft(left).length, 1);
  assert.equal(judgeLeft({ ...left, done: true, outcome: undefined }).length, 1);
  assert.deepEqual(judgeLeft({ ...left, outcome: undefined }), []);
  assert.deepEqual(judgeLeft({ ...left, outcome: "preempted" }), []);
  assert.deepEqual(judgeLeft({ ...left, done: true }), []);
  assert.deepEqual(judgeLeft({ ...left, asked: false }), []);
});
