import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccountNo } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { diceOf } from "../testing/dice.ts";
import { JobsUnder } from "./jobs-under.ts";
import { noSlot, SlotPool } from "./slots.ts";

describe("jobs under a number", () => {
  it("stay in the order of arrival after deletions", () => {
    const slots = new SlotPool();
    const jobs = new JobsUnder<AccountNo>();
    const standing = new Map<number, Set<Job>>();
    const roll = diceOf(7);
    const live: [AccountNo, Job][] = [];
    for (let step = 0; step < 5_000; step++) {
      if (live.length === 0 || roll(100) < 52) {
        const [account, job] = [roll(5) as AccountNo, { slot: slots.take() } as Job];
        live.push([account, job]);
        jobs.add(account, job);
        standing.set(account, (standing.get(account) ?? new Set()).add(job));
      } else {
        const [[account, job]] = live.splice(roll(live.length), 1) as [[AccountNo, Job]];
        jobs.delete(account, job);
        slots.give(job.slot);
        standing.get(account)!.delete(job);
      }
      const account = roll(5) as AccountNo;
      const expected = [...(standing.get(account) ?? [])];
      assert.deepEqual([...jobs.of(account)], expected);
      assert.equal(jobs.has(account), expected.length > 0);
    }
    assert.equal([...jobs.values()].length, live.length);
  });

  it("are not deleted from a number they are not under", () => {
    const jobs = new JobsUnder<AccountNo>();
    const [a, b] = [{ slot: 0 } as Job, { slot: 1 } as Job];
    jobs.add(1 as AccountNo, a);
    jobs.delete(1 as AccountNo, b);
    jobs.delete(2 as AccountNo, a);
    assert.deepEqual(
      [...jobs.entries()].map(([account, under]) => [account, [...under]]),
      [[1, [a]]],
    );
  });

  it("must be live", () => {
    assert.throws(() => new JobsUnder<AccountNo>().add(1 as AccountNo, { slot: noSlot } as Job), /is not live/);
  });
});
