import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { JournalKeys } from "./journal-keys.ts";
import { prepareMaster, ringAt, ringPlaceIn } from "./place.ts";
import { platform } from "./ring.ts";

function placeFor(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "tessera-journal-keys-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const place = ringPlaceIn(folder);
  prepareMaster(place);
  return place;
}

it("a journal key survives the rotation of both keys above it, and the old ones open it no more", async (t) => {
  const place = placeFor(t);
  const keys = new JournalKeys(place);
  assert.deepEqual(await keys.open(), []);
  const made = await keys.make();
  const ring = ringAt(place);
  const [old] = ring.of(platform);
  const next = await ring.rotate(platform);
  assert.deepEqual([...keys.wrappedBy()], [old!.id]);
  assert.equal(await keys.rewrap(), 1);
  assert.equal(await keys.rewrap(), 0);
  assert.deepEqual([...keys.wrappedBy()], [next.id]);
  ring.destroy(old!.id);
  await ring.rotateMaster();
  assert.deepEqual(await keys.open(), [made]);
  const other = await keys.make();
  keys.keepOnly(other.id);
  assert.deepEqual(await keys.open(), [other]);
  for (const name of readdirSync(place.folder))
    assert.ok(!readFileSync(join(place.folder, name), "utf8").includes(other.key), name);
});

it("a journal key that was changed or given another name does not open", async (t) => {
  const place = placeFor(t);
  const keys = new JournalKeys(place);
  const { id } = await keys.make();
  const path = join(place.folder, `journal-${id}.json`);
  const kept = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...kept, id: "00000000000000aa" }));
  await assert.rejects(keys.open(), /journal key 00000000000000aa does not open/);
});
