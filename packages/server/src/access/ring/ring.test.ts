import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { FileMaster, MasterAway } from "./master.ts";
import { prepareMaster, type RingPlace, ringPlaceIn } from "./place.ts";
import { KeyGone, Ring } from "./ring.ts";

describe("data keys", () => {
  let folder: string;
  let place: RingPlace;
  let file: string;
  const open = () => new Ring(place.folder, new FileMaster(file));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tessera-ring-"));
    place = ringPlaceIn(folder);
    file = join(folder, "keys", "master.key");
    prepareMaster(place);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("are one for each tenant, the same for all who look, and differ by purpose", async () => {
    const key = await open().current("acc_a");
    const again = await open().current("acc_a");
    assert.equal(again.id, key.id);
    assert.deepEqual(again.for("log"), key.for("log"));
    assert.notDeepEqual(key.for("log"), key.for("content"));
    assert.notEqual((await open().current("acc_b")).id, key.id);
    const shown = readdirSync(place.folder).map((name) => readFileSync(join(place.folder, name), "latin1"));
    assert.ok(!shown.join().includes(key.for("log").toString("base64")));
  });

  it("seal with the newest at once when rotated, and open with all until one is destroyed", async () => {
    const [ring, other] = [open(), open()];
    const first = await ring.current("acc_a");
    await other.find(first.id);
    const second = await ring.rotate("acc_a");
    assert.equal((await other.current("acc_a")).id, second.id);
    assert.deepEqual((await other.find(first.id)).for("log"), first.for("log"));
    ring.destroy(first.id);
    await assert.rejects(other.find(first.id), KeyGone);
    assert.deepEqual(
      (await other.allOf("acc_a")).map(({ id }) => id),
      [second.id],
    );
  });

  it("are wrapped again when the master key is rotated, also where that was cut off, and the old one opens nothing", async () => {
    const ring = open();
    const [a, b] = [await ring.current("acc_a"), await ring.current("acc_b")];
    const stolen = join(folder, "stolen.key");
    const copy = readFileSync(file);
    await ring.master.rotate(); // and no further
    const c = await open().current("acc_c");
    await open().settleMaster();
    assert.equal(existsSync(`${file}.next`), false);
    assert.notDeepEqual(readFileSync(file), copy);
    for (const key of [a, b, c]) assert.deepEqual((await open().find(key.id)).for("log"), key.for("log"));
    rmSync(stolen, { force: true });
    renameSync(file, stolen);
    writeFileSync(file, copy, { mode: 0o600 });
    await assert.rejects(open().find(a.id), MasterAway);
  });

  it("stay usable where they are open while the master key is away, and no new one is made", async () => {
    const ring = open();
    const key = await ring.current("acc_a");
    rmSync(file);
    assert.equal((await ring.find(key.id)).id, key.id);
    await assert.rejects(ring.current("acc_b"), /master key .* is not there: put it back/);
    await assert.rejects(open().find(key.id), MasterAway);
    assert.throws(() => prepareMaster(place), /the data keys in .* are wrapped by it/);
  });
});
