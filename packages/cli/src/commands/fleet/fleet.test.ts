import assert from "node:assert/strict";
import test from "node:test";
import type { UsageReport } from "@tessera/wire";
import { StandIn } from "../../testing/stand-in.ts";
import { runTess } from "../../testing/terminal.ts";
import { accountOf, nodeOf } from "../../testing/things.ts";

test("gpus shows free and total of each model, then the nodes, and what is out of service apart", async (t) => {
  const server = await StandIn.start(t);
  server.on("listNodes", () => ({
    items: [
      nodeOf({ name: "n10", gpusFree: 8, mode: "draining", reason: "new driver" }),
      nodeOf({ name: "n2" }),
      nodeOf({ name: "v0", model: "A100", gpus: 4, gpusFree: 4, virtual: true }),
    ],
  }));
  const { code, out } = await runTess(["gpus"], { env: server.env });
  assert.equal(code, 0);
  const lines = out.split("\n");
  assert.match(lines[0]!, /^A100 \(virtual\) {2}░{24} {2}4\/4 free$/);
  assert.match(lines[1]!, /^H100 +█{8}▒{12}░{4} {2}3\/16 free, 8 on nodes that take no work$/);
  assert.match(lines[3]!, /^n2 +■{5}░{3} {2}3\/8 free +H100 {2}z1\/r1$/);
  assert.match(lines[4]!, /^n10 .*draining: new driver$/);
  assert.match(lines[5]!, /^v0 /);
});

test("gpus in a machine's format are the single devices", async (t) => {
  const server = await StandIn.start(t);
  const device = {
    uuid: "GPU-1",
    node: "n0",
    index: 0,
    model: "H100",
    memoryMiB: 81_920,
    virtual: false,
    mode: "up",
    free: 1,
    jobs: [],
    names: [],
  };
  server.on("listGpus", () => ({ items: [device] }));
  const { out } = await runTess(["gpus", "--node", "n0", "-o", "json"], { env: server.env });
  assert.deepEqual(JSON.parse(out), { items: [device] });
  assert.deepEqual(server.requestsTo("listGpus")[0]?.query, { node: "n0", limit: 1000 });
});

test("nodes are cordoned, drained with a deadline and a report of who is still there, and brought back", async (t) => {
  const server = await StandIn.start(t);
  server.on("cordonNode", () => nodeOf({ mode: "cordoned", reason: "fan" }));
  server.on("drainNode", () =>
    nodeOf({ mode: "draining", blockers: { jobs: ["job_1"], names: ["llama-ft"], hidden: 2 } }),
  );
  server.on("upNode", () => nodeOf());
  server.on("maintainNode", () => nodeOf());
  server.on("downNode", () => nodeOf({ mode: "down" }));
  const run = async (...argv: string[]) => (await runTess(argv, { env: server.env })).out;
  assert.equal(await run("node", "cordon", "n0", "--reason", "fan"), "n0 is cordoned (fan)\n");
  assert.equal(
    await run("node", "drain", "n0", "--within", "2h"),
    "n0 is draining, waits for llama-ft and 2 of others\n",
  );
  assert.equal(await run("node", "up", "n0"), "n0 is up\n");
  const times = ["--from", "2026-12-01T08:00", "--to", "2026-12-01T12:00", "--tz", "Europe/Berlin"];
  await run("node", "maintenance", "n0", ...times, "--reason", "new driver");
  await run("node", "maintenance", "n0", "--cancel");
  const [planned, taken] = server.requestsTo("maintainNode").map(({ body }) => body);
  const window = { from: "2026-12-01T08:00", to: "2026-12-01T12:00", tz: "Europe/Berlin", reason: "new driver" };
  assert.deepEqual([planned, taken], [window, { cancel: true }]);
  assert.equal((await runTess(["node", "maintenance", "n0"], { env: server.env })).code, 2);
  assert.equal(await run("node", "down", "n0", "-o", "name"), "n0\n");
  assert.deepEqual(server.requestsTo("cordonNode")[0]?.body, { reason: "fan" });
  assert.deepEqual(server.requestsTo("drainNode")[0]?.body, { within: "2h" });
  assert.equal((await runTess(["node", "drain", "n0", "--within", "soon"], { env: server.env })).code, 2);
  const declined = await runTess(["node", "drain", "n0"], {
    env: { ...server.env, TERM: "xterm" },
    columns: 80,
    input: "no\n",
  });
  assert.equal(declined.code, 130);
  assert.equal(server.requestsTo("drainNode").length, 1);
});

test("the account tree shows what is promised, used and borrowed at each level", async (t) => {
  const server = await StandIn.start(t);
  const used = (gpus: number, borrowed = 0) => ({ gpus, byModel: { H100: gpus }, borrowed, cpus: 0, memoryMiB: 0 });
  server.on("listAccounts", () => ({
    items: [
      accountOf("lab/vision/detect"),
      accountOf("lab", { guarantee: { "*": 16 }, max: { "*": 32 }, used: used(10) }),
      accountOf("lab/vision", { guarantee: { "*": 4 }, used: used(6, 2), liveJobs: 1 }),
      accountOf("lab/nlp", { guarantee: { H100: 8 }, used: used(4) }),
      accountOf("other"),
    ],
  }));
  const { out } = await runTess(["account", "tree"], { env: server.env });
  assert.deepEqual(out.split("\n"), [
    "lab           █████████████░░░░░░░  10 used of 16 guaranteed, max 32",
    "├─ nlp        █████░░░░░            4 used of 8 H100 guaranteed",
    "└─ vision     █████▓▓▓              6 used of 4 guaranteed, 2 borrowed, 1 job",
    "   └─ detect                        0 used of 0 guaranteed",
    "other                               0 used of 0 guaranteed",
    "",
  ]);
  assert.equal(JSON.parse((await runTess(["quota", "tree", "--json"], { env: server.env })).out).items.length, 5);
});

test("account create and edit send what the flags say; an edit keeps the other limits and names the revision it saw", async (t) => {
  const server = await StandIn.start(t);
  const before = accountOf("lab", { limits: { gpusPerJob: 4, runTime: "1h" }, revision: "rev-7" });
  server.on("createAccount", () => before);
  server.on("getAccount", () => before);
  server.on("editAccount", () => before);
  const create =
    "account create lab --guarantee H100:4,*:2 --max 8 --lendable 0.5 --weight 3 --cpus-max 64 --memory-guarantee 1GiB --trust untrusted --gpu-hours 1000/7d --models H100,A100 --overcommit --order attained-service --quantum 30m --history-half-life 7d";
  assert.equal((await runTess(create.split(" "), { env: server.env })).code, 0);
  assert.deepEqual(server.requestsTo("createAccount")[0]?.body, {
    path: "lab",
    guarantee: { H100: 4, "*": 2 },
    max: 8,
    lendable: 0.5,
    weight: 3,
    cpus: { max: 64 },
    memoryMiB: { guarantee: 1024 },
    trust: "untrusted",
    historyHalfLife: "7d",
    order: "attained-service",
    quantum: "30m",
    overcommit: true,
    limits: { gpuHours: { max: 1000, every: "7d" } },
    allowed: { models: ["H100", "A100"] },
  });
  assert.equal(
    (await runTess("edit account lab --max none --gpus-per-job none --gpus-per-user 2".split(" "), { env: server.env }))
      .code,
    0,
  );
  const [edit] = server.requestsTo("editAccount");
  assert.deepEqual(edit?.body, { max: null, limits: { runTime: "1h", gpusPerUser: 2 } });
  assert.equal(edit?.headers["if-match"], "rev-7");
  assert.equal((await runTess(["account", "edit", "lab"], { env: server.env })).code, 2);
  assert.equal((await runTess(["account", "edit", "lab", "--max", "lots"], { env: server.env })).code, 2);
});

test("an account's path is one part of the address", async (t) => {
  const server = await StandIn.start(t);
  server.on("getAccount", () => accountOf("lab/vision"));
  server.on("deleteAccount", () => ({ status: 204 }));
  assert.equal((await runTess(["account", "delete", "lab/vision"], { env: server.env })).out, "lab/vision removed\n");
  assert.equal(server.requestsTo("deleteAccount")[0]?.at.account, "lab/vision");
});

test("usage shows totals and whether the books balance; JSON keeps the exact amounts", async (t) => {
  const server = await StandIn.start(t);
  const hour = 21_000n * 3_600_000n;
  const report: UsageReport = {
    from: "2026-11-15T00:00:00.000Z",
    to: "2026-11-15T10:00:00.000Z",
    by: "user",
    rows: [
      {
        key: "ana",
        unitMs: String(hour * 3n),
        byState: { running: String(hour * 2n), starting: String(hour) },
        gpuHours: "3",
      },
      { key: "bo", unitMs: String(hour), byState: { running: String(hour) }, gpuHours: "1" },
    ],
    total: String(hour * 4n),
    fleet: {
      capacity: String(hour * 80n),
      leased: String(hour * 4n),
      dedicated: "0",
      scrub: "0",
      reshape: "0",
      idle: String(hour * 76n),
      stranded: "0",
      held: "0",
      down: "0",
      maintenance: "0",
      balanced: true,
      differenceUnitMs: "0",
    },
  };
  server.on("readUsage", () => report);
  const { out } = await runTess(["usage", "--by", "user", "--from", "10h"], { env: { ...server.env, TZ: "UTC" } });
  assert.deepEqual(out.split("\n").slice(1), [
    "USER   GPU-HOURS  SHARE",
    "ana         3.00    75%",
    "bo          1.00    25%",
    "total       4.00   100%",
    "",
    "Fleet: 80.00 GPU-hours = 4.00 leased + 76.00 idle + 0.00 down + 0.00 maintenance  balanced",
    "",
  ]);
  assert.deepEqual(server.requestsTo("readUsage")[0]?.query, { by: "user", from: "10h" });
  assert.deepEqual(JSON.parse((await runTess(["usage", "--json"], { env: server.env })).out), report);
  const csv = await runTess(["usage", "--by", "user", "-o", "csv"], { env: server.env });
  assert.match(csv.out, /^user,gpu-hours,share,running,starting,unit-ms\nana,3,75%,/);
  server.on("readUsage", () => ({ ...report, fleet: { ...report.fleet!, balanced: false, differenceUnitMs: "17" } }));
  assert.match((await runTess(["usage"], { env: server.env })).out, /NOT balanced: 17 unit-ms apart/);
});

test("the policy is shown, and changed with what is given and what was there", async (t) => {
  const server = await StandIn.start(t);
  const plain = { rebalance: "checkpointed" as const, minRuntime: "5m", grace: "30s", backfill: true };
  const policy = { ...plain, movesPerHourMax: 60 };
  server.on("getPolicy", () => ({ ...policy, revision: "r1" }));
  server.on("setPolicy", ({ body }) => ({ ...(body as typeof policy), revision: "r2" }));
  const run = (...argv: string[]) => runTess(["policy", ...argv], { env: server.env });
  assert.match(
    (await run("get")).out,
    /Rebalance +checkpointed.*\nMinimum runtime +5m\nGrace +30s\nBackfill +on.*\nMoves +up to 60/,
  );
  assert.match((await run("set", "--min-runtime", "10m", "--no-backfill")).out, /10m\n.*30s\n.*off\n/);
  const [asked] = server.requestsTo("setPolicy");
  assert.deepEqual(asked?.body, { ...policy, minRuntime: "10m", backfill: false });
  assert.equal(asked?.headers["if-match"], "r1");
  assert.match((await run("set", "--moves-per-hour", "0")).out, /Moves +off\n/);
  assert.deepEqual(server.requestsTo("setPolicy")[1]?.body, { ...policy, movesPerHourMax: 0 });
  for (const wrong of [[], ["--grace", "soon"], ["--moves-per-hour", "few"]])
    assert.equal((await run("set", ...wrong)).code, 2);
});

test("an account is edited for a time, shows it, and can be told to forget it", async (t) => {
  const server = await StandIn.start(t);
  const windows = [
    {
      from: "2026-12-01T07:00:00.000Z",
      to: "2026-12-05T17:00:00.000Z",
      tz: "Europe/Berlin",
      state: "planned" as const,
      quota: { guarantee: { "*": 16 }, max: null },
    },
  ];
  const before = accountOf("lab", { windows, revision: "rev-7" });
  server.on("getAccount", () => before);
  server.on("editAccount", () => before);
  const run = (line: string) => runTess(line.split(" "), { env: server.env });
  const { out } = await run(
    "account edit lab --guarantee 16 --from 2026-12-01T08:00 --to 2026-12-05T18:00 --tz Europe/Berlin",
  );
  assert.match(out, /Window +2026-12-01 .* to 2026-12-05 .*, planned: guarantee 16, max null/);
  const window = { from: "2026-12-01T08:00", to: "2026-12-05T18:00", tz: "Europe/Berlin" };
  assert.equal((await run("account edit lab --no-window")).code, 0);
  assert.deepEqual(
    server.requestsTo("editAccount").map(({ body }) => body),
    [{ guarantee: 16, window }, { window: null }],
  );
  assert.equal((await run("account edit lab --guarantee 16 --from 2026-12-01T08:00")).code, 2);
});
