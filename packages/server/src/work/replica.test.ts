import assert from "node:assert/strict";
import { before, beforeEach, describe, it } from "node:test";
import { writeSnapshot } from "@tessera/core";
import { MemoryPlace } from "../store/index.ts";
import type { Snapshot } from "../store/port.ts";
import { TestControl } from "../testing/control.ts";
import { Tenancy } from "../testing/tenancy.ts";
import { Replica } from "./replica.ts";

describe("a replica that begins where its caller stopped", () => {
  const place = new MemoryPlace();
  let control: TestControl;
  /** The newest first, two rows from each to the next. */
  let kept: readonly Snapshot[];
  before(async () => {
    control = await TestControl.start(place);
    const tenancy = new Tenancy(control);
    for (const [first, second] of [
      ["a", "b"],
      ["c", "d"],
      ["e", "f"],
    ] as const) {
      await tenancy.account(first);
      await tenancy.account(second);
      await control.snapshot();
    }
    kept = place.snapshots;
  });
  beforeEach(() => {
    place.snapshots = kept;
  });

  const beginsAt = async (seq: number) => {
    const replica = await Replica.behind(control.reader, seq);
    const began = replica.seq;
    await replica.catchUp((await control.reader.head()).seq);
    assert.equal(writeSnapshot(replica.state), writeSnapshot(control.state));
    return began;
  };

  it("begins at the newest snapshot that is not after that row", async () => {
    const rows = kept.map(({ seq }) => seq);
    const [newest, middle, oldest] = rows as [number, number, number];
    assert.deepEqual(rows, [6, 4, 2]);
    assert.equal(await beginsAt(newest), newest);
    // As after an ordinary stop: a row was committed that the caller was not told of, and then the last snapshot written.
    assert.equal(await beginsAt(newest - 1), middle);
    assert.equal(await beginsAt(oldest), oldest);
    assert.equal(await beginsAt(oldest - 1), 0);
  });

  it("passes over snapshots that are damaged or of another version", async () => {
    const [newest, middle, oldest] = kept as [Snapshot, Snapshot, Snapshot];
    place.snapshots = [{ ...newest, bytes: newest.bytes.slice(1) }, middle, oldest];
    assert.equal(await beginsAt(newest.seq), middle.seq);
    place.snapshots = [newest, { ...middle, schema: middle.schema + 1 }, oldest];
    assert.equal(await beginsAt(newest.seq - 1), oldest.seq);
  });
});
