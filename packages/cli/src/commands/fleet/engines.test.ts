import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { temporaryFolder } from "../../testing/folder.ts";
import { problem, StandIn } from "../../testing/stand-in.ts";
import { runTess } from "../../testing/terminal.ts";
import { createdJob, engineOf, nodeOf, poolOf } from "../../testing/things.ts";

function kubeconfigIn(t: TestContext): string {
  const folder = temporaryFolder(t);
  const cluster = { server: "https://10.0.0.1:6443", "certificate-authority": "ca.crt" };
  writeFileSync(join(folder, "ca.crt"), "CA");
  writeFileSync(
    join(folder, "config"),
    JSON.stringify({
      "current-context": "east",
      contexts: ["east", "west"].map((name) => ({ name, context: { cluster: "c", user: name } })),
      clusters: [{ name: "c", cluster }],
      users: ["east", "west"].map((name) => ({ name, user: { token: `token-of-${name}` } })),
    }),
  );
  return folder;
}

test("an engine is created with one context of a kubeconfig, without references to files", async (t) => {
  const server = await StandIn.start(t);
  const cwd = kubeconfigIn(t);
  server.on("createEngine", () => engineOf());
  const run = (line: string) => runTess(line.split(" "), { env: server.env, cwd });
  const made = await run(
    "engine create east --kind kubernetes --kubeconfig config --context west --set rackLabel=example.com/rack --lost-after 10m",
  );
  assert.deepEqual(
    [made.code, made.err, made.out],
    [0, "", "east created: Kubernetes v1.37.1, 2 nodes, 16 GPUs, 12 free\n"],
  );
  const { kubeconfig, ...rest } = server.requestsTo("createEngine")[0]!.body as { kubeconfig: string };
  assert.deepEqual(rest, {
    name: "east",
    kind: "kubernetes",
    settings: { context: "west", rackLabel: "example.com/rack" },
    lostAfter: "10m",
  });
  assert.match(kubeconfig, /token-of-west/);
  assert.match(kubeconfig, new RegExp(Buffer.from("CA").toString("base64")));
  assert.doesNotMatch(kubeconfig, /token-of-east|ca\.crt/);
  server.on("createEngine", () => engineOf({ reach: "connecting", nodes: 0, gpus: 0, gpusFree: 0 }));
  server.on("getEngine", () => engineOf());
  assert.match((await run("engine create east --kubeconfig config")).out, /2 nodes, 16 GPUs/);
  server.on("getEngine", () => engineOf({ reach: "unreachable", error: "no answer within 30 s" }));
  assert.match(
    (await run("engine create east --kubeconfig config")).err,
    /cannot be reached yet: no answer within 30 s/,
  );
  server.on("createEngine", () => engineOf({ gpus: 0, gpusFree: 0 }));
  assert.match((await run("create engine east --kubeconfig config")).err, /shows no GPUs[\s\S]*device plugin/);
});

test("what is wrong with a new engine is said before anything is sent, or in the server's words", async (t) => {
  const server = await StandIn.start(t);
  const cwd = kubeconfigIn(t);
  const wrong: [string, number, RegExp][] = [
    ["engine create east", 2, /--kubeconfig is missing[\s\S]*~\/\.kube\/config/],
    ["engine create east --kubeconfig nowhere", 66, /there is no file nowhere/],
    ["engine create east --kubeconfig config --context south", 65, /no context "south"[\s\S]*east, west/],
    ["engine create east --kubeconfig config --lost-after soon", 2, /--lost-after must be .*"soon"[\s\S]*10m/],
    ["engine create east --kubeconfig config --set rackLabel", 2, /--set must be NAME=VALUE, got "rackLabel"/],
    ["engine create east --kind slurm", 2, /slurm/],
    ["engine edit east", 2, /nothing to change/],
    ["engine edit east --context west", 2, /--context needs --kubeconfig/],
    ["pool create gold", 2, /--label is missing/],
    ["pool create gold --label tier", 2, /--label must be KEY=VALUE, got "tier"/],
    ["pool edit gold", 2, /nothing to change/],
    ["pool edit gold --all-tenants --tenant lab", 2, /cannot be used together/],
    ["run --where tier=a --where tier=b -- x", 2, /--where asks for tier to be "a" and "b"/],
  ];
  for (const [line, code, text] of wrong) {
    const result = await runTess(line.split(" "), { env: server.env, cwd });
    assert.equal(result.code, code, `${line}: ${result.err}`);
    assert.match(result.err, text);
  }
  assert.equal(server.seen.length, 0);
  server.on("createEngine", () => ({
    status: 422,
    body: { ...problem(422, "invalid", "the certificate of the user has expired"), hint: "renew it" },
  }));
  const refused = await runTess(["engine", "create", "east", "--kubeconfig", "config"], { env: server.env, cwd });
  assert.equal(refused.code, 65);
  assert.match(refused.err, /has expired[\s\S]*renew it/);
});

test("engines are listed and described with what keeps work away", async (t) => {
  const server = await StandIn.start(t);
  const away = engineOf({
    name: "west",
    reach: "unreachable",
    since: "2026-11-15T10:00:00.000Z",
    lostAt: "2026-11-15T10:10:00.000Z",
    error: "connect ECONNREFUSED 10.0.0.2:6443",
  });
  server.on("listEngines", () => ({ items: [engineOf(), away, engineOf({ name: "old", leaving: true })] }));
  server.on("getEngine", () => away);
  const env = { ...server.env, TZ: "UTC" };
  const lines = (await runTess(["engines"], { env })).out.split("\n");
  assert.match(lines[0]!, /^NAME +KIND +STATE +SINCE +NODES +GPUS +FREE +VERSION +DETAIL$/);
  assert.match(lines[1]!, /^east +kubernetes +reachable .* 2 +16 +12 +Kubernetes v1\.37\.1$/);
  assert.match(lines[2]!, /^west +kubernetes +unreachable .*ECONNREFUSED .*; its jobs count as lost at 2026-11-15/);
  assert.match(lines[3]!, /^old +kubernetes +leaving .*is deleted when it is empty$/);
  const { out } = await runTess(["describe", "engine", "west"], { env });
  assert.match(out, /^west {2}unreachable\n.*12 of 16 GPUs free, 4 held by jobs\n/);
  assert.match(
    out,
    /Version +Kubernetes v1\.37\.1\n {2}Out of reach +since 2026-11-15 [\s\S]*Error +connect ECONNREFUSED/,
  );
  assert.match(out, /Runs +container images; volumes; isolation whole, mig\n {2}Lacks +jobs without an image; code/);
  assert.match(out, /Settings +context=east\n {2}Credentials +kept, sealed\n/);
  assert.deepEqual(JSON.parse((await runTess(["engine", "get", "west", "-o", "json"], { env })).out), away);
});

test("engines are edited, cordoned, brought back, and deleted once they are empty", async (t) => {
  const server = await StandIn.start(t);
  server.on("editEngine", () => engineOf());
  server.on("cordonEngine", () => engineOf({ cordoned: "upgrade" }));
  server.on("upEngine", () => engineOf());
  server.on("deleteEngine", () => ({ status: 204 }));
  server.on("getEngine", () => engineOf({ leaving: true }));
  const run = async (...argv: string[]) => (await runTess(argv, { env: server.env })).out;
  assert.equal(await run("engine", "edit", "east", "--set", "rackLabel=", "--lost-after", "never"), "east changed\n");
  assert.deepEqual(server.requestsTo("editEngine")[0]?.body, { settings: { rackLabel: null }, lostAfter: null });
  assert.equal(await run("engine", "cordon", "east", "--reason", "upgrade"), "east is cordoned (upgrade)\n");
  assert.equal(await run("engine", "up", "east"), "east is reachable\n");
  assert.equal(
    await run("delete", "engine", "east", "--yes"),
    "east is being drained, and is deleted when it is empty\n",
  );
  server.on("getEngine", () => ({ status: 404, body: problem(404, "not-found", "there is no such engine") }));
  assert.equal(await run("engine", "delete", "east", "--yes"), "east deleted\n");
  const declined = await runTess(["engine", "delete", "east"], {
    env: { ...server.env, TERM: "xterm" },
    columns: 80,
    input: "no\n",
  });
  assert.equal(declined.code, 130);
  assert.match(declined.err, /Drain east, and delete it when empty\?/);
  assert.equal(server.requestsTo("deleteEngine").length, 2);
});

test("pools are made, shown, changed and deleted", async (t) => {
  const server = await StandIn.start(t);
  server.on("createPool", () => poolOf());
  server.on("editPool", () => poolOf({ price: "2" }));
  server.on("deletePool", () => ({ status: 204 }));
  server.on("listPools", () => ({ items: [poolOf(), { ...poolOf({ name: "open" }), tenants: undefined }] }));
  const run = (...argv: string[]) => runTess(argv, { env: server.env });
  const made = await run(
    ...["pool", "create", "gold", "--label", "tier=gold", "--label", "engine=east"],
    ...["--tenant", "lab", "--tenant", "studio/render", "--price", "1.5"],
  );
  assert.match(made.out, /^gold created\n {2}Labels +tier=gold, engine=east\n {2}Tenants +lab, studio\/render\n/);
  assert.deepEqual(server.requestsTo("createPool")[0]?.body, {
    name: "gold",
    labels: { tier: "gold", engine: "east" },
    tenants: ["lab", "studio/render"],
    price: "1.5",
  });
  assert.deepEqual((await run("pools")).out.split("\n"), [
    "NAME  LABELS                  TENANTS             PRICE  NODES  GPUS",
    "gold  tier=gold, engine=east  lab, studio/render   1.5x      2    16",
    "open  tier=gold, engine=east  (all)                1.5x      2    16",
    "",
  ]);
  assert.equal((await run("pool", "edit", "gold", "--all-tenants", "--price", "2")).code, 0);
  assert.deepEqual(server.requestsTo("editPool")[0]?.body, { tenants: null, price: "2" });
  assert.equal((await run("pool", "delete", "gold")).out, "gold deleted\n");
});

test("pools say how GPUs are shared, and nodes how much is given out", async (t) => {
  const server = await StandIn.start(t);
  const sharing = { mode: "timeslice", ratio: 4, trust: "trusted", given: 1.5, of: 32 } as const;
  server.on("createPool", () => poolOf({ mode: "timeslice", ratio: 4, trust: "trusted" }));
  server.on("editPool", () => poolOf());
  server.on("listPools", () => ({ items: [poolOf({ mode: "timeslice", ratio: 4 })] }));
  server.on("listNodes", () => ({ items: [nodeOf({ sharing })] }));
  server.on("getNode", () => nodeOf({ sharing }));
  const run = (...argv: string[]) => runTess(argv, { env: server.env });
  const made = await run(
    ...["pool", "create", "gold", "--label", "tier=gold", "--mode", "timeslice", "--ratio", "4", "--trust", "trusted"],
  );
  assert.deepEqual(server.requestsTo("createPool")[0]?.body, {
    name: "gold",
    labels: { tier: "gold" },
    mode: "timeslice",
    ratio: 4,
    trust: "trusted",
  });
  assert.match(made.out, /Sharing +parts by time slices, 4 times as much as there is; memory once\n/);
  assert.match(made.out, /Parts of +trusted tenants and those trusted more\n/);
  await run("pool", "edit", "gold", "--mode", "node", "--trust", "all");
  assert.deepEqual(server.requestsTo("editPool")[0]?.body, { mode: null, trust: null });
  assert.match((await run("pools")).out, /SHARING .*\n.* timeslice, 4 times /);
  assert.match((await run("gpus")).out, /timeslice 1.5\/32 given out/);
  assert.match((await run("node", "get")).out, / SHARES .*\n.* timeslice 1.5\/32 /);
  const described = (await run("node", "describe", "n0")).out;
  assert.match(described, /parts by time slices, given out 4 times, to trusted tenants: 1.5 of 32 given out/);
});

test("with several engines, GPUs are counted by engine, and nodes are named with theirs", async (t) => {
  const server = await StandIn.start(t);
  const far = nodeOf({
    name: "east/n0",
    engine: "east",
    mode: "unknown",
    reason: "east is out of reach",
    labels: { tier: "gold" },
    pool: "gold",
    region: "eu",
  });
  server.on("listNodes", () => ({ items: [nodeOf({ name: "local/n0" }), far] }));
  server.on("drainNode", () => far);
  const lines = (await runTess(["gpus"], { env: server.env })).out.split("\n");
  assert.match(lines[0]!, /^east\/H100 .* 0\/8 free, 3 on nodes that take no work$/);
  assert.match(lines[1]!, /^local\/H100 .* 3\/8 free$/);
  assert.match(lines[3]!, /^east\/n0 .*unknown: east is out of reach$/);
  const wide = (await runTess(["node", "get", "-o", "wide"], { env: server.env })).out.split("\n");
  assert.match(wide[0]!, /ENGINE +REGION +ZONE .*POOL +REASON +LABELS/);
  assert.match(wide[2]!, /^east\/n0 +unknown .* east +eu .* gold +east is out of reach +tier=gold$/);
  await runTess(["node", "drain", "east/n0"], { env: server.env });
  assert.equal(server.requestsTo("drainNode")[0]?.at.node, "east/n0");
});

test("a job is narrowed to an engine, a region and labels; labels are added to those of the file", async (t) => {
  const server = await StandIn.start(t);
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, "job.yaml"), "run: x\nwhere: {tier: silver, disk: nvme}\n");
  server.on("submitJob", () => createdJob());
  const flags = ["--engine", "east", "--region", "eu", "--where", "tier=gold", "--workdir", "none"];
  const { code, err } = await runTess(["run", "job.yaml", "-d", ...flags], { env: server.env, cwd });
  assert.equal(code, 0, err);
  const { engine, region, where } = server.requestsTo("submitJob")[0]!.body as Record<string, unknown>;
  assert.deepEqual({ engine, region, where }, { engine: "east", region: "eu", where: { tier: "gold", disk: "nvme" } });
});
