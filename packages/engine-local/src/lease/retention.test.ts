import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { temporaryFolder } from "../order.fixture.ts";
import { stateFolder } from "./folder.ts";
import { prune, sweepJobs } from "./retention.ts";

const hourMs = 3_600_000;
const now = 1_800_000_000_000;
const keep = {
  logMs: 100 * hourMs,
  logBytes: 1_000,
  endedMs: 200 * hourMs,
  checkpointMs: 10 * hourMs,
  mountMs: 10 * hourMs,
  cacheBytes: 1_000,
};

it("removes logs by age and, when there are too many bytes, the oldest first; never those of a live member", async (t) => {
  const state = stateFolder(await temporaryFolder(t));
  for (const folder of Object.values(state)) mkdirSync(folder, { recursive: true });
  const make = (path: string, hoursAgo: number, bytes = 10) => {
    writeFileSync(path, "x".repeat(bytes));
    utimesSync(path, (now - hoursAgo * hourMs) / 1000, (now - hoursAgo * hourMs) / 1000);
  };
  const log = (lease: string, hoursAgo: number, bytes: number) => {
    const folder = join(state.logs, lease);
    mkdirSync(folder);
    make(join(folder, "0.log"), hoursAgo, bytes);
    utimesSync(folder, (now - hoursAgo * hourMs) / 1000, (now - hoursAgo * hourMs) / 1000);
  };
  log("live", 500, 600);
  log("expired", 101, 10);
  log("large", 50, 500);
  log("newer", 20, 300);
  make(join(state.ended, "old.json"), 201);
  make(join(state.ended, "new.json"), 199);
  mkdirSync(join(state.work, "left-behind", "work"), { recursive: true });
  mkdirSync(join(state.work, "live", "work"), { recursive: true });
  await prune(state, keep, now, (lease) => lease === "live");
  assert.deepEqual(readdirSync(state.logs).sort(), ["live", "newer"]);
  assert.deepEqual(readdirSync(state.ended), ["new.json"]);
  assert.deepEqual(readdirSync(state.work), ["live"]);
});

it("keeps the checkpoint of a job while the job lives, however long it waits, and for a while after its end", async (t) => {
  const state = stateFolder(await temporaryFolder(t));
  for (const job of ["job_waits", "job_over"]) mkdirSync(join(state.jobs, job, "checkpoint"), { recursive: true });
  let live = new Set(["job_waits", "job_over"]);
  const sweep = (hours: number) => sweepJobs(state, keep.checkpointMs, now + hours * hourMs, (job) => live.has(job));
  await sweep(0);
  live = new Set(["job_waits"]);
  await sweep(1_000);
  await sweep(1_009);
  assert.deepEqual(readdirSync(state.jobs).sort(), ["job_over", "job_waits"]);
  live.add("job_over"); // a control plane that was restored from a backup knows it as live
  await sweep(1_010);
  assert.ok(!existsSync(join(state.jobs, "job_over", "ended")));
  live.delete("job_over");
  await sweep(1_011);
  await sweep(1_022);
  assert.deepEqual(readdirSync(state.jobs), ["job_waits"]);
});
