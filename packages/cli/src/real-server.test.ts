import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { serverProgram } from "./config/paths.ts";
import { Pty } from "./testing/pty.ts";
import { RealServer } from "./testing/real-server.ts";

const absent = existsSync(serverProgram("main")) ? false : "the server is not built";

test("the commands do what they say against the real control plane", { skip: absent }, async (t) => {
  const server = new RealServer(t);
  await server.start();

  const failed = await server.tess("run", "--gpus", "1", "--wait", "--", "sh", "-c", "exit 7");
  assert.equal(failed.code, 7, failed.err);

  const shell = await server.tess("run", "--", "echo out; echo err >&2; exit 3");
  assert.equal(shell.code, 3, shell.err);
  assert.equal(shell.out, "out\n");
  assert.match(shell.err, /^err$/m);

  const gang = await server.tess("run", "--nodes", "2", "--gpus", "H100:4", "--name", "gang", "--", "echo rank $RANK");
  assert.equal(gang.code, 0, gang.err);
  assert.deepEqual(gang.out.trimEnd().split("\n").toSorted(), ["[0] rank 0", "[1] rank 1"]);
  assert.deepEqual((await server.tess("logs", "gang", "--rank", "1")).out, "[1] rank 1\n");

  const array = await server.tess("run", "--array", "1-3", "--name", "arr", "--wait", "--", "exit $TESS_INDEX");
  assert.equal(array.code, 3, array.err);
  assert.equal((await server.tess("wait", "arr.2")).code, 2);

  assert.equal(
    (await server.tess("run", "-d", "--gpus", "4", "--nodes", "2", "--name", "hog", "--", "sleep 600")).code,
    0,
  );
  assert.equal((await server.tess("wait", "hog", "--for=running", "--timeout", "20s")).code, 0);
  assert.equal((await server.tess("run", "-d", "--gpus", "1", "--name", "waiter", "--", "true")).code, 0);
  assert.match((await server.tess("explain", "waiter")).out, /^waiter waits because/);
  assert.equal((await server.tess("wait", "waiter", "--timeout", "50ms")).code, 75);
  assert.match((await server.tess("gpus")).out, /0\/8 free/);
  assert.match((await server.tess("ps")).out, /hog .* running/);
  assert.equal((await server.tess("cancel", "hog")).code, 0);
  assert.equal((await server.tess("wait", "hog")).code, 103);
  assert.equal((await server.tess("wait", "waiter")).code, 0);

  const wrong = await server.tess("run", "--gpus", "H101:1", "-o", "json", "--", "true");
  assert.equal(wrong.code, 65);
  assert.equal(typeof JSON.parse(wrong.err).error.requestId, "string");
  assert.equal((await server.tess("get", "node", "nobody")).code, 66);

  assert.match((await server.tess("usage", "--by", "job")).out, /^hog +job_\w+ /m);
  const usage = JSON.parse((await server.tess("usage", "--json")).out);
  assert.equal(usage.fleet.balanced, true);
  assert.match((await server.tess("audit", "-o", "csv")).out, /job\.cancel/);
});

test("a job that was asked to leave waits again, unless it is done", { skip: absent }, async (t) => {
  const server = new RealServer(t);
  await server.start();
  const leaves = "trap 'echo saved; exit 0' TERM; echo up; while :; do sleep 0.1; done";
  const job = (name: string) => server.tess("get", "job", name, "-o", "json").then(({ out }) => JSON.parse(out));
  const until = async (what: string, ready: () => Promise<boolean>) => {
    for (let tries = 0; !(await ready()); tries++) assert.ok(tries < 100, what);
  };
  for (const [name, run] of [
    ["polite", leaves],
    ["done", `touch "$TESS_DONE"; ${leaves}`],
  ] as const) {
    assert.equal((await server.tess("run", "-d", "--gpus", "1", "--name", name, "--", run)).code, 0);
    await until(`${name} runs`, async () => (await server.tess("logs", name)).out.includes("up\n"));
  }
  assert.equal((await server.tess("run", "-d", "--name", "then", "--after", "polite", "--", "true")).code, 0);
  assert.equal((await server.tess("node", "cordon", "virtual-0", "virtual-1")).code, 0); // no way to move
  for (const node of ["virtual-0", "virtual-1"])
    assert.equal((await server.tess("node", "drain", node, "--within", "1ms", "-y")).code, 0);
  assert.equal((await server.tess("wait", "done")).code, 0);
  assert.equal((await job("done")).outcome, "succeeded");
  await until("it waits again", async () => (await job("polite")).state === "waiting");
  assert.match((await server.tess("logs", "polite", "--attempt", "1")).out, /^saved$/m);
  assert.match((await server.tess("ps")).out, /polite .* waiting .* waits again \(drain\); health:/);
  assert.match((await server.tess("explain", "polite")).out, /It waits again, as attempt 2: its node was drained\./);
  assert.match((await server.tess("explain", "then")).out, /It runs after polite \(job_/);

  // Named alike, the live job is meant; two live ones are told apart by id.
  assert.equal((await server.tess("rerun", "done")).code, 0);
  assert.equal((await job("done")).state, "waiting");
  assert.equal((await server.tess("edit", "done", "--set", "priority=5", "--set", "gpus=2")).code, 0);
  assert.deepEqual([(await job("done")).priority, (await job("done")).gpus], [5, 2]);
  assert.equal((await server.tess("rerun", "done")).code, 0);
  assert.match((await server.tess("hold", "done")).err, /is the name of 2 live jobs: job_\w+, job_\w+/);
  assert.equal((await server.tess("cancel", "polite")).code, 0);
  assert.match(
    (await server.tess("ps", "--state", "dependency-failed")).out,
    /polite \(job_\w+\), which it was to run after/,
  );
  assert.equal((await server.tess("cancel", "--all", "-y")).code, 0);
  assert.equal((await server.tess("ps", "-o", "name")).out, "");
});

test("a script of one's own folder runs with the modules beside it, each attempt from what was sent", {
  skip: absent,
}, async (t) => {
  const server = new RealServer(t);
  await server.start();
  mkdirSync(join(server.folder, "lab"));
  writeFileSync(
    join(server.folder, "lab", "model.sh"),
    'train() { echo "weights" > model.bin; echo "trained in $1"; }\n',
  );
  writeFileSync(
    join(server.folder, "train.sh"),
    '[ ! -e model.bin ] || exit 9\n. ./lab/model.sh\ntrain "$(basename "$PWD")"\n',
  );
  writeFileSync(join(server.folder, ".tessignore"), "*.secret\n");
  writeFileSync(join(server.folder, "key.secret"), "x");
  const ran = await server.tess("run", "--gpus", "1", "--name", "train", "--", "sh", "train.sh");
  assert.equal(ran.code, 0, ran.err);
  assert.equal(ran.out, "trained in work\n");
  assert.match(ran.err, /send +3 files, .*; 3 new/);
  writeFileSync(join(server.folder, "train.sh"), "echo changed meanwhile\n");
  const retried = ["run", "--retry", "1", "--", 'ls; cat train.sh; echo more > new; [ "$TESS_ATTEMPT" = 2 ]'] as const;
  const again = await server.tess(...retried);
  assert.equal(again.code, 0, again.err);
  const attempt = "lab\ntrain.sh\necho changed meanwhile\n";
  assert.equal(
    again.out,
    attempt + attempt,
    "an attempt finds nothing of the one before, and nothing that was ignored",
  );
  assert.match(again.err, /send +3 files, .*; 1 new/);
  assert.match((await server.tess("describe", "job", "train")).out, /Code +snapshot [0-9a-f]{12} of .*desk/);
  const empty = await server.tess("run", "--workdir", "none", "--", "ls -A; echo end");
  assert.equal(empty.out, "end\n");
});

test("tess waits for a server that is started at the same moment, in either order", { skip: absent }, async (t) => {
  for (const first of ["tess", "server"]) {
    const server = new RealServer(t);
    server.announce();
    const types = () => server.tess("run", "--workdir", "none", "--", "echo hello");
    const ran = first === "tess" ? types() : undefined;
    const started = server.start();
    const { code, out, err } = await (ran ?? types());
    assert.equal(code, 0, err);
    assert.equal(out, "hello\n");
    assert.match(err, /server +being started by process \d+/);
    await started;
    await server.stop("SIGTERM");
  }
});

test("at a terminal, the first line of a short job stands on a line of its own", { skip: Pty.missing }, async (t) => {
  const server = new RealServer(t);
  await server.start();
  for (const _ of [1, 2]) {
    const terminal = new Pty(server, "run --workdir none -- echo got-it");
    await terminal.shows(/\ngot-it\r\n/);
    await terminal.ended;
  }
});

test("a run that is followed survives kill -9 of the control plane", { skip: absent }, async (t) => {
  const server = new RealServer(t);
  await server.start();
  const followed = server.tess(
    "run",
    "--name",
    "survivor",
    "--",
    "for i in 1 2 3 4 5 6 7 8; do echo tick $i; sleep 0.3; done; exit 11",
  );
  // The name is known only once it was submitted.
  while ((await server.tess("wait", "survivor", "--for=running", "--timeout", "20s")).code === 66);
  await server.stop("SIGKILL");
  await server.start();
  const { code, out, err } = await followed;
  assert.equal(code, 11, err);
  assert.equal(out, Array.from({ length: 8 }, (_, index) => `tick ${index + 1}\n`).join(""));
});

test("every attempt and every member of an elastic gang can be read", { skip: absent }, async (t) => {
  const server = new RealServer(t);
  await server.start();
  const line = "echo try $TESS_ATTEMPT; [ $TESS_ATTEMPT -ge 3 ]";
  const tried = await server.tess("run", "--retry", "2", "--name", "tried", "--", line);
  assert.equal(tried.code, 0, tried.err);
  assert.equal(tried.out, "try 1\ntry 2\ntry 3\n", "also what attempts wrote that failed at once");
  assert.equal((await server.tess("logs", "tried", "--attempt", "1")).out, "try 1\n");
  assert.equal((await server.tess("logs", "tried", "--previous")).out, "try 2\n");
  assert.equal((await server.tess("logs", "tried", "--attempt", "4")).code, 65);

  const elastic = ["--nodes", "1..2", "--gpus", "4", "--name", "elastic"];
  assert.equal((await server.tess("run", "-d", ...elastic, "--", "echo rank $RANK; sleep 600")).code, 0);
  assert.equal((await server.tess("wait", "elastic", "--for=running", "--timeout", "20s")).code, 0);
  let lines: string[] = [];
  while (lines.length < 2) lines = (await server.tess("logs", "elastic")).out.trimEnd().split("\n");
  assert.deepEqual(lines.toSorted(), ["[0] rank 0", "[1] rank 1"]);
  assert.equal(JSON.parse((await server.tess("ps", "-o", "json")).out).items[0].gpus, 8, "it holds both nodes");
  assert.equal((await server.tess("logs", "elastic", "--rank", "1")).out, "[1] rank 1\n");
  await server.tess("cancel", "elastic");
});
