import assert from "node:assert/strict";
import test from "node:test";
import { problem, StandIn } from "../../testing/stand-in.ts";
import { runTess } from "../../testing/terminal.ts";
import { createdJob } from "../../testing/things.ts";

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

/** Two live jobs of one name, as the server tells of them. */
function ambiguous(server: StandIn): void {
  const jobs = ["job_1", "job_2"].map((id) => {
    return { id, project: "lab", user: "ana", state: "running", submittedAt: ago(60_000) };
  });
  server.on("getJob", ({ at }) => {
    if (at.job !== "train") return server.put(at.job!, {});
    return { status: 409, body: { ...problem(409, "ambiguous", 'job "train" is the name of 2 live jobs'), jobs } };
  });
}

test("of several live jobs of a name a person is asked which, and a script is refused", async (t) => {
  const server = await StandIn.start(t);
  ambiguous(server);
  server.on("cancelJob", ({ at }) => server.put(at.job!, { state: "stopping" }));
  const tty = { env: { ...server.env, TERM: "xterm", NO_COLOR: "1" }, columns: 80 };
  const chosen = await runTess(["cancel", "train"], { ...tty, input: "2\n" });
  assert.equal(chosen.code, 0, chosen.err);
  assert.match(chosen.err, /is the name of 2 live jobs[\s\S]*1 {2}job_1[\s\S]*2 {2}job_2[\s\S]*Which one\? \[1-2\]/);
  assert.deepEqual(
    server.requestsTo("cancelJob").map(({ at }) => at.job),
    ["job_2"],
  );
  assert.equal((await runTess(["cancel", "train"], { ...tty, input: "\n" })).code, 73);
  assert.equal((await runTess(["cancel", "train"], { env: server.env })).code, 73);
  assert.equal(server.requestsTo("cancelJob").length, 1);
});

test("cancel takes patterns and --all of one's own live jobs, asks with their number, and reports each refusal", async (t) => {
  const server = await StandIn.start(t);
  for (const [id, name] of [
    ["job_1", "exp-1"],
    ["job_2", "exp-2"],
    ["job_3", "train"],
  ] as const)
    server.put(id, { name, state: "waiting", members: [] });
  server.on("cancelJob", ({ at }) =>
    at.job === "job_2" ? { status: 409, body: problem(409, "conflict", "it has ended") } : server.put(at.job!, {}),
  );
  server.on("whoAmI", () => ({ user: "usr_ana", name: "ana", bindings: [], scopes: [], may: [] }));
  const tty = { env: { ...server.env, TERM: "xterm", NO_COLOR: "1" }, columns: 80 };
  const no = await runTess(["cancel", "exp-*", "--state", "waiting"], { ...tty, input: "n\n" });
  assert.match(no.err, /Cancel 2 jobs\? \[y\/N\]/);
  assert.equal(no.code, 130);
  const [asked] = server.requestsTo("listJobs");
  assert.deepEqual([asked!.query.state, typeof asked!.query.user], ["waiting", "string"]);
  const some = await runTess(["cancel", "exp-?", "-y"], tty);
  assert.equal(some.code, 73);
  assert.match(some.err, /it has ended/);
  assert.equal((await runTess(["cancel", "--all", "-y"], tty)).code, 73);
  assert.deepEqual(
    server.requestsTo("cancelJob").map(({ at }) => at.job),
    ["job_1", "job_2", "job_1", "job_2", "job_3"],
  );
  assert.equal((await runTess(["cancel", "nothing-*"], tty)).code, 66);
  for (const wrong of [["cancel"], ["cancel", "a", "--all"], ["cancel", "a", "--state", "waiting"]])
    assert.equal((await runTess(wrong, tty)).code, 2, wrong.join(" "));
});

test("suspend says what is lost where there is no checkpoint, and asks", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", { name: "a", startedAt: ago(3 * 60_000) });
  server.put("job_2", { name: "b", spec: { checkpoint: { grace: "1m" } }, startedAt: ago(3 * 60_000) });
  server.on("suspendJob", ({ at }) => server.put(at.job!, { state: "stopping" }));
  server.on("requeueJob", ({ at }) => server.put(at.job!, { state: "stopping" }));
  server.on("releaseJob", ({ at }) => server.put(at.job!, { state: "waiting", members: [] }));
  const tty = { env: { ...server.env, TERM: "xterm", NO_COLOR: "1" }, columns: 80 };
  const no = await runTess(["suspend", "a"], { ...tty, input: "n\n" });
  assert.equal(no.code, 130);
  assert.match(no.err, /No checkpoint is declared for a \(3m of work\): what is not saved is lost\. Suspend\?/);
  const script = await runTess(["requeue", "a"], { env: server.env });
  assert.equal(script.code, 2);
  assert.match(script.err, /add -y to go on/);
  assert.equal(server.requestsTo("suspendJob").length + server.requestsTo("requeueJob").length, 0);
  assert.equal((await runTess(["suspend", "b"], { env: server.env })).out, "b job_2 suspended (stopping)\n");
  assert.equal((await runTess(["requeue", "a", "-y"], { env: server.env })).code, 0);
  const resumed = await runTess(["resume", "b", "-o", "json"], { env: server.env });
  assert.equal(JSON.parse(resumed.out).state, "waiting");
});

test("edit sends what --set names, field by field and entry by entry", async (t) => {
  const server = await StandIn.start(t);
  const checkpoint = { signal: "SIGUSR1", grace: "1m" };
  server.put("job_1", { state: "waiting", members: [], spec: { run: "true", checkpoint, env: { A: "1" } } });
  server.on("editJob", () => server.put("job_1", {}));
  const words = ["gpus=[H100:8, A100:8]", "priority=7", "checkpoint.grace=5m", "env.B=2", "max_time="];
  const edited = await runTess(["edit", "job_1", ...words.flatMap((word) => ["--set", word])], { env: server.env });
  assert.equal(edited.code, 0, edited.err);
  assert.deepEqual(server.requestsTo("editJob")[0]!.body, {
    set: {
      gpus: ["H100:8", "A100:8"],
      priority: 7,
      checkpoint: { signal: "SIGUSR1", grace: "5m" },
      env: { A: "1", B: "2" },
    },
    unset: ["max_time"],
  });
  for (const wrong of ["gpus", "=4", "run.x=1"])
    assert.equal((await runTess(["edit", "job_1", "--set", wrong], { env: server.env })).code, 2, wrong);
  assert.equal((await runTess(["edit", "job_1"], { env: server.env })).code, 2);
});

test("edit opens the job in the user's editor and sends what was changed there", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", { state: "waiting", members: [], spec: { run: "true", priority: 0, max_time: "1h" } });
  server.on("editJob", () => server.put("job_1", {}));
  const withEditor = (EDITOR: string) =>
    runTess(["edit", "job_1"], {
      env: { ...server.env, TERM: "xterm", NO_COLOR: "1", EDITOR },
      columns: 80,
      input: "",
    });
  const edited = await withEditor("sed -i -e s/priority:.*/priority:\\ 9/ -e /max_time/d");
  assert.equal(edited.code, 0, edited.err);
  assert.deepEqual(server.requestsTo("editJob")[0]!.body, { set: { priority: 9 }, unset: ["max_time"] });
  assert.match((await withEditor("true")).err, /nothing was changed/);
  assert.equal((await withEditor("false")).code, 130);
  assert.equal(server.requestsTo("editJob").length, 1);
});

test("rerun submits what was recorded, with changes, and of an array only what failed", async (t) => {
  const server = await StandIn.start(t);
  const spec = {
    name: "frames",
    run: "render",
    gpus: 1,
    array: "1-8%2",
    after: [{ job: "job_0", when: "ended" }],
    deadline: ago(1),
  };
  const elements = { size: 8, waiting: 0, active: 0, succeeded: 6, failed: 2, failedIndexes: [3, 7] };
  server.put("job_1", {
    name: "frames",
    state: "ended",
    outcome: "failed",
    members: [],
    spec,
    elements,
    project: "lab",
  });
  const element = (index: number, outcome: string) =>
    server.put(`job_1.${index}`, { state: "ended", outcome, members: [], array: { id: "job_1", index } });
  server.on("listJobs", () => ({ items: [element(7, "timed-out"), element(3, "failed"), element(1, "succeeded")] }));
  server.on("submitJob", () => ({
    status: 201,
    body: {
      ...{ id: "job_9", name: "frames", project: "lab", user: "usr_1", state: "waiting", size: 2, gpus: 1 },
      submittedAt: ago(0),
    },
  }));
  const bodies = () => server.requestsTo("submitJob").map(({ body }) => body);
  assert.equal((await runTess(["rerun", "job_1", "--set", "gpus=2", "--set", "array="], { env: server.env })).code, 0);
  assert.deepEqual(bodies()[0], { name: "frames", run: "render", gpus: 2, project: "lab" });
  const failed = await runTess(["rerun", "--failed", "job_1"], { env: server.env });
  assert.equal(failed.out, "frames job_9 submitted to lab, 2 elements\n");
  assert.equal((bodies()[1] as { array: string }).array, "3,7%2");
  assert.equal((await runTess(["rerun", "job_1.3"], { env: server.env })).code, 0);
  assert.equal((bodies()[2] as { array: string }).array, "3-3");
});

test("an array says which elements did not succeed, and where their logs are", async (t) => {
  const server = await StandIn.start(t);
  const elements = { size: 8, waiting: 0, active: 0, succeeded: 6, failed: 2, failedIndexes: [3, 7] };
  const array = server.put("job_1", { name: "frames", state: "ended", outcome: "failed", members: [], elements });
  server.on("listJobs", () => ({ items: [array] }));
  const logs = await runTess(["logs", "frames"], { env: server.env });
  assert.equal(logs.code, 2);
  assert.match(logs.err, /frames is an array of 8[\s\S]*such as frames\.3; 2 of 8 did not succeed: 3, 7/);
  assert.match((await runTess(["ps", "--state", "failed"], { env: server.env })).out, /2 of 8 did not succeed: 3, 7/);
  assert.equal(server.requestsTo("listJobs")[0]!.query.state, "failed");
});

test("labels go with run and edit, cut the list, and are shown", async (t) => {
  const server = await StandIn.start(t);
  server.put("job_1", { state: "running", labels: { sweep: "lr" }, spec: { run: "true", labels: { sweep: "lr" } } });
  server.on("editJob", () => server.put("job_1", {}));
  server.on("submitJob", () => createdJob());
  const tess = (...words: string[]) => runTess(words, { env: server.env, columns: 200 });
  assert.equal((await tess("run", "--label", "sweep=lr", "--label", "n=2", "-d", "--", "true")).code, 0);
  assert.deepEqual((server.requestsTo("submitJob")[0]!.body as { labels: unknown }).labels, { n: "2", sweep: "lr" });
  assert.equal((await tess("run", "--label", "sweep", "--", "true")).code, 2);
  assert.equal((await tess("edit", "job_1", "--set", "labels.best=yes")).code, 0);
  const { set } = server.requestsTo("editJob")[0]!.body as { set: unknown };
  assert.deepEqual(set, { labels: { best: "yes", sweep: "lr" } });
  assert.match((await tess("ps", "-l", "sweep=lr", "-o", "wide")).out, /sweep=lr/);
  assert.equal(server.requestsTo("listJobs").at(-1)!.query.label, "sweep=lr");
});
