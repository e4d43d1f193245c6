import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { writeSnapshot } from "@tessera/core";
import { openReader, openStore, recover } from "@tessera/server";
import { spreadOf } from "./figures.ts";
import { fillStore } from "./fill.ts";

it("[S26] the same seed gives the same days, and a replay the same state as a start from a snapshot", async () => {
  const root = mkdtempSync(join(tmpdir(), "tessera-fill-"));
  try {
    const states: string[] = [];
    for (const [name, snapshotEvery] of [
      ["whole", 1_000_000],
      ["snapshots", 1_000],
    ] as const) {
      const place = { dir: join(root, name) };
      const filled = await fillStore(await openStore(place), 3_000, 7, snapshotEvery, () => {});
      assert.ok(filled.events >= 3_000 && filled.rows < filled.events);
      const reader = await openReader(place);
      const { state, eventsReplayed } = await recover(reader);
      await reader.close();
      assert.equal(eventsReplayed < filled.events, name === "snapshots");
      states.push(writeSnapshot(state));
    }
    assert.equal(states[0], states[1]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

it("shows the least, the middle and the most of several measurements", () => {
  assert.deepEqual(spreadOf([3, 1, 2]), { min: 1, median: 2, max: 3 });
  assert.deepEqual(spreadOf([1, 2, 4, 8], 1), { min: 1, median: 3, max: 8 });
});
