import assert from "node:assert/strict";
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { temporaryFolder } from "../order.fixture.ts";
import { stateFolder } from "./folder.ts";
import { prune } from "./retention.ts";

const hourMs = 3_600_000;
const now = 1_800_000_000_000;
const keep = { logMs: 100 * hourMs, logBytes: 1_000, endedMs: 200 * hourMs };

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
