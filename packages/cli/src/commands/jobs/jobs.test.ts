import assert from "node:assert/strict";
import test from "node:test";
import type { Explanation, WaitReason } from "@tessera/wire";
import { tess } from "../../program.ts";
import { problem, StandIn } from "../../testing/stand-in.ts";
import { FakeTerminal, runTess } from "../../testing/terminal.ts";
import { endedJob, memberOf } from "../../testing/things.ts";

const entry = (rank: number, text: string) =>
  JSON.stringify({ at: "2026-11-15T10:00:01.000Z", rank, stream: "stdout", text });

test("logs go to stdout; a gang's lines carry their rank, a single job's only with --all-ranks", async (t) => {
  const server = await StandIn.start(t);
  server.on("readLogs", (_seen, response) => {
    response.end(`${entry(0, "zero")}\n${entry(1, "one")}`);
    return "handled";
  });
  server.put("job_1", {});
  assert.equal((await runTess(["logs", "job_1"], { env: server.env })).out, "zero\none\n");
  assert.equal((await runTess(["logs", "job_1", "--all-ranks"], { env: server.env })).out, "[0] zero\n[1] one\n");
  server.put("job_1", { members: [memberOf(0), memberOf(1)] });
  assert.equal((await runTess(["logs", "llama-ft"], { env: server.env })).out, "[0] zero\n[1] one\n");
  const json = await runTess(["logs", "llama-ft", "-o", "json"], { env: server.env });
  assert.equal(JSON.parse(json.out.split("\n")[1]!).text, "one");
});

test("logs hands its flags on, and --previous means the attempt before the last that ran", async (t) => {
  const server = await StandIn.start(t);
  server.on("readLogs", (_seen, response) => {
    response.end();
    return "handled";
  });
  server.put("job_1", { attempt: 3, state: "waiting" });
  await runTess(["logs", "job_1", "--tail", "5", "--since", "5m", "--rank", "3"], { env: server.env });
  await runTess(["logs", "job_1", "--previous"], { env: server.env });
  assert.deepEqual(
    server.requestsTo("readLogs").map(({ query }) => query),
    [{ tail: 5, since: "5m", rank: 3 }, { attempt: 1 }],
  );
  server.put("job_1", { attempt: 1, state: "running" });
  assert.equal((await runTess(["logs", "job_1", "--previous"], { env: server.env })).code, 66);
  assert.equal((await runTess(["logs", "job_1", "--rank", "x"], { env: server.env })).code, 2);
});

test("logs -f ends with the job's own code", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", {});
  server.on("readLogs", ({ query }, response) => {
    response.write(`${entry(0, "line")}\n`);
    if (query.follow) setTimeout(() => server.put("job_1", endedJob("failed", 42)) && response.end(), 20);
    else response.end();
    return "handled";
  });
  const { code, out } = await runTess(["logs", "-f", "job_1"], { env: server.env });
  assert.equal(code, 42);
  assert.equal(out, "line\n");
});

test("wait ends with the job's code, with the highest of several, or with 0 as soon as it runs", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", endedJob("failed", 3));
  server.put("job_2", { ...endedJob("timed-out"), name: "b" });
  server.put("job_3", { name: "c", state: "running" });
  assert.equal((await runTess(["wait", "job_1"], { env: server.env })).code, 3);
  assert.equal((await runTess(["wait", "job_1", "job_2"], { env: server.env })).code, 105);
  assert.equal((await runTess(["wait", "job_3", "--for=running"], { env: server.env })).code, 0);
  assert.equal((await runTess(["wait", "job_1", "--for", "running"], { env: server.env })).code, 3);
  assert.equal((await runTess(["wait", "nobody"], { env: server.env })).code, 66);
});

test("wait ends as soon as the job does, told by the watched list", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", { state: "running" });
  const terminal = new FakeTerminal({ env: server.env });
  const ended = tess(["wait", "job_1", "-o", "json"], terminal);
  while (server.watching("listJobs") === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  server.put("job_1", endedJob("succeeded", 0));
  assert.equal(await ended, 0);
  assert.equal(JSON.parse(terminal.out).outcome, "succeeded");
});

test("wait gives up with 75 after the timeout", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", { state: "waiting", members: [] });
  const { code, err } = await runTess(["wait", "job_1", "--timeout", "50ms"], { env: server.env });
  assert.equal(code, 75);
  assert.match(err, /job_1 not ended after 50ms/);
});

test("cancel looks names up first, asks about several on a terminal, and goes on without asking elsewhere", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", { startedAt: new Date(Date.now() - 3_600_000).toISOString() });
  server.put("job_2", { name: "b", state: "waiting", members: [] });
  server.on("cancelJob", ({ at }) => server.put(at.job!, { state: "stopping" }));
  const tty = { env: { ...server.env, TERM: "xterm", NO_COLOR: "1" }, columns: 80 };
  const no = await runTess(["cancel", "llama-ft", "b"], { ...tty, input: "n\n" });
  assert.equal(no.code, 130);
  assert.match(no.err, /Cancel 2 jobs with 8.0 GPU-hours of work\? \[y\/N\]/);
  assert.equal(server.requestsTo("cancelJob").length, 0);
  const yes = await runTess(["delete", "job", "llama-ft", "b", "-y"], tty);
  assert.equal(yes.code, 0);
  assert.deepEqual(
    server.requestsTo("cancelJob").map(({ at }) => at.job),
    ["job_1", "job_2"],
  );
  assert.equal((await runTess(["stop", "llama-ft", "b"], { env: server.env })).code, 0);
});

test("one refusal does not keep the others from being cancelled", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", {});
  server.put("job_2", { name: "b" });
  server.on("cancelJob", ({ at }) =>
    at.job === "job_1"
      ? { status: 409, body: problem(409, "conflict", "it has ended") }
      : server.put(at.job!, { state: "stopping" }),
  );
  const { code, out, err } = await runTess(["cancel", "job_1", "job_2"], { env: server.env });
  assert.equal(code, 73);
  assert.equal(out, "b job_2 cancel asked (stopping)\n");
  assert.match(err, /it has ended/);
});

test("hold and release say what became of the job", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", { state: "waiting", members: [] });
  server.on("holdJob", () => server.put("job_1", { held: true }));
  server.on("releaseJob", () => ({ status: 409, body: problem(409, "conflict", "llama-ft is not held") }));
  const held = await runTess(["hold", "llama-ft"], { env: server.env });
  assert.equal(held.out, "llama-ft job_1 held (held)\n");
  assert.equal((await runTess(["release", "llama-ft"], { env: server.env })).code, 73);
});

test("explain gives sentences that can be acted on", async (t) => {
  const server = await StandIn.start(t);
  const explain = async (reason: WaitReason | undefined, more: Partial<Explanation> = {}, state = "waiting") => {
    server.on("explainJob", () => ({ job: "job_1", state, ...(reason !== undefined && { reason }), ...more }));
    return (await runTess(["explain", "llama-ft"], { env: server.env })).out;
  };
  assert.equal(
    await explain(
      { kind: "capacity", detail: "8 H100 needed on one node", needed: 8, free: 3 },
      { position: 3, ahead: 2 },
    ),
    "llama-ft waits because too little is free. 8 H100 needed on one node.\n" +
      "It needs 8 GPUs; 3 are free for it.\nIt is number 3 in line, with 2 jobs before it.\nWhat is free: tess gpus.\n",
  );
  assert.match(
    await explain({ kind: "quota", detail: "8 of 8 are held", account: "lab/vision" }, { position: 1 }),
    /The account that decides is lab\/vision\.\nIt is next in line\./,
  );
  assert.match(
    await explain({ kind: "not-yet", detail: "not before", until: "2099-01-01T00:00:00.000Z" }),
    /Until 2099-01-01 .*, in \d+d/,
  );
  assert.match(
    await explain({ kind: "quota", detail: "One user may hold at most 8 GPUs in lab.", needed: 4, held: 6, limit: 8 }),
    /\n6 of 8 GPUs are used\.\n/,
  );
  assert.match(
    await explain({ kind: "quota", detail: "lab has used all GPU hours.", unit: "GPU-hours", held: 24.5, limit: 24 }),
    /\n24\.5 of 24 GPU-hours are used\.\n/,
  );
  const money = { currency: "EUR", heldMicros: "901000000", limitMicros: "900000000" };
  for (const [of, word] of [
    ["budget", "spent"],
    ["credit", "owed"],
  ] as const)
    assert.match(
      await explain({ kind: "budget", detail: "It is used up.", of, money }),
      new RegExp(`901\\.00 EUR of 900\\.00 EUR are ${word}\\.`),
    );
  assert.equal(await explain(undefined, {}, "running"), "llama-ft is running, nothing holds it up.\n");
});

test("explain says who is ahead, when it starts, and what would start it sooner", async (t) => {
  const server = await StandIn.start(t);
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000 + 30_000).toISOString();
  const explain = async (more: Partial<Explanation>) => {
    const reason = { kind: "capacity" as const, detail: "It needs 8 H100 GPUs and 3 are free.", needed: 8, free: 3 };
    server.on("explainJob", () => ({ job: "job_1", state: "waiting", reason, ...more }));
    return (await runTess(["explain", "llama-ft"], { env: server.env })).out;
  };
  const displaces = {
    jobs: 1,
    members: 0,
    gpus: 5,
    by: [{ rule: "priority" as const, jobs: 1, members: 0, gpus: 5 }],
    seen: [],
    own: 1,
    hidden: 1,
    within: "30s",
  };
  const told = await explain({
    position: 8,
    ahead: 7,
    aheadBy: { account: { guaranteed: 0, burst: 1 }, others: { guaranteed: 2, burst: 4 } },
    start: { when: "later", at: inHours(2), basis: "plan", nodes: ["n3"] },
    alternatives: [
      { change: { field: "topology", from: "rack", to: "rack?" }, effect: "starts now", class: "burst" },
      { change: { field: "preemptible", from: false, to: true }, effect: "starts now", class: "burst" },
      { change: { field: "priority", from: 0, to: 1 }, effect: "starts now", class: "guaranteed", displaces },
      { change: { field: "gpus", from: "H100:8", to: "A100:8" }, effect: "starts later", at: inHours(1) },
    ],
  });
  assert.match(
    told,
    /number 8 in line, with 7 jobs before it: 1 burst of its own account; 2 guaranteed and 4 burst of others\./,
  );
  assert.match(told, /Planned start: in 2h on n3, going by the time limits of running jobs\./);
  assert.match(told, /What would start it sooner:\n {2}CHANGE {14}INSTEAD OF {2}EFFECT {8}CLASS {7}DISPLACES\n/);
  assert.match(told, /--topology 'rack\?' {2}rack {8}starts now {4}burst\n/);
  assert.match(told, /--preemptible {7}false {7}starts now {4}burst\n/);
  assert.match(told, /--priority 1 {8}0 {11}starts now {4}guaranteed {2}1 job \(5 GPUs\)\n/);
  assert.match(told, /--gpus A100:8 {7}H100:8 {6}starts in 1h\n/);
  const band = { when: "later" as const, p50: inHours(1), p90: inHours(3), basis: "run-times" as const, samples: 25 };
  assert.match(
    await explain({ start: band }),
    /It starts in 1h \(p50\) to in 3h \(p90\), going by 25 past run times of jobs like those running\./,
  );
  assert.match(
    await explain({ start: { when: "unknown", why: "it waits for quota" } }),
    /Its start is not known: it waits for quota\./,
  );
  const earliest = (basis: "price" | "period") => explain({ start: { when: "later", at: inHours(3), basis } });
  assert.match(await earliest("price"), /It starts in 3h at the earliest, when an hour costs less\./);
  assert.match(await earliest("period"), /It starts in 3h at the earliest, when a new period begins\./);
});

test("logs of a job that has written nothing say why", async (t) => {
  const server = await StandIn.start(t);
  server.on("readLogs", (_seen, response) => {
    response.writeHead(200).end();
    return "handled";
  });
  server.put("job_1", { state: "waiting", members: [], reason: { kind: "quota", detail: "lab is at its max" } });
  const waiting = await runTess(["logs", "llama-ft"], { env: server.env });
  assert.equal(waiting.code, 0);
  assert.equal(waiting.out, "");
  assert.match(waiting.err, /llama-ft waits and has not written anything: lab is at its max\n.*tess explain llama-ft/);
  server.put("job_1", { state: "running" });
  assert.match((await runTess(["logs", "llama-ft"], { env: server.env })).err, /has not written anything yet/);
});
