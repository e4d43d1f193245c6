import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { temporaryFolder } from "../order.fixture.ts";
import { pruneCaches } from "./cache.ts";

it("cuts a cache down to its limit: least recently used first, whole folders, and nothing outside", async (t) => {
  const folder = await temporaryFolder(t);
  const fill = (tenant: string, name: string, bytes: number, usedAt: number) => {
    mkdirSync(join(folder, tenant, name), { recursive: true });
    const file = join(folder, tenant, name, "file");
    writeFileSync(file, Buffer.alloc(bytes));
    for (const path of [file, join(folder, tenant, name)]) utimesSync(path, usedAt, usedAt);
  };
  fill("outside", "kept", 900_000, 1);
  for (const tenant of ["acc_a", "acc_busy", "acc_full"]) {
    fill(tenant, "old", 600_000, 1_000);
    fill(tenant, "new", 600_000, 2_000);
    symlinkSync(join(folder, "outside", "kept"), join(folder, tenant, "link"));
  }
  fill("acc_full", "more", 900_000, 3_000);
  await pruneCaches(folder, 1_000_000, new Set(["acc_busy", "acc_full"]));
  assert.deepEqual(readdirSync(join(folder, "acc_a")).sort(), ["link", "new"]);
  assert.deepEqual(readdirSync(join(folder, "acc_busy")).sort(), ["link", "new", "old"]);
  assert.deepEqual(readdirSync(join(folder, "acc_full")).sort(), ["link", "more"]);
  assert.deepEqual(readdirSync(join(folder, "outside", "kept")), ["file"]);
});
