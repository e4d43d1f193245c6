import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { type JobId, leaseIdOf, type Report } from "@tessera/core";
import { systemClock } from "@tessera/engine";
import type { Pod } from "../api/types.ts";
import { annotation, memberContainer } from "../names.ts";
import { MemberRecord } from "./record.ts";
import { Records } from "./records.ts";
import { Reports } from "./reports.ts";
import { LeaseStore } from "./store.ts";

const dir = mkdtempSync(join(tmpdir(), "tessera-reports-"));
after(() => rmSync(dir, { recursive: true, force: true }));

const leaseOf = (rank: number) => leaseIdOf("job_a" as JobId, 1, rank);

function podOf(): Pod {
  const running = { startedAt: "2026-01-01T00:00:05Z" };
  return {
    metadata: {
      name: "p",
      namespace: "ns",
      uid: "u",
      creationTimestamp: "2026-01-01T00:00:00Z",
      annotations: { [annotation.runMsMax]: "60000", [annotation.boot]: "b1" },
    },
    spec: { containers: [] },
    status: { containerStatuses: [{ name: memberContainer, state: { running } }] },
  };
}

/** The reports of one process, which finds what those before it wrote. */
function processAt(path: string) {
  const store = new LeaseStore(path);
  const records = new Records(store);
  const reports = new Reports(store, systemClock);
  const told: Report[] = [];
  reports.subscribe((report) => told.push(report), []);
  return { store, records, reports, told };
}

describe("what is told of a member", () => {
  it("is told again by a later process as it was, with its limit and its end", () => {
    const path = join(dir, "again.jsonl");
    const first = processAt(path);
    const record = first.records.add(new MemberRecord(leaseOf(0), podOf()));
    first.reports.progress(record, podOf());
    first.reports.progress(record, podOf());
    first.reports.overran(record, podOf());
    first.reports.end(record, { kind: "exited", ran: true, code: 143 });
    first.reports.end(record, { kind: "lost", reason: "told too late" });
    assert.deepEqual(
      first.told.map(({ sequence, what }) => [sequence, what.kind]),
      [
        [1, "prepared"],
        [2, "started"],
        [3, "stopping"],
        [4, "exited"],
      ],
    );
    const second = processAt(path);
    const { end } = second.store.get(leaseOf(0))!;
    second.reports.endedBefore(new MemberRecord(leaseOf(0), podOf()), podOf(), end!);
    assert.deepEqual(second.told, first.told);
  });

  it("is left out once it is acknowledged, unless everything is asked for again", () => {
    const { records, reports, told } = processAt(join(dir, "acknowledged.jsonl"));
    const record = records.add(new MemberRecord(leaseOf(0), podOf()));
    reports.progress(record, podOf());
    assert.equal(reports.acknowledge(record, 1), true);
    assert.equal(reports.acknowledge(record, 1), false);
    told.length = 0;
    reports.tell(record, 0);
    assert.deepEqual(
      told.map(({ sequence }) => sequence),
      [2],
    );
    reports.repeat(record);
    assert.deepEqual(
      told.map(({ sequence }) => sequence),
      [2, 1, 2],
    );
  });

  it("is its end alone where its pod is gone, and such a lease is known without being listed [S34]", () => {
    const path = join(dir, "podless.jsonl");
    const first = processAt(path);
    first.reports.end(first.records.add(new MemberRecord(leaseOf(0))), { kind: "lost", reason: "gone" }, 1_000);
    const acknowledged = first.records.add(new MemberRecord(leaseOf(1)));
    first.reports.end(acknowledged, { kind: "lost", reason: "gone" }, 1_000);
    first.reports.acknowledge(acknowledged, 1);
    const { records } = processAt(path);
    assert.deepEqual(
      [...records.recallEnds()].map(({ lease }) => lease),
      [leaseOf(0)],
    );
    assert.equal(records.has(leaseOf(1)), false);
    assert.equal(records.known(leaseOf(1))?.ended, true);
    assert.equal(records.known(leaseOf(2)), undefined);
  });
});
