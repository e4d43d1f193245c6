import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import type { ContentPart } from "@tessera/wire";
import { temporaryFolder } from "../testing/folder.ts";
import { problem, StandIn } from "../testing/stand-in.ts";
import { runTess } from "../testing/terminal.ts";
import { createdJob } from "../testing/things.ts";

const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

interface Uploads {
  readonly kept: Map<string, Buffer>;
  readonly partial: Map<string, Buffer>;
  /** Called before each part is taken; may refuse it. */
  refuse: (part: ContentPart) => boolean;
}

/** A stand-in that keeps content as the server does. */
async function contentServer(t: TestContext): Promise<{ server: StandIn; uploads: Uploads; home: string }> {
  const server = await StandIn.start(t);
  const uploads: Uploads = { kept: new Map(), partial: new Map(), refuse: () => false };
  server.on("findMissing", ({ body }) => ({
    missing: (body as { digests: string[] }).digests
      .filter((sha256) => !uploads.kept.has(sha256))
      .map((sha256) => ({ sha256, have: uploads.partial.get(sha256)?.length ?? 0 })),
    limits: { files: 100, bytes: 50_000_000 },
  }));
  server.on("putContent", ({ body }) => {
    let rest = body as Buffer;
    let parts = 0;
    while (rest.length > 0) {
      const end = rest.indexOf("\n");
      const part = JSON.parse(rest.subarray(0, end).toString()) as ContentPart;
      const bytes = rest.subarray(end + 1, end + 1 + part.length);
      rest = rest.subarray(end + 1 + part.length);
      const so = Buffer.concat([
        part.offset === 0 ? Buffer.alloc(0) : (uploads.partial.get(part.sha256) ?? Buffer.alloc(0)),
        bytes,
      ]);
      uploads.partial.set(part.sha256, so);
      parts += 1;
      if (so.length < part.bytes) continue;
      uploads.partial.delete(part.sha256);
      if (digest(so) !== part.sha256 || uploads.refuse(part)) {
        return { status: 409, body: problem(409, "conflict", `content "${part.path}" changed while it was sent`) };
      }
      uploads.kept.set(part.sha256, so);
    }
    return { parts, bytes: (body as Buffer).length };
  });
  server.on("submitJob", () => createdJob({ id: "job_1" }));
  return { server, uploads, home: temporaryFolder(t) };
}

function desk(home: string, files: Record<string, string>): string {
  const folder = join(home, "desk");
  mkdirSync(join(folder, "lib"), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  return folder;
}

const run = (server: StandIn, home: string, cwd: string, ...more: string[]) =>
  runTess(["run", "-d", ...more, "--", "true"], { env: { ...server.env, HOME: home }, cwd });
const sentSpec = (server: StandIn) => server.requestsTo("submitJob").at(-1)!.body as Record<string, never>;

test("a folder is sent once, and again only what changed", async (t) => {
  const { server, uploads, home } = await contentServer(t);
  const cwd = desk(home, { "train.py": "import lib.m", "lib/m.py": "x = 1", "lib/copy.py": "x = 1" });
  assert.equal((await run(server, home, cwd)).code, 0);
  const { workdir } = sentSpec(server) as unknown as { workdir: { tree: string; from: string } };
  assert.equal(workdir.from, cwd);
  const tree = JSON.parse(uploads.kept.get(workdir.tree)!.toString());
  assert.deepEqual(
    tree.files.map(({ path }: { path: string }) => path),
    ["lib/copy.py", "lib/m.py", "train.py"],
  );
  assert.equal(uploads.kept.size, 3, "equal files are sent once");
  const before = server.requestsTo("putContent").length;
  await run(server, home, cwd);
  assert.equal(server.requestsTo("putContent").length, before, "nothing new");
  writeFileSync(join(cwd, "lib/m.py"), "x = 2");
  await run(server, home, cwd);
  assert.equal(uploads.kept.size, 5, "the file and the tree");
});

test("the cache spares reading files again, and is not fooled by a change of the same size", async (t) => {
  const { server, uploads, home } = await contentServer(t);
  const cwd = desk(home, { "a.py": "1" });
  const long = Date.now() / 1000 - 100;
  utimesSync(join(cwd, "a.py"), long, long);
  await run(server, home, cwd);
  assert.equal(readdirSync(join(home, ".cache/tess/snapshots")).length, 1);
  writeFileSync(join(cwd, "a.py"), "2");
  utimesSync(join(cwd, "a.py"), long, long);
  await run(server, home, cwd);
  assert.ok([...uploads.kept.values()].some((bytes) => bytes.toString() === "2"));
});

test("a large file goes in parts, goes on where it stopped, and is read again when it changed", async (t) => {
  const { server, uploads, home } = await contentServer(t);
  const big = "b".repeat(9_000_000);
  const cwd = desk(home, { "big.bin": big });
  const sha256 = digest(Buffer.from(big));
  uploads.partial.set(sha256, Buffer.from(big.slice(0, 5_000_000)));
  let times = 0;
  uploads.refuse = ({ path }) => {
    if (path !== "big.bin" || ++times > 1) return false;
    appendFileSync(join(cwd, "big.bin"), "more");
    return true;
  };
  assert.equal((await run(server, home, cwd)).code, 0);
  const first = server.requestsTo("putContent")[0]!.body as Buffer;
  assert.equal(JSON.parse(first.subarray(0, first.indexOf("\n")).toString()).offset, 5_000_000);
  assert.ok(uploads.kept.has(digest(Buffer.from(`${big}more`))));
});

test("a file that never stops changing is named, with how to leave it out", async (t) => {
  const { server, uploads, home } = await contentServer(t);
  const cwd = desk(home, { "train.log": "x".repeat(5_000_000) });
  uploads.refuse = ({ path }) => path === "train.log";
  const { code, err } = await run(server, home, cwd);
  assert.equal(code, 65);
  assert.match(err, /train\.log changes while it is sent\n.*echo 'train\.log' >> \.tessignore/);
});

test("nothing is sent from an empty folder, with --workdir none, in a dry run, or unasked from home and /", async (t) => {
  const { server, home } = await contentServer(t);
  const cwd = desk(home, {});
  writeFileSync(join(home, "private.txt"), "x");
  assert.equal((await run(server, home, join(cwd, "lib"))).code, 0);
  assert.equal(sentSpec(server).workdir, undefined);
  writeFileSync(join(cwd, "a.py"), "1");
  await run(server, home, cwd, "--workdir", "none");
  assert.equal(sentSpec(server).workdir, undefined);
  const atHome = await run(server, home, home);
  assert.match(
    atHome.err,
    /is not sent \(it is your home folder\); the job starts in an empty folder\. To send it: --workdir \./,
  );
  assert.match((await run(server, home, "/")).err, /\/ is not sent/);
  assert.equal(server.requestsTo("putContent").length, 0);
  await run(server, home, home, "--workdir", ".");
  assert.notEqual(sentSpec(server).workdir, undefined, "asked for, it is sent");
});

test("--in-place names the folder itself, and an absolute --workdir is one of the node", async (t) => {
  const { server, home } = await contentServer(t);
  const cwd = desk(home, { "a.py": "1" });
  await run(server, home, cwd, "--in-place");
  assert.deepEqual(sentSpec(server).workdir, { in_place: cwd });
  await run(server, home, cwd, "--workdir", "/data/run");
  assert.equal(sentSpec(server).workdir, "/data/run");
  assert.equal(server.requestsTo("putContent").length, 0);
});

test("the environment in use and a .venv of the folder are named for the job", async (t) => {
  const { server, home } = await contentServer(t);
  const cwd = desk(home, { "a.py": "1" });
  mkdirSync(join(cwd, ".venv"));
  writeFileSync(join(cwd, ".venv", "pyvenv.cfg"), "");
  await run(server, home, cwd);
  assert.deepEqual(sentSpec(server).venv, { path: join(cwd, ".venv"), optional: true });
  mkdirSync(join(home, "conda"));
  const env = { ...server.env, HOME: home, CONDA_PREFIX: join(home, "conda") };
  await runTess(["run", "-d", "--", "true"], { env, cwd });
  assert.deepEqual(sentSpec(server).venv, { path: join(home, "conda"), optional: true });
});

test("a server that runs no real jobs gets the job without the folder", async (t) => {
  const { server, home } = await contentServer(t);
  const cwd = desk(home, { "a.py": "1" });
  server.on("findMissing", () => ({ status: 422, body: problem(422, "unsupported", "cannot be kept") }));
  const { code, err } = await run(server, home, cwd);
  assert.equal(code, 0, err);
  assert.match(err, /the folder is not sent/);
  assert.equal(sentSpec(server).workdir, undefined);
});

test("the commit of the folder and whether it holds changes are recorded", async (t) => {
  const { server, home } = await contentServer(t);
  const cwd = desk(home, { "a.py": "1" });
  const git = (...words: string[]) =>
    execFileSync("git", ["-C", cwd, "-c", "user.name=a", "-c", "user.email=a@b", ...words], {
      encoding: "utf8",
    }).trim();
  try {
    git("init", "-q");
  } catch {
    return t.skip("there is no git here");
  }
  git("add", ".");
  git("commit", "-qm", "first");
  await run(server, home, cwd);
  const clean = sentSpec(server).workdir as unknown as { commit: string; dirty: boolean };
  assert.deepEqual([clean.commit, clean.dirty], [git("rev-parse", "HEAD"), false]);
  writeFileSync(join(cwd, "b.py"), "2");
  await run(server, home, cwd);
  assert.equal((sentSpec(server).workdir as unknown as { dirty: boolean }).dirty, true);
});
