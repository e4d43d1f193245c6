import assert from "node:assert/strict";
import test from "node:test";
import { tess } from "../program.ts";
import { StandIn } from "../testing/stand-in.ts";
import { FakeTerminal, runTess } from "../testing/terminal.ts";
import { endedJob, jobOf, memberOf, nodeOf } from "../testing/things.ts";

const waiting = jobOf({
  id: "job_2",
  name: "big",
  state: "waiting",
  members: [],
  gpus: 64,
  reason: { kind: "capacity", detail: "64 H100 needed, 3 free" },
});

test("ps shows where each job is or why it waits", async (t) => {
  const server = await StandIn.start(t);
  server.on("listJobs", () => ({ items: [jobOf(), waiting] }));
  const { code, out } = await runTess(["ps", "--columns", "name,state,gpus,project,user,detail"], { env: server.env });
  assert.equal(code, 0);
  assert.equal(
    out,
    [
      "NAME      STATE       GPUS  PROJECT     USER  DETAIL",
      "llama-ft  running   8 H100  lab/vision  ana   n0",
      "big       waiting  64 H100  lab/vision  ana   capacity: 64 H100 needed, 3 free",
      "",
    ].join("\n"),
  );
});

test("ps is cut to the project unless all are asked for, and hands its filters on", async (t) => {
  const server = await StandIn.start(t);
  const env = { ...server.env, TESS_PROJECT: "lab/vision" };
  await runTess(["ps"], { env });
  await runTess(["queue", "-A", "--state", "waiting", "--user", "ana", "--name", "x"], { env });
  await runTess(["get", "jobs", "-a"], { env });
  assert.deepEqual(
    server.requestsTo("listJobs").map(({ query }) => query),
    [
      { cost: true, project: "lab/vision", limit: 1000 },
      { cost: true, state: "waiting", user: "ana", name: "x", limit: 1000 },
      { cost: true, project: "lab/vision", state: "all", limit: 100 },
    ],
  );
});

test("JSON is the API's object, never the table: a list is a list, one thing by name is that thing", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", {});
  const list = await runTess(["ps", "-o", "json", "--columns", "name"], { env: server.env });
  assert.deepEqual(JSON.parse(list.out), { items: [jobOf()] });
  assert.equal(list.out.trimEnd().split("\n").length, 1);
  const one = await runTess(["get", "job", "llama-ft", "--json"], { env: server.env });
  assert.deepEqual(JSON.parse(one.out), jobOf());
  const yaml = await runTess(["get", "job", "llama-ft", "-o", "yaml"], { env: server.env });
  assert.match(yaml.out, /^id: job_1\nname: llama-ft\n/);
});

test("all pages are fetched; --limit stops and keeps the cursor", async (t) => {
  const server = await StandIn.start(t);
  const nodes = Array.from({ length: 5 }, (_, index) => nodeOf({ name: `n${index}` }));
  server.on("listNodes", ({ query }) => {
    const from = Number(query.cursor ?? 0);
    const until = Math.min(nodes.length, from + Math.min(2, Number(query.limit)));
    return { items: nodes.slice(from, until), ...(until < nodes.length && { next: String(until) }) };
  });
  const all = await runTess(["get", "node", "-o", "name"], { env: server.env });
  assert.equal(all.out, "n0\nn1\nn2\nn3\nn4\n");
  const some = await runTess(["get", "node", "--limit", "3", "-o", "json"], { env: server.env });
  const page = JSON.parse(some.out);
  assert.equal(page.items.length, 3);
  assert.equal(page.next, "3");
  const human = await runTess(
    ["node", "get", "--limit", "3", "--no-headers", "--columns", "name", "--sort-by", "-name"],
    { env: server.env },
  );
  assert.equal(human.out, "n2\nn1\nn0\n");
  assert.match(human.err, /The first 3 are shown/);
});

test("a list that is cut is sorted and searched by the server; a whole one is sorted here", async (t) => {
  const server = await StandIn.start(t);
  const asked: Record<string, unknown>[] = [];
  for (const route of ["listJobs", "listNodes", "listUsers"] as const) {
    server.on(route, ({ query }) => {
      asked.push(query);
      return { items: [] };
    });
  }
  const run = async (...args: string[]) => {
    await runTess(args, { env: server.env });
    const { sort, text } = asked.at(-1)!;
    return [sort, text];
  };
  assert.deepEqual(await run("get", "node", "--sort-by", "-free", "--limit", "3"), ["-free", undefined]);
  assert.deepEqual(await run("get", "node", "--sort-by", "-free"), [undefined, undefined]);
  assert.deepEqual(await run("get", "node", "--sort-by", "cpus", "--limit", "3"), [undefined, undefined]);
  assert.deepEqual(await run("get", "job", "-A", "--text", "llama", "--sort-by", "age", "--limit", "3"), [
    "submitted",
    "llama",
  ]);
  assert.deepEqual(await run("get", "job", "--all", "--sort-by", "-gpus"), ["-gpus", undefined]);
  assert.deepEqual(await run("user", "get", "--text", "finance"), [undefined, "finance"]);
});

test("csv has exact values and any field of the object as a column", async (t) => {
  const server = await StandIn.start(t);
  server.on("listJobs", () => ({ items: [jobOf()] }));
  const { out } = await runTess(["ps", "-o", "csv", "--columns", "name,gpus,age,submittedAt"], { env: server.env });
  assert.equal(out, "name,gpus,age,submittedAt\nllama-ft,8,2026-11-15T10:00:00.000Z,2026-11-15T10:00:00.000Z\n");
});

test("an empty list says so on stderr and leaves stdout empty", async (t) => {
  const server = await StandIn.start(t);
  const { code, out, err } = await runTess(["ps"], { env: server.env });
  assert.deepEqual({ code, out, err }, { code: 0, out: "", err: "No jobs.\n" });
});

test("describe shows members with what limits them, attempts and the spec", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", {
    members: [{ ...memberOf(0), enforcement: { memory: "cgroup v2" } }],
    attempts: [
      {
        attempt: 1,
        nodes: ["n9"],
        placedAt: "2026-11-15T09:00:00.000Z",
        endedAt: "2026-11-15T09:10:00.000Z",
        result: "lost",
      },
      {
        attempt: 2,
        nodes: ["n8"],
        placedAt: "2026-11-15T10:00:00.000Z",
        endedAt: "2026-11-15T10:05:00.000Z",
        result: "preempted",
        why: "a job of higher priority in the same account needs them",
      },
    ],
  });
  const { out } = await runTess(["describe", "job", "llama-ft"], { env: server.env });
  assert.match(out, /^llama-ft {2}running\n/);
  assert.match(out, /GPU-0\n {2}Limits {2}memory by cgroup v2/);
  assert.match(out, /1 {2}lost +n9 .* 10m/);
  assert.match(out, /2 {2}preempted +n8 .* 5m +a job of higher priority in the same account needs them\n/);
  server.put("job_1", { state: "stopping", detail: "It must leave: the GPUs were borrowed." });
  assert.match((await runTess(["ps"], { env: server.env })).out, /stopping .*It must leave: the GPUs were borrowed\./);
  assert.match(out, /run {3}train/);
});

test("-w with -o json prints one line for each change", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", {});
  const terminal = new FakeTerminal({ env: server.env });
  const ended = tess(["ps", "-w", "-o", "json"], terminal);
  await terminal.shows(/sync/);
  server.put("job_1", { state: "stopping" });
  server.put("job_1", endedJob("succeeded", 0));
  await terminal.shows(/delete/);
  terminal.interrupt();
  assert.equal(await ended, 0);
  const lines = terminal.out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ event }) => event),
    ["sync", "put", "delete"],
  );
  assert.equal(lines[1].item.state, "stopping");
  assert.equal(lines[2].id, "job_1");
});

test("-w takes a lost stream up again after its last event", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", {});
  const terminal = new FakeTerminal({ env: server.env });
  const ended = tess(["ps", "-w"], terminal);
  await terminal.shows(/running/);
  const { port } = server;
  await server.stop();
  server.put("job_1", { state: "stopping" });
  await server.listen(port);
  await terminal.shows(/stopping/);
  terminal.interrupt();
  await ended;
  const [first, second] = server.requestsTo("listJobs");
  assert.equal(first?.headers["last-event-id"], undefined);
  assert.equal(second?.headers["last-event-id"], "e1");
});

test("-w redraws on a terminal and adds lines elsewhere", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", {});
  for (const columns of [undefined, 80]) {
    const terminal = new FakeTerminal({
      env: { ...server.env, TERM: "xterm" },
      ...(columns !== undefined && { columns }),
    });
    const ended = tess(["ps", "-w"], terminal);
    await terminal.shows(/running/);
    server.put("job_1", { state: "stopping" });
    await terminal.shows(/stopping/);
    terminal.interrupt();
    await ended;
    assert.equal(terminal.out.includes("\u001b[2J"), columns !== undefined);
    server.put("job_1", { state: "running" });
  }
});

test("colour is for terminals, and NO_COLOR turns it off", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", {});
  const colours = async (env: Record<string, string>, columns?: number) =>
    (await runTess(["ps"], { env: { ...server.env, ...env }, ...(columns !== undefined && { columns }) })).out.includes(
      "\u001b[",
    );
  assert.equal(await colours({ TERM: "xterm" }, 80), true);
  assert.equal(await colours({ TERM: "xterm" }), false);
  assert.equal(await colours({ TERM: "xterm", NO_COLOR: "1" }, 80), false);
  assert.equal(await colours({ TERM: "xterm", CI: "true" }, 80), false);
});

test("events are followed as lines, oldest first", async (t) => {
  const server = await StandIn.start(t);
  const entry = (second: number, text: string) => ({
    at: `2026-11-15T10:00:0${second}.000Z`,
    kind: "job-ended",
    subject: "a",
    account: "lab",
    text,
  });
  server.on("listEvents", () => ({ items: [entry(2, "second"), entry(1, "first")] }));
  const terminal = new FakeTerminal({ env: server.env });
  const ended = tess(["events", "-w", "--columns", "text", "--no-headers"], terminal);
  await terminal.shows(/second/);
  server.tell("listEvents", "put", entry(3, "third"));
  await terminal.shows(/third/);
  terminal.interrupt();
  await ended;
  assert.equal(terminal.out, "first\nsecond\nthird\n");
});

test("audit hands its filters on", async (t) => {
  const server = await StandIn.start(t);
  const about = [
    "--target",
    "job_1",
    "--outcome",
    "refused",
    "--refusal",
    "forbidden",
    "--address",
    "10.0.0.7",
    "--text",
    "wandb",
  ];
  await runTess(["audit", "--account", "lab", "--actor", "ana", "--action", "job.submit", "--from", "7d", ...about], {
    env: server.env,
  });
  assert.deepEqual(server.requestsTo("listAudit")[0]?.query, {
    account: "lab",
    actor: "ana",
    action: "job.submit",
    from: "7d",
    target: "job_1",
    outcome: "refused",
    refusal: "forbidden",
    address: "10.0.0.7",
    text: "wandb",
    limit: 100,
  });
});

test("--columns and --sort-by with a name that there is not are refused with those that there are, also for empty lists", async (t) => {
  const server = await StandIn.start(t);
  for (const flag of ["--columns", "--sort-by"]) {
    const { code, out, err } = await runTess(["ps", flag, "foo"], { env: server.env });
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err, new RegExp(`${flag}: there is no "foo"\n  columns: name, id, state.*; fields: .*outcome`));
  }
  assert.equal(server.requestsTo("listJobs").length, 0, "nothing was asked");
  const near = await runTess(["node", "get", "--sort-by", "-gpsu"], { env: server.env });
  assert.match(near.err, /did you mean gpus\?/);
  assert.equal((await runTess(["ps", "--columns", "name,outcome,spec.run"], { env: server.env })).code, 0);
});
