import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { durationText, type UserId } from "@tessera/core";
import { Factors } from "../../access/factors.ts";
import { People } from "../../access/people.ts";
import { SessionNotes } from "../../access/session-notes.ts";
import { TestControl } from "../../testing/control.ts";
import { eraseUser } from "../people/access.ts";
import { verify } from "../project/verify.ts";
import { difference } from "./change.ts";
import { type Notice, Notices, usualNoticeLimits } from "./notices.ts";
import { addressesOf } from "./origins.ts";

const ana = "usr_ana" as UserId;
const base: Notice = { kind: "job.logs", account: "lab", target: "job_1", outcome: "refused", detail: "forbidden" };
const all = { accounts: [], limit: 1_000 };

async function begin(limits: Partial<typeof usualNoticeLimits> = {}) {
  const control = await TestControl.start();
  const notices = new Notices(control, { ...usualNoticeLimits, flushEveryMs: 3_600_000, ...limits });
  const written = async () => (await control.reader.audit(all)).filter((row) => row.count !== undefined);
  return { control, notices, written };
}

describe("notices", () => {
  it("count a flood in one row, which says whose and from where", async () => {
    const { control, notices, written } = await begin();
    for (let i = 0; i < 5_000; i++) notices.add({ ...base, user: ana, address: "::ffff:10.0.0.9" });
    await notices.flush();
    const [row, ...more] = await written();
    assert.equal(more.length, 0);
    assert.deepEqual([row?.count, row?.actor, row?.account, row?.target], [5_000, ana, "lab", "job_1"]);
    assert.equal((await addressesOf(control.reader, [row!.origin!])).get(row!.origin!), "10.0.0.9");
    for (let i = 0; i < 7; i++) notices.add({ ...base, user: ana, address: "10.0.0.9" });
    await notices.flush();
    assert.equal((await written()).length, 1, "within the minute it is only counted");
    await notices.close();
    assert.deepEqual((await written()).map(({ count }) => count).sort(), [5_000, 7]);
    assert.equal((await verify(control.reader)).sound, true);
  });

  it("of one source are kept up to a limit, and the rest is one counted row", async () => {
    const { notices, written } = await begin({ perSourceMax: 3 });
    for (let i = 0; i < 50; i++) notices.add({ ...base, user: ana, target: `job_${i}` });
    for (let i = 0; i < 30; i++) notices.add({ ...base, address: `2001:db8:1:2::${i}` });
    await notices.close();
    const rows = await written();
    assert.equal(rows.length, 8);
    assert.equal(
      rows.reduce((sum, { count = 0 }) => sum + count, 0),
      80,
    );
    assert.deepEqual(
      rows.filter(({ target }) => target === "").map(({ actor, count }) => [actor, count]),
      [
        ["stranger", 27],
        [ana, 47],
      ],
    );
  });

  it("are dropped and counted while nothing can be written", async () => {
    const { control, notices, written } = await begin();
    control.outage = "the disk is full";
    for (let i = 0; i < 4; i++) notices.add(base);
    await notices.flush();
    control.outage = undefined;
    notices.add({ ...base, target: "job_2" });
    await notices.close();
    const dropped = (await written()).find(({ action }) => action === "audit.dropped");
    assert.equal(dropped?.count, 4);
  });

  it("lose the address with the person, and the chain stays whole", async () => {
    const { control, notices, written } = await begin();
    await control.must({ kind: "user.create", user: ana });
    notices.add({ ...base, kind: "session.fail", about: ana, target: ana, address: "2001:db8::7" });
    notices.add({ ...base, user: ana, address: "10.0.0.9" });
    await notices.flush();
    const origins = (await written()).map(({ origin = "" }) => origin);
    assert.equal((await addressesOf(control.reader, origins)).size, 2);
    const people = await People.load(control.reader, control.state);
    const factors = new Factors();
    await eraseUser(
      control,
      { people, factors, sessionNotes: new SessionNotes(() => {}) },
      { actor: { user: "system" }, request: "r" },
      control.state.users.get(ana)!,
    );
    assert.equal((await addressesOf(control.reader, origins)).size, 0);
    assert.equal((await verify(control.reader)).sound, true);
    await notices.close();
  });
});

describe("before and after", () => {
  it("names each field that differs, and is bounded", () => {
    const between = (before: unknown, after: unknown) => difference(before, after, "EUR");
    assert.equal(between({ a: 1, b: { c: "x" } }, { a: 2, b: { c: "x" }, d: [3] }), "a: 1 → 2; d.0: none → 3");
    const long = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, "v".repeat(500)]));
    assert.ok(between({}, long).length <= 1_000);
  });

  it("is told in GPUs, money and durations, whatever the journal counts in", () => {
    const before = {
      quota: { guarantee: { H100: 504_000 } },
      limitMicros: 1_500_000n,
      limits: { runMsMax: 3_600_000 },
    };
    const after = { quota: { guarantee: { H100: 21_000 } }, limitMicros: 2_000_000n, limits: {} };
    assert.equal(
      difference(before, after, "EUR"),
      "limitMicros: 1.50 EUR → 2.00 EUR; limits.runMsMax: 1h → none; quota.guarantee.H100: 24 GPUs → 1 GPU",
    );
  });

  it("is kept with a command that changes the policy", async () => {
    const control = await TestControl.start();
    const { policy } = control.state;
    const before = policy.graceMs;
    await control.must({ kind: "policy.set", policy: { ...policy, graceMs: before + 5 } });
    const [row] = await control.reader.audit({ ...all, action: "policy.set" });
    assert.equal(row?.detail, `graceMs: ${durationText(before)} → ${durationText(before + 5)}`);
    assert.equal((await verify(control.reader)).sound, true);
  });
});
