import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, it } from "node:test";
import { type JobId, leaseIdOf } from "@tessera/core";
import type { Pod } from "../api/types.ts";
import { Gangs } from "./gangs.ts";
import { MemberRecord } from "./record.ts";
import { Records } from "./records.ts";
import { LeaseStore } from "./store.ts";

const dir = mkdtempSync(join(tmpdir(), "tessera-gangs-"));
after(() => rmSync(dir, { recursive: true, force: true }));

const podOf = (status: Pod["status"] = {}): Pod => ({ metadata: { name: "p" }, spec: { containers: [] }, status });
const memberOf = (rank: number) => new MemberRecord(leaseIdOf("job_a" as JobId, 1, rank), podOf());

it("a gang meets at the address of rank 0: it is waited for until it is known, and lost with rank 0", () => {
  const records = new Records(new LeaseStore(join(dir, "leases.jsonl")));
  const gangs = new Gangs(records);
  const second = memberOf(1);
  const third = memberOf(2);
  assert.equal(gangs.meetingOf(second).kind, "lost");
  const first = records.add(memberOf(0));
  assert.deepEqual(gangs.meetingOf(first), { kind: "known" });
  for (const member of [second, third]) assert.equal(gangs.meetingOf(member).kind, "awaited");
  assert.deepEqual([...gangs.metAt(first)], []);
  first.pod = podOf({ podIP: "10.0.0.7" });
  assert.deepEqual([...gangs.metAt(first)], [second.lease, third.lease]);
  assert.deepEqual([...gangs.metAt(first)], [], "they are let go once");
  assert.deepEqual(gangs.meetingOf(third), { kind: "known", master: "10.0.0.7" });
  first.ended = true;
  assert.equal(gangs.meetingOf(third).kind, "known", "its pod still has the address");
  first.pod = undefined;
  assert.equal(gangs.meetingOf(third).kind, "lost");
});
