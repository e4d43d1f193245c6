import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { harmless } from "./harmless.ts";
import { replayLog } from "./replay.ts";

const log = readFileSync(new URL("../../src/health/kernel-log.txt", import.meta.url), "utf8");

describe("a replayed kernel log", async () => {
  const { rows, kinds, wrong } = await replayLog(log.split("\n").filter((line) => line !== ""));
  const rowOf = (xid: string) => rows.find((row) => row.xid === xid)!;

  it("has at least 20 kinds of Xid, and takes no node out of use for those that are harmless", () => {
    assert.ok(kinds >= 20, String(kinds));
    assert.deepEqual(wrong, []);
    assert.ok(rows.filter(({ xid }) => harmless.has(Number(xid))).length >= 10);
  });

  it("[H1] leaves jobs alone where there is nothing to do", () => {
    for (const xid of ["43", "45", "38", "63", "92", "106"]) {
      const { node, mode, became } = rowOf(xid);
      assert.deepEqual([mode, became], ["up", `running on ${node}`], xid);
    }
  });

  it("[H2] lets a program's fault cost a retry, with the message of the driver", () => {
    const { mode, became, retriesUsed, creditedMinutes } = rowOf("31");
    assert.match(became, /^Xid 31: the program used .*; running on/);
    assert.deepEqual([mode, retriesUsed, creditedMinutes], ["up", 1, 0]);
  });

  it("[H3] [H4] starts jobs of nodes with a fault elsewhere, for free and credited", () => {
    for (const xid of ["48", "62", "79", "95", "119", "168"]) {
      const { node, mode, became, retriesUsed, creditedMinutes, repair } = rowOf(xid);
      assert.equal(mode, "maintenance", xid);
      assert.match(became, /^its node had a fault: Xid \d+.*; running on/);
      assert.ok(!became.endsWith(` ${node}`), xid);
      assert.deepEqual([retriesUsed, creditedMinutes], [0, 10], xid);
      assert.notEqual(repair, "");
    }
  });

  it("[H1] lets jobs of a drained node end by themselves", () => {
    const { node, mode, became } = rowOf("125");
    assert.deepEqual([mode, became], ["draining", `running on ${node}`]);
  });
});
