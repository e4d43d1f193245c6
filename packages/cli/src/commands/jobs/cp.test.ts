import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { JobFile } from "@tessera/wire";
import { temporaryFolder } from "../../testing/folder.ts";
import { StandIn } from "../../testing/stand-in.ts";
import { runTess } from "../../testing/terminal.ts";
import { jobOf } from "../../testing/things.ts";

const sha = (text: string) => createHash("sha256").update(text).digest("hex");

/** A job that has ended and kept these files. */
async function keeping(t: TestContext, contents: { readonly [path: string]: string }, extra: readonly JobFile[] = []) {
  const server = await StandIn.start(t);
  const folder = temporaryFolder(t);
  server.on("getJob", () => jobOf({ id: "job_1", name: "train", state: "ended", outcome: "succeeded" }));
  const files = Object.entries(contents).map(
    ([path, text]): JobFile => ({ output: "work", rank: 0, path, mode: 0o750, bytes: text.length, sha256: sha(text) }),
  );
  server.on("listFiles", (_seen, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.end([...files, ...extra].map((file) => `${JSON.stringify(file)}\n`).join(""));
    return "handled";
  });
  server.on("readFile", ({ query }, response) => {
    const bytes = Buffer.from(contents[String(query.path)]!).subarray(Number(query.start));
    response.writeHead(200, { "content-length": bytes.length });
    response.end(bytes);
    return "handled";
  });
  return { server, folder, tess: (...args: string[]) => runTess(args, { env: server.env, cwd: folder }) };
}

test("cp brings a file, byte for byte and with its mode", async (t) => {
  const { folder, tess } = await keeping(t, { "model.bin": "weights", "a/b": "deep" });
  const done = await tess("cp", "train:model.bin", ".");
  assert.equal(done.code, 0, done.err);
  assert.equal(readFileSync(join(folder, "model.bin"), "utf8"), "weights");
  assert.equal(statSync(join(folder, "model.bin")).mode & 0o777, 0o750);
  assert.equal((await tess("cp", "train:model.bin", "new/place/m")).code, 0);
  assert.equal(readFileSync(join(folder, "new/place/m"), "utf8"), "weights");
  assert.equal((await tess("cp", "train:", "all")).code, 0);
  assert.equal(readFileSync(join(folder, "all/a/b"), "utf8"), "deep");
  const none = await tess("cp", "train:nope", ".");
  assert.equal(none.code, 66);
  assert.match(none.err, /kept no "nope"\n\s+there is model.bin, a\/b/);
});

test("cp takes a broken connection up where it broke, and refuses what is not what was kept", async (t) => {
  const { server, folder, tess } = await keeping(t, { "model.bin": "0123456789" });
  let starts: number[] = [];
  server.on("readFile", ({ query }, response) => {
    const start = Number(query.start);
    starts.push(start);
    response.writeHead(200, { "content-length": 10 - start });
    if (start > 0) response.end(Buffer.from("0123456789").subarray(start));
    else response.write("0123", () => response.destroy());
    return "handled";
  });
  assert.equal((await tess("cp", "train:model.bin", ".")).code, 0);
  assert.deepEqual(starts, [0, 4]);
  assert.equal(readFileSync(join(folder, "model.bin"), "utf8"), "0123456789");
  starts = [];
  server.on("readFile", (_seen, response) => {
    response.writeHead(200, { "content-length": 10 });
    response.end("0123X56789");
    return "handled";
  });
  const damaged = await tess("cp", "train:model.bin", "other");
  assert.equal(damaged.code, 69);
  assert.match(damaged.err, /another content/);
  assert.ok(!existsSync(join(folder, "other")), "nothing is left that looks whole");
});

test("cp writes nothing outside its destination", async (t) => {
  const evil = (path: string, link?: string): JobFile => ({
    output: "work",
    rank: 0,
    path,
    mode: 0o644,
    bytes: 1,
    ...(link !== undefined && { link }),
  });
  const { folder, tess } = await keeping(t, { ok: "x" }, [evil("../outside"), evil("away", "../../etc")]);
  const done = await tess("cp", "train:", "into");
  assert.equal(done.code, 73);
  assert.ok(!existsSync(join(folder, "outside")));
  assert.match(done.err, /outside the folder/);

  const second = await keeping(t, { "sub/file": "x" });
  mkdirSync(join(second.folder, "into"));
  mkdirSync(join(second.folder, "elsewhere"));
  symlinkSync(join(second.folder, "elsewhere"), join(second.folder, "into", "sub"));
  assert.equal((await second.tess("cp", "train:", "into")).code, 73);
  assert.ok(!existsSync(join(second.folder, "elsewhere", "file")), "not through a link that lies there");
  writeFileSync(join(second.folder, "target"), "old");
  symlinkSync(join(second.folder, "target"), join(second.folder, "file"));
  assert.equal((await second.tess("cp", "train:sub/file", ".")).code, 0);
  assert.equal(readFileSync(join(second.folder, "target"), "utf8"), "old", "a link is replaced, not followed");
});

test("cp says what it cannot do", async (t) => {
  const { tess } = await keeping(t, {});
  for (const [args, said] of [
    [["a", "b"], /neither a nor b names a job/],
    [["a", "train:b"], /cannot be copied into a job/],
    [["train:a", "train:b"], /one of the two/],
    [["train:a", "-"], /a file or a folder/],
  ] as const) {
    const done = await tess("cp", ...args);
    assert.equal(done.code, 2, done.err);
    assert.match(done.err, said);
  }
});
