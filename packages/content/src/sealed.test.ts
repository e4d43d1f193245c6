import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { TreeEntry } from "@tessera/core";
import { ContentDamaged } from "./failure.ts";
import type { ContentKey } from "./sealed/keys.ts";
import { ContentStore, type TenantContent } from "./store.ts";

const digest = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");
const newKey = (): ContentKey => ({
  id: randomBytes(8).toString("hex"),
  key: randomBytes(32),
  nameKey: randomBytes(32),
});
const canary = "canary-9f31";

async function openStore(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), "tessera-sealed-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const keys = [newKey()];
  const root = join(folder, "content");
  return { folder, root, keys, lab: new ContentStore(root, 0, async () => keys).of("acc_lab") };
}

async function put(content: TenantContent, path: string, bytes: Buffer): Promise<TreeEntry> {
  const sha256 = digest(bytes);
  await content.putFile([bytes], { sha256, bytes: bytes.length });
  return { path, mode: 0o644, bytes: bytes.length, sha256 };
}

async function readAll(content: TenantContent, sha256: string, start = 0): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of content.read(sha256, start)) parts.push(part);
  return Buffer.concat(parts).toString("latin1");
}

/** Names and bytes of everything below a folder. */
function shown(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => entry.name + (entry.isFile() ? readFileSync(join(entry.parentPath, entry.name), "latin1") : ""))
    .join("\n");
}

test("sealed content is found by a store that has only just been opened, as by a server that has just started", async (t) => {
  const { root, keys, lab } = await openStore(t);
  await put(lab, "a", Buffer.from(canary));
  assert.equal(await new ContentStore(root, 0, async () => keys).of("acc_lab").has(digest(canary)), true);
});

test("sealed content shows neither itself nor its digest, and is what it was", async (t) => {
  const { root, folder, lab } = await openStore(t);
  for (const length of [0, 1, 65_535, 65_536, 65_537, 200_000]) {
    const bytes = Buffer.concat([randomBytes(length), Buffer.from(canary)]);
    const entry = await put(lab, "a", bytes);
    const tree = await lab.putTree({ files: [entry] });
    await lab.useTree(tree);
    assert.equal(await readAll(lab, digest(bytes)), bytes.toString("latin1"));
    assert.equal(await readAll(lab, digest(bytes), 70_000), bytes.toString("latin1").slice(70_000));
    await mkdir(join(folder, `out${length}`));
    await lab.unpack(tree, join(folder, `out${length}`));
    assert.ok(readFileSync(join(folder, `out${length}`, "a")).equals(bytes));
    assert.ok(!shown(root).includes(canary) && !shown(root).includes(digest(bytes)) && !shown(root).includes(tree));
  }
});

test("sealed content that is sent in parts goes on where it stopped, also in the middle of a frame", async (t) => {
  const { root, lab } = await openStore(t);
  const bytes = randomBytes(150_000);
  const sent = { sha256: digest(bytes), bytes: bytes.length, sender: "ann" };
  assert.deepEqual(await lab.putFile([bytes.subarray(0, 70_000)], sent), { have: 70_000 });
  assert.deepEqual(await lab.missing([sent.sha256], "ann"), [{ sha256: sent.sha256, have: 70_000 }]);
  await lab.putFile([bytes.subarray(70_000, 70_010)], { ...sent, offset: 70_000 });
  await lab.putFile([bytes.subarray(70_010)], { ...sent, offset: 70_010 });
  assert.equal(await readAll(lab, sent.sha256, 100_000), bytes.toString("latin1").slice(100_000));
  assert.equal(await lab.bytes(), 150_000);
  assert.equal(await new ContentStore(root).of("acc_lab").has(sent.sha256), false);
});

test("a new key takes over everything, what was plain is sealed, and without the old one nothing is missing", async (t) => {
  const { root, keys, lab } = await openStore(t);
  const plain = new ContentStore(root).of("acc_lab");
  const before = await plain.putTree({ files: [await put(plain, "p", Buffer.from(`plain ${canary}`))] });
  await plain.noteUse(before);
  const tree = await lab.putTree({ files: [await put(lab, "a", Buffer.from(`sealed ${canary}`))] });
  await lab.noteUse(tree);
  keys.unshift(newKey());
  const during = await lab.putTree({ files: [await put(lab, "b", Buffer.from("during"))] });
  assert.ok((await lab.reseal()) > 0);
  assert.equal(await lab.reseal(), 0);
  keys.pop();
  for (const id of [before, tree, during]) await lab.useTree(id);
  assert.equal(await readAll(lab, digest(`plain ${canary}`)), `plain ${canary}`);
  assert.ok(!shown(root).includes(canary));
  const now = Date.now() + 120_000;
  await lab.sweep([], { treesMs: 600_000, looseMs: 60_000 }, now);
  for (const id of [before, tree]) await lab.readTree(id);
});

test("a changed byte is damage, and a destroyed key leaves nothing to read", async (t) => {
  const { keys, lab } = await openStore(t);
  const bytes = Buffer.from("print(1)");
  const tree = await lab.putTree({ files: [await put(lab, "a.py", bytes)] });
  const path = lab.path(tree);
  const sealed = readFileSync(path);
  sealed[sealed.length - 1]! ^= 1;
  await rm(path);
  writeFileSync(path, sealed);
  await assert.rejects(lab.readTree(tree), ContentDamaged);
  keys.splice(0, 1, newKey());
  assert.equal((await lab.missing([digest(bytes)])).length, 1);
});
