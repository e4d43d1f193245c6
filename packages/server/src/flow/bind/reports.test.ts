import assert from "node:assert/strict";
import { it } from "node:test";
import { type LeaseId, type Refusal, type Report, refuse } from "@tessera/core";
import type { Done } from "../control.ts";
import { Reports } from "./reports.ts";

const reportOf = (lease: string, sequence: number): Report => ({
  ...{ lease: lease as LeaseId, sequence, bootId: "boot", at: 0 },
  what: { kind: "started" },
});
const done: Done = { repeated: false, at: 0 };
const full = refuse("no-space", "", null, "full", "");

it("reports are repeated while the disk is full, and those of a lease stay in their order", async () => {
  const taken: string[] = [];
  let room = false;
  let sleeps = 0;
  const put = async ({ lease, sequence }: Report): Promise<Done | Refusal> => {
    if (!room) return full;
    taken.push(`${lease} ${sequence}`);
    return done;
  };
  const reports = new Reports(put, async () => {
    room = ++sleeps > 3;
  });
  const all = await Promise.all(
    [reportOf("a", 1), reportOf("a", 2), reportOf("b", 1)].map((each) => reports.put(each)),
  );
  assert.deepEqual(all, [done, done, done]);
  assert.deepEqual(
    taken.filter((each) => each.startsWith("a")),
    ["a 1", "a 2"],
  );
  assert.ok(taken.includes("b 1"));
});

it("a report that is refused for another reason, or fails, does not hold up the next", async () => {
  const refusal = refuse("invalid", "", null, "bad", "");
  const answers = [async () => refusal, () => Promise.reject(new Error("stopped")), async () => done];
  const reports = new Reports(
    () => answers.shift()!(),
    async () => {},
  );
  const [first, second, third] = [1, 2, 3].map((sequence) => reports.put(reportOf("a", sequence)));
  assert.equal(await first, refusal);
  await assert.rejects(second!, /stopped/);
  assert.equal(await third, done);
});
