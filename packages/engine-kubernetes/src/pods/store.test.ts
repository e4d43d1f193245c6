import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { LeaseId, Report } from "@tessera/core";
import { LeaseStore } from "./store.ts";

const dir = mkdtempSync(join(tmpdir(), "tessera-leases-"));
after(() => rmSync(dir, { recursive: true, force: true }));
let files = 0;

const newPath = () => join(dir, String(files++), "leases.jsonl");
const [a, b, c] = ["job_a-1-0", "job_b-1-0", "job_c-1-0"] as LeaseId[] as [LeaseId, LeaseId, LeaseId];

function endOf(lease: LeaseId, sequence: number): Report {
  return { lease, sequence, bootId: "b1", at: 1_000, what: { kind: "exited", ran: true, code: 0 } };
}

/** What one process wrote, and left without closing it: everything must be in the file by then. */
function written(path: string, write: (store: LeaseStore) => void): void {
  write(new LeaseStore(path));
}

describe("what is remembered of leases", () => {
  it("is there for the next process: how they ended, and what was acknowledged", () => {
    const path = newPath();
    written(path, (store) => {
      store.acknowledge(a, 2);
      store.end(a, endOf(a, 3));
      store.end(b, endOf(b, 3));
      store.acknowledge(b, 3);
    });
    const store = new LeaseStore(path);
    assert.deepEqual(store.get(a), { acknowledged: 2, end: endOf(a, 3) });
    assert.deepEqual([...store.open()], [[a, endOf(a, 3)]]);
    assert.equal(store.get(c), undefined);
    store.close();
  });

  it("keeps the highest acknowledgement, whatever comes later", () => {
    const store = new LeaseStore(newPath());
    store.acknowledge(a, 3);
    store.acknowledge(a, 1);
    assert.equal(store.get(a)?.acknowledged, 3);
    store.close();
  });

  it("survives a last line that was cut off at any place, and what is written after that is read again", () => {
    const path = newPath();
    written(path, (store) => store.end(a, endOf(a, 3)));
    const before = readFileSync(path);
    const line = Buffer.from(`${JSON.stringify({ l: b, e: endOf(b, 3) })}\n`);
    for (let bytes = 0; bytes < line.length - 1; bytes++) {
      writeFileSync(path, Buffer.concat([before, line.subarray(0, bytes)]));
      const store = new LeaseStore(path);
      assert.deepEqual(store.get(a)?.end, endOf(a, 3), `cut after ${bytes} bytes`);
      assert.equal(store.get(b), undefined, `cut after ${bytes} bytes`);
      store.end(c, endOf(c, 1));
      store.close();
      const next = new LeaseStore(path);
      assert.deepEqual(next.get(c)?.end, endOf(c, 1), `cut after ${bytes} bytes`);
      next.close();
    }
  });

  it("holds one line for each lease after it was opened again", () => {
    const path = newPath();
    written(path, (store) => {
      for (let sequence = 1; sequence <= 50; sequence++) store.acknowledge(a, sequence);
    });
    new LeaseStore(path).close();
    assert.equal(readFileSync(path, "utf8").trim().split("\n").length, 1);
  });
});
