import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ContentStore } from "@tessera/content";
import { type JobId, type KeptOutput, leaseIdOf, type NodeFacts, type Report, type ReportWhat } from "@tessera/core";
import { type Engine, type LeaseOrder, systemClock } from "@tessera/engine";
import { ApiClient } from "../api/client.ts";
import { readConfig } from "../api/config.ts";
import { paths } from "../api/paths.ts";
import { namespaceOf, podNameOf } from "../names.ts";
import { openKubernetes } from "../open.ts";
import type { KubernetesSettings } from "../settings.ts";
import { checkpointClaim } from "./claims.ts";

/**
 * What goes on inside members, on a real node of a lab. KUBECONFIG is its administrator's; LAB_IMAGES has the names of three
 * images: a shell, Python, and Tessera itself.
 */
const { KUBECONFIG: kubeconfig = "", LAB_NODES, LAB_IMAGES = "" } = process.env;
const [shell = "localhost/busybox:1", python = "", agentImage = ""] = LAB_IMAGES.split(",");
const skip = LAB_NODES !== "real" && "needs a real node";

describe("inside members on a real node", { skip, concurrency: false }, () => {
  const tenant = `acc_inside${process.pid}`;
  const namespace = namespaceOf(tenant);
  const checkpointClass = `inside-${process.pid}`;
  const reports: Report[] = [];
  let jobs = 0;
  let dir = "";
  let engine: Engine;
  let client: ApiClient;
  let node: NodeFacts;

  const open = async (settings: KubernetesSettings = {}) => {
    engine = openKubernetes({
      name: `inside-${process.pid}`,
      kubeconfig: await readFile(kubeconfig, "utf8"),
      settings: { defaultImage: shell, agentImage, ...settings },
      dir: join(dir, "engine"),
      content: join(dir, "content"),
      clock: systemClock,
      warn: (text) => console.error(text),
    });
    await engine.takeOver?.(1);
    engine.subscribe((report) => reports.push(report));
  };

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "tessera-inside-"));
    client = new ApiClient(readConfig(await readFile(kubeconfig, "utf8"), undefined));
    await open();
    node = (await engine.inventory()).find(({ labels }) => labels?.["node-kind"] === "real")!;
  });

  after(async () => {
    await engine.close();
    await client.delete(paths.namespace(namespace), {}).catch(() => {});
    for (const name of [`${checkpointClass}-0`, `${checkpointClass}-1`])
      await client.delete(`/api/v1/persistentvolumes/${name}`, {}).catch(() => {});
    client.close();
    await rm(dir, { recursive: true, force: true });
  });

  const orderOf = (run: string, change: Partial<LeaseOrder> = {}): LeaseOrder => {
    const job = change.job ?? (`job_inside${process.pid}n${++jobs}` as JobId);
    const attempt = change.attempt ?? 1;
    return {
      lease: leaseIdOf(job, attempt, 0),
      ...{ job, jobName: "inside", attempt, rank: 0, size: 1, node: node.name, gpuUuids: [], gangNodes: [node.name] },
      ...{ masterAddress: node.address, tenant, account: "inside", run, env: {}, secrets: {}, strict: false, epoch: 1 },
      limits: { cpusMilli: 100, memoryMiB: 128, processesMax: 100, runMsMax: 0 },
      stop: { signal: "SIGTERM", graceMs: 20_000 },
      ...change,
    };
  };

  const until = async <Kind extends ReportWhat["kind"]>({ lease }: LeaseOrder, kind: Kind) => {
    for (let waitedMs = 0; waitedMs < 90_000; waitedMs += 50) {
      const found = reports.find((report) => report.lease === lease && report.what.kind === kind);
      if (found !== undefined) return found.what as Extract<ReportWhat, { kind: Kind }>;
      await sleep(50);
    }
    const pod = await client.get(paths.pod(namespace, podNameOf(lease))).catch((error: Error) => error.message);
    const seen = JSON.stringify(reports.filter((report) => report.lease === lease));
    throw new Error(`${lease} never reported ${kind}: ${seen}\n${JSON.stringify(pod)}`);
  };

  const start = async (order: LeaseOrder) => {
    await engine.bind(order);
    await until(order, "prepared");
    await engine.release(order.lease);
    await until(order, "started");
  };

  const runToEnd = async (order: LeaseOrder) => {
    await start(order);
    return until(order, "exited");
  };

  const linesOf = async ({ lease }: LeaseOrder) => {
    const lines: string[] = [];
    for await (const { stream, text } of engine.logs(lease, {})) lines.push(`${stream} ${text}`);
    return lines;
  };

  const untilPrinted = async (order: LeaseOrder, text: string) => {
    for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 200) {
      if ((await linesOf(order)).some((line) => line.includes(text))) return;
      await sleep(200);
    }
    throw new Error(`never printed ${text}: ${(await linesOf(order)).join(" | ")}`);
  };

  const filesOf = async (kept: KeptOutput | undefined) => {
    const content = new ContentStore(join(dir, "content")).of(tenant);
    const { files } = await content.readTree(kept?.tree ?? "");
    return files.map(({ path }) => path).sort();
  };

  /** A volume of the node for a claim to be bound to. */
  const volume = async (name: string, claim: string) => {
    const path = await mkdtemp(join(dir, "volume-"));
    for (const each of [dir, path]) await chmod(each, 0o777);
    await client.post("/api/v1/persistentvolumes", {
      metadata: { name },
      spec: {
        capacity: { storage: "20Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: checkpointClass,
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { namespace, name: claim },
        hostPath: { path },
      },
    });
    return path;
  };

  it("tells the code, the steps of the log, and keeps it after the pod is gone and after a restart", async () => {
    const order = orderOf("echo to stdout; echo to stderr >&2; exit 7", { setup: "echo preparing" });
    assert.equal((await runToEnd(order)).code, 7);
    const lines = ["setup preparing", "stdout to stdout", "stdout to stderr"];
    assert.deepEqual(await linesOf(order), lines);
    const count = reports.filter(({ lease }) => lease === order.lease).length;
    await engine.acknowledge(order.lease, count);
    for (;;) {
      const gone = await client.get(paths.pod(namespace, podNameOf(order.lease))).then(
        () => false,
        () => true,
      );
      if (gone) break;
      await sleep(100);
    }
    assert.deepEqual(await linesOf(order), lines);
    await engine.close();
    await open();
    assert.deepEqual(await linesOf(order), lines);
  });

  it("lets a command in as the member, with its input, its code and nothing left behind", async () => {
    const order = orderOf("exec sleep 1000");
    await start(order);
    const echo = await engine.open(order.lease, { kind: "exec", command: "cat; echo $TESS_JOB_ID >&2; exit 5" });
    const sent = randomBytes(3 << 20);
    echo.input.end(sent);
    const [output, errors] = await Promise.all([hashOf(echo.output), textOf(echo.errors)]);
    assert.deepEqual([output, errors], [createHash("sha256").update(sent).digest("hex"), `${order.job}\n`]);
    assert.deepEqual(await echo.ended, { code: 5 });

    const left = await engine.open(order.lease, { kind: "exec", command: "nohup sleep 777 & echo up; exec sleep 888" });
    left.errors.resume();
    await new Promise((resolve) => left.output.once("data", resolve));
    left.close();
    assert.ok("broken" in (await left.ended));
    const look = await engine.open(order.lease, { kind: "exec", command: "ps" });
    look.errors.resume();
    assert.doesNotMatch(await textOf(look.output), /sleep (777|888)/);
    await engine.stop(order.lease, order.stop);
    await until(order, "exited");
  });

  it("gives a terminal of the size that is asked for, and of another one later", async () => {
    const order = orderOf("exec sleep 1000");
    await start(order);
    const terminal = { columns: 91, rows: 31, name: "xterm-256color" };
    const command = "while :; do stty size; sleep 0.1; done";
    const entry = await engine.open(order.lease, { kind: "exec", command, terminal });
    entry.errors.resume();
    let shown = "";
    entry.output.on("data", (part) => {
      shown += part;
    });
    for (; !shown.includes("31 91"); await sleep(50));
    entry.resize({ columns: 120, rows: 40 });
    for (; !shown.includes("40 120"); await sleep(50));
    entry.input.write(Buffer.of(3));
    assert.deepEqual(await entry.ended, { code: 130 });
    await engine.stop(order.lease, order.stop);
    await until(order, "exited");
  });

  it("finds the ports of a member, and carries a connection to its end in each direction", async () => {
    const order = orderOf(`exec python3 -uc '${echoServer}'`, { image: python });
    await start(order);
    await untilPrinted(order, "listens");
    assert.deepEqual(await engine.ports(order.lease), [8123]);
    await assert.rejects(engine.open(order.lease, { kind: "port", port: 8124 }), /listens on port 8124/);
    const entry = await engine.open(order.lease, { kind: "port", port: 8123 });
    entry.errors.resume();
    const sent = randomBytes(1 << 20);
    entry.input.end(sent);
    assert.equal(await hashOf(entry.output), createHash("sha256").update(sent).digest("hex"));
    assert.deepEqual(await entry.ended, { code: 0 });
    await engine.stop(order.lease, order.stop);
    await until(order, "exited");
  });

  it("leaves a Python program behind a shell its grace to save, and says that it is done", async () => {
    const order = orderOf(`python3 -uc '${savingProgram}'; echo not reached`, { image: python });
    await start(order);
    await untilPrinted(order, "up");
    await engine.stop(order.lease, { signal: "SIGTERM", graceMs: 15_000 });
    const end = await until(order, "exited");
    assert.equal(end.done, true);
    const lines = await linesOf(order);
    assert.ok(lines.includes("stdout saved") && !lines.includes("stdout not reached"), lines.join(" | "));
    assert.ok(lines.includes("tessera told to stop: SIGTERM"), lines.join(" | "));
  });

  it("kills what ignores its signal when its own grace is over, and still takes what it left", async () => {
    const run = "trap '' TERM; echo x > result; echo deaf; while :; do sleep 0.1; done";
    const order = orderOf(run, { outputs: { bytesMax: 2 ** 30 } });
    await start(order);
    await untilPrinted(order, "deaf");
    const beganAt = Date.now();
    await engine.stop(order.lease, { signal: "SIGTERM", graceMs: 2_000 });
    const end = await until(order, "exited");
    assert.equal(end.code, 137);
    assert.ok(Date.now() - beganAt < 60_000, "not the time that the pod is left for its outputs");
    assert.deepEqual(await filesOf(end.outputs?.find(({ name }) => name === "work")), ["result"]);
  });

  it("brings code and outputs of other jobs in, takes outputs out, and shows files meanwhile", async () => {
    const content = new ContentStore(join(dir, "content")).of(tenant);
    const put = async (path: string, text: string) => ({
      path,
      mode: 0o644,
      ...(await content.takeFile([Buffer.from(text)])),
    });
    const code = {
      tree: await content.putTree({
        files: [await put("data/big", "b".repeat(5 << 20)), await put("main.sh", program)],
      }),
    };
    const tree = await content.putTree({ files: [await put("weights", "42\n")] });
    const order = orderOf("sh main.sh", { code, mounts: [{ at: "/in", tree }], outputs: { bytesMax: 2 ** 30 } });
    await start(order);
    await untilPrinted(order, "read 42");
    const shown: string[] = [];
    for await (const { path } of engine.files(order.lease, "work")) shown.push(path);
    assert.deepEqual(shown.sort(), ["data/big", "main.sh", "model.bin"]);
    const file = await engine.readFile(order.lease, "work", "model.bin", 2);
    assert.equal(file?.bytes, 8);
    assert.equal(await textOf(file!.content), "ights\n");
    assert.equal(await engine.readFile(order.lease, "work", "../.agent/brought", 0), undefined);
    const end = await until(order, "exited");
    assert.equal(end.code, 0);
    assert.deepEqual(await filesOf(end.outputs?.find(({ name }) => name === "out")), ["plot"]);
    assert.deepEqual(await filesOf(end.outputs?.find(({ name }) => name === "work")), ["model.bin"]);
  });

  it("says why files cannot be brought", async () => {
    const tree = "0".repeat(64);
    const end = await runToEnd(orderOf("echo not reached", { code: { tree } }));
    assert.equal(end.code, 125);
    assert.match(end.reason ?? "", /cannot be brought/);
  });

  it("keeps the checkpoint of a job for its next attempt, and mounts claims", async () => {
    await engine.close();
    await open({ checkpointClass });
    const job = `job_inside${process.pid}kept` as JobId;
    await volume(`${checkpointClass}-0`, checkpointClaim(job));
    await volume(`${checkpointClass}-1`, "sets");
    const mounts = [{ at: "/sets", claim: "sets", readOnly: false }];
    const checkpoint = true;
    const first = orderOf('echo 17 > "$TESS_CHECKPOINT/step"; echo all > /sets/list; exit 3', {
      job,
      mounts,
      checkpoint,
    });
    await engine.bind(first);
    const claim = {
      storageClassName: checkpointClass,
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Mi" } },
    };
    await client.post(`/api/v1/namespaces/${namespace}/persistentvolumeclaims`, {
      metadata: { name: "sets" },
      spec: claim,
    });
    await until(first, "prepared");
    await engine.release(first.lease);
    assert.equal((await until(first, "exited")).code, 3);
    const run = 'cat "$TESS_CHECKPOINT/step" /sets/list; touch /sets/other || echo read-only';
    const shown = [{ at: "/sets", claim: "sets", readOnly: true }];
    const second = orderOf(run, { job, attempt: 2, mounts: shown, checkpoint });
    assert.equal((await runToEnd(second)).code, 0);
    const lines = (await linesOf(second)).map((line) => line.slice("stdout ".length));
    assert.deepEqual(
      lines.filter((line) => !line.startsWith("touch:")),
      ["17", "all", "read-only"],
    );
  });
});

const echoServer = `
import socket
s = socket.socket(); s.bind(("127.0.0.1", 8123)); s.listen(); print("listens")
c, _ = s.accept(); got = b""
while True:
    part = c.recv(65536)
    if not part: break
    got += part
c.sendall(got); c.close()
import time; time.sleep(1000)
`;

const savingProgram = `
import os, signal, sys, time
def save(*_):
    time.sleep(2); print("saved"); open(os.environ["TESS_DONE"], "w").close(); sys.exit(0)
signal.signal(signal.SIGTERM, save); print("up")
while True: time.sleep(0.1)
`;

const program = `echo weights > model.bin
echo plot > "$TESS_OUT/plot"
echo read $(cat /in/weights)
sleep 5
`;

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part as Uint8Array);
  return Buffer.concat(parts).toString("utf8");
}

async function hashOf(stream: AsyncIterable<unknown>): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of stream) hash.update(part as Buffer);
  return hash.digest("hex");
}
