import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { TreeEntry } from "@tessera/core";
import { ContentDamaged, ContentMissing, ContentRefused } from "./failure.ts";
import { ContentStore, type TenantContent } from "./store.ts";

async function openStore(t: TestContext): Promise<{ store: ContentStore; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), "tessera-content-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return { store: new ContentStore(join(folder, "content")), folder };
}

const digest = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");

async function* pieces(...parts: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const part of parts) yield Buffer.from(part);
}

async function put(content: TenantContent, path: string, text: string, mode = 0o644): Promise<TreeEntry> {
  const sha256 = digest(text);
  const bytes = Buffer.byteLength(text);
  await content.putFile(pieces(text), { sha256, bytes });
  return { path, mode, bytes, sha256 };
}

test("what was put once is no longer missing, and no other tenant can tell", async (t) => {
  const { store } = await openStore(t);
  const [lab, other] = [store.of("acc_lab"), store.of("acc_other")];
  await put(lab, "a", "hello");
  assert.deepEqual(await lab.missing([digest("hello"), digest("else")]), [{ sha256: digest("else"), have: 0 }]);
  assert.deepEqual(await other.missing([digest("hello")]), [{ sha256: digest("hello"), have: 0 }]);
  assert.equal(await lab.bytes(), 5);
  assert.throws(() => store.of("../acc_lab"), /cannot be the id/);
});

test("what does not have the digest it was sent with is refused and leaves nothing", async (t) => {
  const { store, folder } = await openStore(t);
  const lab = store.of("acc_lab");
  await assert.rejects(
    lab.putFile(pieces("hellO"), { sha256: digest("hello"), bytes: 5 }),
    /changed while it was sent/,
  );
  await assert.rejects(lab.putFile(pieces("hello!"), { sha256: digest("hello"), bytes: 5 }), /more than the 5 bytes/);
  await assert.rejects(lab.putFile(pieces("x"), { sha256: "../../x", bytes: 1 }), ContentRefused);
  assert.deepEqual(await readdir(join(folder, "content/acc_lab/partial")), []);
});

test("a file that was sent in part goes on where it stopped", async (t) => {
  const { store } = await openStore(t);
  const lab = store.of("acc_lab");
  const sent = { sha256: digest("0123456789"), bytes: 10, sender: "ann" };
  assert.deepEqual(await lab.putFile(pieces("0123"), sent), { have: 4 });
  assert.deepEqual(await lab.missing([sent.sha256], "ann"), [{ sha256: sent.sha256, have: 4 }]);
  assert.deepEqual(await lab.missing([sent.sha256], "ben"), [{ sha256: sent.sha256, have: 0 }]);
  await assert.rejects(lab.putFile(pieces("89"), { ...sent, offset: 8 }), /4 of its bytes are here/);
  await lab.putFile(pieces("456", "789"), { ...sent, offset: 4 });
  assert.equal(await readFile(lab.path(sent.sha256), "utf8"), "0123456789");
});

test("two senders of the same parts at once, as one user in two terminals, do not disturb each other", async (t) => {
  const { store } = await openStore(t);
  const lab = store.of("acc_lab");
  const sent = { sha256: digest("0123456789"), bytes: 10, sender: "ann" };
  const parts = [
    ["0123", 0],
    ["0123", 0],
    ["01234567", 0],
    ["4567", 4],
    ["89", 8],
    ["89", 8],
  ] as const;
  for (const [text, offset] of parts) await lab.putFile(pieces(text), { ...sent, offset });
  assert.equal(await readFile(lab.path(sent.sha256), "utf8"), "0123456789");
});

test("a tree is kept only when all its content is here, and its id follows from what it holds", async (t) => {
  const { store } = await openStore(t);
  const lab = store.of("acc_lab");
  const a = await put(lab, "a.py", "print(1)");
  const id = await lab.putTree({ files: [a] });
  assert.equal(await lab.putTree({ files: [a] }), id);
  assert.deepEqual(await lab.readTree(id), { files: [a] });
  const b = { path: "b", mode: 0o644, bytes: 1, sha256: digest("b") };
  await assert.rejects(lab.putTree({ files: [a, b] }), ContentMissing);
  await assert.rejects(lab.putTree({ files: [{ ...a, bytes: 9 } as TreeEntry] }), /has 8 bytes, not 9/);
  await assert.rejects(lab.putTree({ files: [{ ...a, path: "../a" }] }), ContentRefused);
  await assert.rejects(store.of("acc_other").readTree(id), ContentMissing);
  await assert.rejects(lab.readTree(digest("print(1)")), /is no tree/);
  await assert.rejects(lab.useTree(id, { filesMax: 0, bytesMax: 9 }), /1 files, and 0 are allowed/);
});

test("a tree is unpacked with its modes, links and empty folders, each copy apart from the others", async (t) => {
  const { store, folder } = await openStore(t);
  const lab = store.of("acc_lab");
  const files: TreeEntry[] = [
    { path: "data/empty", folder: true },
    { path: "lib/link.py", link: "../train.py" },
    await put(lab, "lib/x/m.py", "m"),
    await put(lab, "run.sh", "#!/bin/sh", 0o755),
    await put(lab, "train.py", "t".repeat(1 << 20)),
  ];
  const id = await lab.putTree({ files });
  const owner = process.getuid!() === 0 ? 12345 : undefined;
  for (const name of ["one", "two"]) {
    await mkdir(join(folder, name));
    await lab.unpack(id, join(folder, name), owner === undefined ? {} : { owner });
  }
  await writeFile(join(folder, "one/train.py"), "changed");
  assert.equal((await readFile(join(folder, "two/lib/link.py"), "utf8")).length, 1 << 20);
  assert.equal(await readlink(join(folder, "two/lib/link.py")), "../train.py");
  assert.deepEqual(await readdir(join(folder, "two/data/empty")), []);
  const facts = await lstat(join(folder, "two/run.sh"));
  assert.equal(facts.mode & 0o777, 0o755);
  for (const path of ["lib", "lib/x/m.py", "lib/link.py", "data/empty"]) {
    assert.equal((await lstat(join(folder, "two", path))).uid, owner ?? process.getuid!());
  }
});

test("content that was damaged on the disk is not unpacked, and can be sent again", async (t) => {
  const { store, folder } = await openStore(t);
  const lab = store.of("acc_lab");
  const a = await put(lab, "a.py", "print(1)");
  const id = await lab.putTree({ files: [a] });
  const path = lab.path(digest("print(1)"));
  await chmod(path, 0o600);
  await truncate(path, 4);
  await mkdir(join(folder, "work"));
  await assert.rejects(lab.unpack(id, join(folder, "work")), ContentDamaged);
  assert.equal((await lab.missing([digest("print(1)")])).length, 1);
});

test("a sweep removes what no tree refers to once it is old, and nothing else", async (t) => {
  const { store } = await openStore(t);
  const lab = store.of("acc_lab");
  const live = await lab.putTree({ files: [await put(lab, "a", "kept")] });
  const used = await lab.putTree({ files: [await put(lab, "a", "used")] });
  await lab.useTree(used);
  await put(lab, "b", "loose");
  await lab.putFile(pieces("par"), { sha256: digest("partial"), bytes: 7 });
  const now = Date.now();
  const keep = { treesMs: 600_000, looseMs: 60_000 };
  assert.deepEqual(await lab.sweep([live], keep, now), { files: 0, bytes: 0 });
  assert.deepEqual(await lab.sweep([live], keep, now + 120_000), { files: 2, bytes: 8 });
  assert.equal(await lab.has(digest("used")), true);
  // Nothing refers to it any more, but it was used; then that is long ago too.
  assert.deepEqual((await lab.sweep([], keep, now + 240_000)).files, 2);
  assert.equal(await lab.has(digest("used")), true);
  assert.deepEqual((await lab.sweep([], keep, now + 1_000_000)).files, 2);
  await assert.rejects(lab.useTree(used), ContentMissing);
});

test("what was asked for again is young again", async (t) => {
  const { store } = await openStore(t);
  const lab = store.of("acc_lab");
  await put(lab, "a", "kept");
  const now = Date.now();
  const old = (now - 7_200_000) / 1000;
  await utimes(lab.path(digest("kept")), old, old);
  await lab.missing([digest("kept")]);
  assert.deepEqual(await lab.sweep([digest("gone")], { treesMs: 0, looseMs: 60_000 }, now + 30_000), {
    files: 0,
    bytes: 0,
  });
});

test("two senders of one content at the same time both succeed", async (t) => {
  const { store } = await openStore(t);
  const lab = store.of("acc_lab");
  const sent = { sha256: digest("hello"), bytes: 5 };
  await Promise.all([1, 2, 3].map(() => lab.putFile(pieces("he", "llo"), sent)));
  assert.equal(await readFile(lab.path(sent.sha256), "utf8"), "hello");
});
