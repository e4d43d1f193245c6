import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type JobId, type LeaseId, leaseIdOf, type NodeFacts, type Report, type ReportWhat } from "@tessera/core";
import { type Engine, EngineFenced, type LeaseOrder, systemClock } from "@tessera/engine";
import { ApiClient } from "./api/client.ts";
import { readConfig } from "./api/config.ts";
import { ApiError } from "./api/error.ts";
import { paths } from "./api/paths.ts";
import type { List, Pod } from "./api/types.ts";
import { label, namespaceOf, podNameOf } from "./names.ts";
import { openKubernetes } from "./open.ts";

/** What the suite of all engines does not ask: how clusters end pods, gangs, and two control planes at once. On KWOK. */
const { KUBECONFIG: path } = process.env;
if (path === undefined) throw new Error("set KUBECONFIG to that of a lab");
const kubeconfig = await readFile(path, "utf8");
const client = new ApiClient(readConfig(kubeconfig, undefined));
const dir = await mkdtemp(join(tmpdir(), "tessera-life-"));
const name = `life-${process.pid}`;
const tenant = `acc_life${process.pid}`;
const namespace = namespaceOf(tenant);
const opened: Engine[] = [];
const seen = new Map<LeaseId, Report[]>();
let jobs = 0;

const startLimits = { pullMs: 1_000, scheduleMs: 3_000, createMs: 1_000, startMs: 10_000 };

function open(folder: string): Engine {
  const options = {
    name,
    kubeconfig,
    settings: { defaultImage: "localhost/busybox:1" },
    clock: systemClock,
    startLimits,
  };
  const engine = openKubernetes({ ...options, dir: join(dir, folder), content: join(dir, "content"), warn: () => {} });
  opened.push(engine);
  return engine;
}

function listen(engine: Engine): void {
  engine.subscribe((report) => seen.set(report.lease, [...(seen.get(report.lease) ?? []), report]));
}

async function nodeOf(engine: Engine): Promise<NodeFacts> {
  return (await engine.inventory()).find(({ labels }) => labels?.["node-kind"] === "kwok")!;
}

function orderOf(node: NodeFacts, words: string, change: Partial<LeaseOrder> = {}): LeaseOrder {
  const job = (change.job ?? `job_life${jobs++}`) as JobId;
  const rank = change.rank ?? 0;
  return {
    lease: leaseIdOf(job, 1, rank),
    job,
    jobName: "life",
    attempt: 1,
    rank,
    size: 1,
    node: node.name,
    gpuUuids: [node.gpus[0]!.uuid],
    gangNodes: [node.name],
    masterAddress: node.address,
    tenant,
    account: "life",
    run: "true",
    env: { SIM: words },
    secrets: {},
    limits: { cpusMilli: 100, memoryMiB: 64, processesMax: 100, runMsMax: 0 },
    strict: false,
    stop: { signal: "SIGTERM", graceMs: 2_000 },
    epoch: 1,
    ...change,
  };
}

async function until<Kind extends ReportWhat["kind"]>(lease: LeaseId, kind: Kind) {
  for (let waited = 0; waited < 30_000; waited += 50) {
    const found = seen.get(lease)?.find(({ what }) => what.kind === kind);
    if (found !== undefined) return found.what as Extract<ReportWhat, { kind: Kind }>;
    await sleep(50);
  }
  const kinds = seen.get(lease)?.map(({ what }) => what.kind);
  return assert.fail(`${lease} never reported ${kind}: ${kinds}`);
}

async function run(engine: Engine, order: LeaseOrder): Promise<void> {
  await engine.bind(order);
  await until(order.lease, "prepared");
  await engine.release(order.lease);
}

const podOf = (lease: LeaseId) => client.get<Pod>(paths.pod(namespace, podNameOf(lease)));

const engine = open("first");
listen(engine);
await engine.takeOver!(1);
const node = await nodeOf(engine);

after(async () => {
  for (const each of opened) await each.close();
  const query = { labelSelector: `${label.engine}=${name}` };
  for (const { metadata } of (await client.get<List<Pod>>(paths.pods(namespace), { query })).items) {
    await client.patch(paths.pod(namespace, metadata.name), { metadata: { finalizers: null } }).catch(() => {});
    await client.delete(paths.pod(namespace, metadata.name), { gracePeriodSeconds: 0 }).catch(() => {});
  }
  await client.delete(paths.namespace(namespace), {}).catch(() => {});
  client.close();
  await rm(dir, { recursive: true, force: true });
});

describe("ends that clusters give to pods", () => {
  it("an image that cannot be pulled is refused, and its pod goes", async () => {
    const order = orderOf(node, "sim-fail=pull");
    await run(engine, order);
    assert.match((await until(order.lease, "refused")).reason, /cannot be pulled \(ImagePullBackOff\)/);
    await engine.acknowledge(order.lease, seen.get(order.lease)!.at(-1)!.sequence);
    await assert.rejects(podOf(order.lease), (error) => error instanceof ApiError && error.status === 404);
  });

  it("more memory than its limit is an exit with that limit", async () => {
    const order = orderOf(node, "sim-run-for=0.2s sim-fail=oom");
    await run(engine, order);
    const { code, limit } = await until(order.lease, "exited");
    assert.deepEqual([code, limit], [137, "memory"]);
  });

  it("an eviction is a loss", async () => {
    const order = orderOf(node, "sim-run-for=0.2s sim-fail=evicted");
    await run(engine, order);
    assert.match((await until(order.lease, "lost")).reason, /Evicted.*low on resource/);
  });

  it("a member that the scheduler of the cluster does not place is lost after its limit", async () => {
    const mounts = [{ at: "/data", claim: "nowhere", readOnly: true }];
    const order = orderOf(node, "", { mounts });
    await run(engine, order);
    assert.match((await until(order.lease, "lost")).reason, /did not place it within 3s.*"nowhere" not found/);
  });

  it("what the API server refuses is refused with its words", async () => {
    const order = orderOf(node, "", { limits: { cpusMilli: 100, memoryMiB: -5, processesMax: 1, runMsMax: 0 } });
    await engine.bind(order);
    assert.match((await until(order.lease, "refused")).reason, /the cluster refuses it: .*greater than or equal to 0/);
  });
});

it("a gang meets at the address of rank 0, which the others get with their release", async () => {
  const job = `job_life${jobs++}` as JobId;
  const orders = [0, 1, 2].map((rank) => orderOf(node, "", { job, rank, size: 3, gpuUuids: [node.gpus[rank]!.uuid] }));
  for (const order of orders) await engine.bind(order);
  for (const order of orders) await until(order.lease, "prepared");
  for (const order of orders.toReversed()) await engine.release(order.lease);
  for (const order of orders) await until(order.lease, "started");
  const [first, second, third] = await Promise.all(orders.map(({ lease }) => podOf(lease)));
  assert.ok(first!.status?.podIP);
  for (const pod of [second, third]) {
    assert.equal(pod!.metadata.annotations?.["tessera.dev/master"], first!.status?.podIP);
  }
  for (const { lease } of orders) await engine.stop(lease, { signal: "SIGTERM", graceMs: 1_000 });
  for (const { lease } of orders) await until(lease, "exited");
});

describe("two control planes at once", () => {
  it("the replaced one lets nothing go, whatever it had under way, and what it makes later is not run", async () => {
    const held = orderOf(node, "sim-run-for=0.2s", { secrets: { KEY: "value" } });
    await engine.bind(held);
    await until(held.lease, "prepared");
    const next = open("second");
    await next.takeOver!(2);
    await assert.rejects(engine.release(held.lease), /another control plane/);
    await assert.rejects(engine.bind(orderOf(node, "")), EngineFenced);
    await sleep(500);
    assert.equal((await podOf(held.lease)).spec.nodeName, undefined);
    listen(next);
    await next.release(held.lease);
    await until(held.lease, "exited");
    await assert.rejects(engine.takeOver!(1), EngineFenced);
  });
});
