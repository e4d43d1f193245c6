import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { Job, LogEntry } from "@tessera/wire";
import { treeText } from "@tessera/wire/tree";
import { tess } from "../../program.ts";
import { temporaryFolder } from "../../testing/folder.ts";
import { problem, StandIn as Server, type StandIn } from "../../testing/stand-in.ts";
import { FakeTerminal, runTess } from "../../testing/terminal.ts";
import { createdJob, endedJob, memberOf, nodeOf } from "../../testing/things.ts";

/** Lets submitted jobs go through the given stages, one each time someone looks. */
function scriptJob(server: StandIn, stages: readonly Partial<Job>[], lines: readonly Partial<LogEntry>[] = []): void {
  let submitted = 0;
  let looked = 0;
  server.on("submitJob", ({ body }) => {
    submitted += 1;
    const { name = "run-1", project = "lab" } = body as { name?: string; project?: string };
    const id = `job_${submitted}`;
    server.put(id, { id, name, project, state: "waiting", members: [] });
    return createdJob({ id, name, project });
  });
  server.on("getJob", ({ at }) => {
    const stage = stages[Math.min(looked, stages.length - 1)]!;
    looked += 1;
    return server.put(at.job!, stage);
  });
  server.on("readLogs", (_seen, response) => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    for (const line of lines) {
      response.write(
        `${JSON.stringify({ at: "2026-11-15T10:00:01.000Z", rank: 0, stream: "stdout", text: "", ...line })}\n`,
      );
    }
    response.end();
    return "handled";
  });
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const treeOf = (files: Record<string, string>) =>
  sha256(
    treeText({
      files: Object.entries(files).map(([path, text]) => ({
        path,
        mode: 0o644,
        bytes: text.length,
        sha256: sha256(text),
      })),
    }),
  );
const specOf = (server: StandIn, index = 0) => server.requestsTo("submitJob")[index]?.body;

test("run --wait shows the phases on stderr, nothing on stdout, and ends with the job's own code", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, [
    { state: "waiting", reason: { kind: "quota" as const, detail: "lab is at its max" } },
    { state: "starting", members: [memberOf(0)] },
    { state: "running", members: [memberOf(0)] },
    endedJob("failed", 7),
  ]);
  server.on("explainJob", () => ({
    job: "job_1",
    state: "waiting",
    position: 2,
    reason: { kind: "quota" as const, detail: "lab is at its max" },
  }));
  const { code, out, err } = await runTess(["run", "--gpus", "1", "--wait", "--", "sh", "-c", "exit 7"], {
    env: server.env,
  });
  assert.equal(code, 7);
  assert.equal(out, "");
  assert.deepEqual(specOf(server), { name: "sh", gpus: 1, run: "sh -c 'exit 7'" });
  const phases = err
    .split("\n")
    .map((line) => /^\[[\d.]+s\] (\w+)/.exec(line)?.[1])
    .filter((phase) => phase !== undefined);
  assert.deepEqual(phases, ["validate", "queue", "starting", "running"]);
  assert.match(err, /queue +position 2, quota: lab is at its max/);
  assert.match(err, /running +on n0/);
  assert.match(err, /failed with exit code 7 after 1m5s/);
});

test("an attached run shows what the job wrote, stderr apart, each rank of a gang marked", async (t) => {
  const server = await Server.start(t);
  scriptJob(
    server,
    [{ state: "running", members: [memberOf(0), memberOf(1, "n1")] }, endedJob("succeeded", 0)],
    [{ text: "hello" }, { text: "oops", stream: "stderr" }, { text: "hello", rank: 1 }],
  );
  const { code, out, err } = await runTess(["run", "--nodes", "2", "--", "hostname"], { env: server.env });
  assert.equal(code, 0);
  assert.equal(out, "[0] hello\n[1] hello\n");
  assert.match(err, /\[0\] oops/);
  assert.match(err, /succeeded after/);
});

test("a job that ended before anyone looked still shows its output", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, [endedJob("succeeded", 0)], [{ text: "quick" }]);
  const { code, out } = await runTess(["run", "--", "echo quick"], { env: server.env });
  assert.equal(code, 0);
  assert.equal(out, "quick\n");
  assert.deepEqual(specOf(server), { name: "echo", run: "echo quick" });
});

test("on a terminal, what a short job writes first stands on a line of its own", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, [{ state: "starting", members: [memberOf(0)] }, endedJob("succeeded", 0)], [{ text: "got-it" }]);
  const terminal = new FakeTerminal({ env: server.env, columns: 80 });
  assert.equal(await tess(["run", "--", "echo got-it"], terminal), 0);
  assert.match(terminal.screen, /starting .* on n0\n(?:.*\n)*got-it\n/);
});

test("a job that is started again shows the output of each attempt", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, [
    { state: "running", attempt: 1, members: [memberOf(0)] },
    { state: "waiting", attempt: 2, members: [] },
    { state: "running", attempt: 2, members: [memberOf(0)] },
    { ...endedJob("succeeded", 0), attempt: 2 },
  ]);
  server.on("readLogs", ({ query }, response) => {
    response.writeHead(200);
    response.end(
      `${JSON.stringify({ at: "2026-11-15T10:00:01.000Z", rank: 0, stream: "stdout", text: `attempt ${query.attempt}` })}\n`,
    );
    return "handled";
  });
  const { code, out, err } = await runTess(["run", "--", "flaky"], { env: server.env });
  assert.equal(code, 0);
  assert.equal(out, "attempt 1\nattempt 2\n");
  assert.match(err, /queue +attempt 2/);
});

test("the first run on virtual GPUs says what that means, once", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, [endedJob("succeeded", 0)]);
  server.on("listNodes", () => ({ items: [nodeOf({ virtual: true })] }));
  const env = { ...server.env, HOME: temporaryFolder(t) };
  const noteOf = async (...argv: string[]) => (await runTess([...argv, "--", "true"], { env })).err.includes("virtual");
  assert.equal(await noteOf("run", "-d", "-o", "json", "--gpus", "1"), false, "a program is not told");
  assert.equal(await noteOf("run", "--gpus", "1"), true);
  assert.equal(await noteOf("run", "--gpus", "1"), false);
  assert.equal(server.requestsTo("listNodes").length, 1);
});

test("--detach prints the job and leaves, in every format", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, []);
  const argv = ["run", "--detach", "--name", "nb", "-p", "lab/vision", "--", "true"];
  assert.equal((await runTess(argv, { env: server.env })).out, "nb job_1 submitted to lab/vision\n");
  assert.equal((await runTess([...argv.slice(0, -2), "-o", "name", "--", "true"], { env: server.env })).out, "job_2\n");
  const json = await runTess([...argv.slice(0, -2), "--json", "--", "true"], { env: server.env });
  assert.equal(JSON.parse(json.out).id, "job_3");
});

test("with -o json the job as it ended is the only line on stdout", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, [{ state: "running" }, endedJob("cancelled")], [{ text: "not shown" }]);
  const { code, out, err } = await runTess(["run", "-o", "json", "--", "true"], { env: server.env });
  assert.equal(code, 103);
  assert.equal(err, "", "stderr is for errors alone");
  assert.equal(out.trimEnd().split("\n").length, 1);
  assert.equal(JSON.parse(out).outcome, "cancelled");
});

test("every flag of a field arrives in the spec", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, []);
  const line =
    "run -d --name n --type train --gpus H100:8,A100:8 --nodes 2..4 --cpus 1.5 --memory 64GiB --gpu-memory 40GiB --gpu-compute 30% " +
    "--max-time 90m --max-price 2.50 --budget 100 --deadline 2026-12-01T18:00 --not-before 2026-11-30T18:00 --tz Europe/Berlin --priority high --no-preemptible --retry 3 " +
    "--array 1-240%24 --after a --after b:ended --env A=1 --env B=x=y --env HOME --secret K --image img --workdir /data/code --isolation whole --slo 250ms,100ms --strict";
  const { code, err } = await runTess([...line.split(" "), "--", "true"], { env: server.env, cwd: "/base" });
  assert.equal(code, 0, err);
  assert.deepEqual(specOf(server), {
    name: "n",
    type: "train",
    gpus: ["H100:8", "A100:8"],
    nodes: "2..4",
    cpus: 1.5,
    memory: "64GiB",
    gpu_memory: "40GiB",
    gpu_compute: "30%",
    max_time: "90m",
    max_price: "2.50",
    budget: "100",
    deadline: "2026-12-01T18:00",
    not_before: "2026-11-30T18:00",
    tz: "Europe/Berlin",
    priority: "high",
    preemptible: false,
    retry: 3,
    array: "1-240%24",
    after: ["a", { job: "b", when: "ended" }],
    env: { A: "1", B: "x=y", HOME: "/nonexistent" },
    secrets: ["K"],
    image: "img",
    workdir: "/data/code",
    isolation: "whole",
    slo: { p99: "250ms", alone: "100ms" },
    strict: true,
    run: "true",
  });
});

test("a file of several documents is several jobs; flags win over the file; folders are meant from the file", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, [endedJob("failed", 3), endedJob("failed", 9)]);
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, "sub", "here"), { recursive: true });
  writeFileSync(join(folder, "sub", "here", "a.py"), "a");
  writeFileSync(
    join(folder, "sub", "jobs.yaml"),
    "name: a\nproject: own/one\nrun: one\nworkdir: here\nenv: {X: 1, Y: 2}\n---\nname: b\nrun: two\ndeadline: 2026-09-01T18:00\n---\n",
  );
  const { code, err } = await runTess(
    ["run", "sub/jobs.yaml", "--wait", "--gpus", "2", "--env", "X=9", "--idempotency-key", "k"],
    {
      env: { ...server.env, TESS_PROJECT: "usual/one" },
      cwd: folder,
    },
  );
  assert.equal(code, 9, err);
  assert.deepEqual(specOf(server, 0), {
    name: "a",
    project: "own/one",
    run: "one",
    workdir: { tree: treeOf({ "a.py": "a" }), from: join(folder, "sub", "here") },
    env: { X: "9", Y: 2 },
    gpus: 2,
  });
  assert.deepEqual(specOf(server, 1), {
    name: "b",
    project: "usual/one",
    run: "two",
    deadline: "2026-09-01T18:00",
    gpus: 2,
    env: { X: "9" },
    workdir: {
      tree: treeOf({ "sub/here/a.py": "a", "sub/jobs.yaml": readFileSync(join(folder, "sub", "jobs.yaml"), "utf8") }),
      from: folder,
    },
  });
  assert.deepEqual(
    server.requestsTo("submitJob").map(({ headers }) => headers["idempotency-key"]),
    ["k-1", "k-2"],
  );
});

test("a job file may come on standard input", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, []);
  await runTess(["run", "-", "-d"], { env: server.env, input: '{"run": "x", "gpus": 1}' });
  assert.deepEqual(specOf(server), { run: "x", gpus: 1 });
});

test("what is not a job file ends with 65 and says where, a missing one with 66 and says how to run a command", async (t) => {
  const server = await Server.start(t);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "bad.yaml"), "run: [unclosed\n");
  writeFileSync(join(folder, "text.yaml"), "just words\n");
  writeFileSync(join(folder, "empty.yaml"), "# nothing\n");
  const bomb = [
    "a: &a [x,x,x,x,x,x,x,x,x]",
    ..."bcdefghi".split("").map((name, index) => `${name}: &${name} [${`*${"abcdefgh"[index]},`.repeat(9)}]`),
  ];
  writeFileSync(join(folder, "bomb.yaml"), `${bomb.join("\n")}\n`);
  for (const file of ["bad.yaml", "text.yaml", "empty.yaml", "bomb.yaml"]) {
    const { code, err } = await runTess(["run", file], { env: server.env, cwd: folder });
    assert.equal(code, 65, file);
    assert.match(err, new RegExp(`^tess: ${file}`));
  }
  const missing = await runTess(["run", "nvidia-smi"], { env: server.env, cwd: folder });
  assert.equal(missing.code, 66);
  assert.match(missing.err, /tess run -- nvidia-smi/);
  assert.equal(server.seen.length, 0);
});

test("a refused document is named, and so is what was already submitted", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, []);
  let calls = 0;
  server.on("submitJob", () =>
    ++calls === 1
      ? createdJob()
      : { status: 422, body: { ...problem(422, "never-fits", "gpus 99 is too many."), field: "gpus" } },
  );
  const { code, err } = await runTess(["run", "-d", "-"], {
    env: server.env,
    input: "name: a\nrun: x\n---\nrun: y\ngpus: 99\n",
  });
  assert.equal(code, 65);
  assert.match(err, /Already submitted: a \(job_1\)/);
  assert.match(err, /-, document 2: gpus 99 is too many\./);
});

test("a submission whose answer was lost is repeated with the same key", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, [endedJob("succeeded", 0)]);
  let calls = 0;
  server.on("submitJob", (_seen, response) => {
    calls += 1;
    if (calls > 2) return createdJob();
    response.destroy();
    return "handled";
  });
  const { code } = await runTess(["run", "-d", "--", "true"], { env: server.env });
  assert.equal(code, 0);
  const keys = server.requestsTo("submitJob").map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 3);
  assert.equal(new Set(keys).size, 1);
});

test("a restart of the server in the middle is sat out", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, [{ state: "running" }]);
  server.on("readLogs", (_seen, response) => {
    response.writeHead(200);
    response.write(`${JSON.stringify({ at: "2026-11-15T10:00:01.000Z", rank: 0, stream: "stdout", text: "once" })}\n`);
    return "handled"; // goes on until the server dies
  });
  const terminal = new FakeTerminal({ env: server.env });
  const ended = tess(["run", "--", "true"], terminal);
  await terminal.shows(/once/);
  const { port } = server;
  await server.stop();
  server.on("getJob", () => server.put("job_1", endedJob("failed", 4)));
  server.on("readLogs", (_seen, response) => {
    response.writeHead(200);
    for (const [second, text] of [
      [1, "once"],
      [2, "twice"],
    ]) {
      response.write(
        `${JSON.stringify({ at: `2026-11-15T10:00:0${second}.000Z`, rank: 0, stream: "stdout", text })}\n`,
      );
    }
    response.end();
    return "handled";
  });
  await server.listen(port);
  assert.equal(await ended, 4);
  assert.equal(terminal.out, "once\ntwice\n");
});

test("Ctrl-C leaves the job running and says so", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, [{ state: "running", members: [memberOf(0)] }]);
  const terminal = new FakeTerminal({ env: server.env });
  const ended = tess(["run", "--name", "nb", "--wait", "--", "sleep 100"], terminal);
  await terminal.shows(/running/);
  terminal.interrupt();
  assert.equal(await ended, 130);
  assert.match(terminal.err, /Detached: nb goes on \(tess logs -f nb\)/);
  assert.equal(server.requestsTo("cancelJob").length, 0);
});

test("on a terminal a second Ctrl-C asks, and cancels on yes", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, [{ state: "running", members: [memberOf(0)] }]);
  server.on("cancelJob", () => server.put("job_1", { state: "stopping" }));
  const terminal = new FakeTerminal({ env: { ...server.env, TERM: "xterm" }, columns: 80, input: "y\n" });
  const ended = tess(["run", "--name", "nb", "--wait", "--", "sleep 100"], terminal);
  await terminal.shows(/running/);
  terminal.interrupt();
  await terminal.shows(/Ctrl-C again to cancel/);
  terminal.interrupt();
  assert.equal(await ended, 103);
  assert.match(terminal.err, /Cancel nb\?[\s\S]*Cancelled nb/);
  assert.equal(server.requestsTo("cancelJob")[0]?.at.job, "job_1");
});

test("--dry-run submits nothing and says where it would go or why it would wait", async (t) => {
  const server = await Server.start(t);
  const spec = { name: "a", run: "x" };
  server.on("dryRunJob", () => ({
    project: "lab",
    spec,
    wouldStart: true,
    class: "burst" as const,
    parts: [
      { model: "H100", mode: "mps" as const, share: 0.25, memoryMiB: 20_480, limits: { "gpu-memory": "MPS: a limit" } },
    ],
    members: [{ rank: 0, node: "n0", gpus: 8, model: "H100" }],
    start: { when: "now" as const },
  }));
  const starts = await runTess(["run", "--dry-run", "--", "x"], { env: server.env });
  assert.match(
    starts.out,
    /what holds their limits\n {2}H100 by mps 0.25, 20 GiB of GPU memory\n {4}gpu-memory +MPS: a limit/,
  );
  assert.equal(starts.code, 0);
  assert.match(starts.out, /a would start at once in lab as burst\n {2}RANK {2}NODE {2}GPUS\n {5}0 {2}n0 {4}8 H100/);
  assert.match(starts.out, /Spec\n {2}name {2}a\n {2}run {3}x\n$/);
  server.on("dryRunJob", () => ({
    project: "lab",
    spec,
    wouldStart: true,
    class: "guaranteed" as const,
    members: [{ rank: 0, node: "n0", gpus: 8, model: "H100" }],
    start: { when: "now" as const },
    displaces: {
      jobs: 2,
      members: 1,
      gpus: 8,
      by: [{ rule: "reclaim" as const, jobs: 2, members: 1, gpus: 8 }],
      seen: [{ id: "job_7", name: "sweep", project: "lab", gpus: 4 }],
      own: 1,
      hidden: 1,
      within: "30s",
    },
  }));
  const takes = await runTess(["run", "--dry-run", "--topology", "rack?", "--", "x"], { env: server.env });
  assert.match(
    takes.out,
    /a would start when room has been made for it in lab as guaranteed\nIt displaces 2 jobs and 1 extra member \(8 GPUs\) reclaimed from borrowers: sweep, 1 more\. They have 30s to leave\.\n/,
  );
  assert.equal((server.requestsTo("dryRunJob")[1]!.body as { topology: string }).topology, "rack?");
  server.on("dryRunJob", () => ({
    project: "lab",
    spec,
    wouldStart: false,
    members: [],
    reason: { kind: "capacity" as const, detail: "8 H100 needed, 3 free" },
    start: { when: "unknown" as const, why: "1 job that holds GPUs it could use has no max_time" },
    alternatives: [
      {
        change: { field: "gpus", from: "H100:8", to: "H100:3" },
        effect: "starts now" as const,
        class: "burst" as const,
      },
    ],
  }));
  const waits = await runTess(["run", "--dry-run", "--", "x"], { env: server.env });
  assert.match(
    waits.out,
    /a would wait in lab because too little is free\. 8 H100 needed, 3 free\.\nIts start is not known: 1 job .* has no max_time\.\n/,
  );
  assert.match(
    waits.out,
    /What would start it sooner:\n {2}CHANGE .*\n {2}--gpus H100:3 {2}H100:8 {6}starts now {2}burst\n/,
  );
  const json = await runTess(["run", "--dry-run", "--json", "--", "x"], { env: server.env });
  assert.equal(JSON.parse(json.out).wouldStart, false);
  assert.equal(server.requestsTo("submitJob").length, 0);
});

test("an array ends with the highest code of its elements", async (t) => {
  const server = await Server.start(t);
  scriptJob(server, [
    { state: "running", elements: { size: 3, waiting: 1, active: 1, succeeded: 1, failed: 0 } },
    { ...endedJob("failed", 2), elements: { size: 3, waiting: 0, active: 0, succeeded: 1, failed: 2 } },
  ]);
  const element = (index: number, exitCode: number) => ({
    ...server.put(`job_1.${index}`, { ...endedJob(exitCode === 0 ? "succeeded" : "failed", exitCode) }),
  });
  server.on("listJobs", ({ query }) => ({
    items: query.array === "job_1" ? [element(1, 2), element(2, 5), element(3, 0)] : [],
  }));
  const { code, err } = await runTess(["run", "--array", "1-3", "--wait", "--", "x"], { env: server.env });
  assert.equal(code, 5);
  assert.match(err, /running +3 elements: 1 waiting, 1 active, 1 succeeded, 0 failed/);
});

test("apply sends each document without a key, since it is idempotent by name", async (t) => {
  const server = await Server.start(t);
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, "a.yaml"), "name: a\nrun: x\n---\nname: b\nrun: y\n");
  server.on("applyJob", ({ body }) => {
    const { name } = body as { name: string };
    const changed = { applied: "changed" as const, beside: ["job_old"] };
    return {
      ...createdJob({ id: `job_${name}`, name }),
      ...(name === "a" ? { applied: "unchanged" as const } : changed),
    };
  });
  const { code, out, err } = await runTess(["apply", "-f", "a.yaml", "-p", "lab"], { env: server.env, cwd: folder });
  assert.equal(code, 0);
  assert.equal(out, "a job_a unchanged in lab\nb job_b changed in lab\n");
  assert.equal(err, "b: the earlier job of this name goes on; tess cancel job_old ends it\n");
  assert.deepEqual(
    server.requestsTo("applyJob").map(({ body }) => (body as { project: string }).project),
    ["lab", "lab"],
  );
});
