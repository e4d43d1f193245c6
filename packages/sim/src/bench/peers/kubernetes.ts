import { generateKeyPairSync, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { Children, freePort } from "./children.ts";
import { buildKubernetes } from "./go-build.ts";
import { type PeerResult, sleep, Unavailable, type Work } from "./peer.ts";

const version = "1.37.1";
const readyMsMax = 120_000;
/** It binds no more pods a second than this on such a machine, so more need not be submitted. */
const podsPerSecondMax = 150;
const callsAtOnce = 24;
const gangGate = "GenericWorkload=true";
const groupsPath = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups";

/**
 * The scheduler of Kubernetes with a real API server and etcd on loopback, and nodes that are only entries. All pods
 * exist before the scheduler starts. Its own metrics count the pods, or the groups of pods that it starts together (its
 * feature GenericWorkload), that are bound in the time after the first.
 */
export async function measureKubernetes(
  work: Work,
  seconds: number,
  cache: string,
  say: (text: string) => void,
): Promise<PeerResult> {
  const bin = await buildKubernetes(join(cache, "kubernetes"), version, say);
  const gangs = work.nodesEach > 1;
  const cluster = new Cluster(bin, gangs);
  try {
    await cluster.start();
    const jobs = Math.min(work.jobs, Math.ceil((podsPerSecondMax * seconds) / work.nodesEach));
    const pods = jobs * work.nodesEach;
    say(`kubernetes: ${work.nodes} nodes and ${pods} pods${gangs ? ` in ${jobs} groups` : ""}`);
    await many(work.nodes, (i) => cluster.post("/api/v1/nodes", nodeOf(i, work.gpusPerNode)));
    if (gangs) await many(jobs, (i) => cluster.post(groupsPath, groupOf(i, work)));
    await many(pods, (i) => cluster.post("/api/v1/namespaces/default/pods", podOf(i, work)));
    await cluster.startScheduler();
    const { placed, took } = await watch(() => cluster.bound(), jobs, seconds);
    return {
      ...{ peer: "kubernetes", case: work.case, placed, seconds: Number(took.toFixed(1)) },
      perSecond: Number((placed / took).toFixed(2)),
      ran: `Kubernetes ${version}, API server and etcd without fsync on this machine, ${pods} pods${gangs ? ` in ${jobs} groups` : ""} waiting, its metrics counted`,
    };
  } finally {
    await cluster.stop();
  }
}

/** Bound jobs and the time they took, from the first to the last, or until the time is up. */
async function watch(
  count: () => Promise<number>,
  all: number,
  seconds: number,
): Promise<{ placed: number; took: number }> {
  let first = 0;
  for (const giveUpAt = performance.now() + readyMsMax; first === 0; await sleep(100)) {
    first = await count();
    if (performance.now() > giveUpAt) throw new Unavailable("its scheduler binds nothing");
  }
  const from = performance.now();
  let last = first;
  while (last < all && performance.now() - from < seconds * 1000) {
    await sleep(250);
    last = await count();
  }
  return { placed: last - first, took: (performance.now() - from) / 1000 };
}

class Cluster {
  readonly #bin: string;
  readonly #gangs: boolean;
  readonly #children = new Children("kubernetes");
  readonly #token = randomBytes(16).toString("hex");
  // Each program makes its own certificate, and all of it stays on loopback.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: callsAtOnce, rejectUnauthorized: false });
  #api = 0;
  #metrics = 0;

  constructor(bin: string, gangs: boolean) {
    this.#bin = bin;
    this.#gangs = gangs;
  }

  async start(): Promise<void> {
    const [client, peer] = [await freePort(), await freePort()];
    this.#api = await freePort();
    const etcd = `http://127.0.0.1:${client}`;
    this.#spawn("etcd", {
      ...{ "data-dir": this.#children.path("etcd"), "log-level": "error" },
      ...{ "listen-client-urls": etcd, "advertise-client-urls": etcd },
      ...{ "listen-peer-urls": `http://127.0.0.1:${peer}`, "initial-advertise-peer-urls": `http://127.0.0.1:${peer}` },
      ...{ "initial-cluster": `default=http://127.0.0.1:${peer}`, "unsafe-no-fsync": "true" },
    });
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const secret = { mode: 0o600 };
    writeFileSync(this.#children.path("sa.key"), privateKey.export({ type: "pkcs1", format: "pem" }), secret);
    writeFileSync(this.#children.path("sa.pub"), publicKey.export({ type: "spki", format: "pem" }));
    writeFileSync(this.#children.path("tokens.csv"), `${this.#token},bench,bench,system:masters\n`, secret);
    const apiserver = this.#spawn("kube-apiserver", {
      ...{ "etcd-servers": etcd, "bind-address": "127.0.0.1", "secure-port": String(this.#api) },
      ...{ "cert-dir": this.#children.path("certificates"), "token-auth-file": this.#children.path("tokens.csv") },
      ...{ "authorization-mode": "AlwaysAllow", "endpoint-reconciler-type": "none" },
      ...{ "service-account-issuer": "https://kubernetes.default.svc", "service-cluster-ip-range": "10.96.0.0/16" },
      "service-account-key-file": this.#children.path("sa.pub"),
      "service-account-signing-key-file": this.#children.path("sa.key"),
      // No controller runs that would make service accounts or remove the taint of a new node.
      "disable-admission-plugins": "ServiceAccount,TaintNodesByCondition",
      ...{ "max-requests-inflight": "2000", "max-mutating-requests-inflight": "1000" },
      ...(this.#gangs && { "feature-gates": gangGate, "runtime-config": "scheduling.k8s.io/v1beta1=true" }),
    });
    for (const giveUpAt = performance.now() + readyMsMax; ; await sleep(500)) {
      const ready = await this.#ask(this.#api, "GET", "/readyz").catch(() => undefined);
      const space = await this.#ask(this.#api, "GET", "/api/v1/namespaces/default").catch(() => undefined);
      if (ready?.status === 200 && space?.status === 200) return;
      if (apiserver.exitCode !== null || performance.now() > giveUpAt) {
        throw new Unavailable(`its API server does not come up: ${this.#children.lastWords("kube-apiserver.out")}`);
      }
    }
  }

  async startScheduler(): Promise<void> {
    this.#metrics = await freePort();
    const server = `https://127.0.0.1:${this.#api}`;
    const kubeconfig = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": "bench" },
      contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
      clusters: [{ name: "bench", cluster: { server, "insecure-skip-tls-verify": true } }],
      users: [{ name: "bench", user: { token: this.#token } }],
    };
    const settings = {
      ...{ apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration" },
      leaderElection: { leaderElect: false },
      clientConnection: { kubeconfig: this.#children.path("kubeconfig"), qps: 5_000, burst: 5_000 },
    };
    writeFileSync(this.#children.path("kubeconfig"), JSON.stringify(kubeconfig), { mode: 0o600 });
    writeFileSync(this.#children.path("scheduler.json"), JSON.stringify(settings));
    this.#spawn("kube-scheduler", {
      ...{ config: this.#children.path("scheduler.json"), "bind-address": "127.0.0.1" },
      ...{ "secure-port": String(this.#metrics), "cert-dir": this.#children.path("scheduler-certificates") },
      "authorization-always-allow-paths": "/metrics,/healthz",
      ...(this.#gangs && { "feature-gates": gangGate }),
    });
  }

  /** How many pods, or groups of them, the scheduler says it has bound; 0 while it does not answer. */
  async bound(): Promise<number> {
    const { body } = await this.#ask(this.#metrics, "GET", "/metrics").catch(() => ({ body: "" }));
    const metric = this.#gangs ? "scheduler_podgroup_schedule_attempts_total" : "scheduler_schedule_attempts_total";
    const counts = body.matchAll(new RegExp(`^${metric}\\{[^}]*result="scheduled"[^}]*\\} (\\S+)$`, "gm"));
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  async post(path: string, body: object): Promise<void> {
    const answer = await this.#ask(this.#api, "POST", path, JSON.stringify(body));
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.body}`);
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.#children.stop();
  }

  #spawn(name: string, flags: Readonly<Record<string, string>>) {
    const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
    return this.#children.spawn(name, join(this.#bin, name), args);
  }

  #ask(port: number, method: string, path: string, body?: string): Promise<{ status: number; body: string }> {
    const headers = { authorization: `Bearer ${this.#token}`, "content-type": "application/json" };
    return new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, method, path, headers, agent: this.#agent }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part) => {
          text += part;
        });
        response.on("end", () => resolve({ status: response.statusCode!, body: text }));
        response.on("error", reject);
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

function nodeOf(i: number, gpus: number): object {
  const amounts = { cpu: "64", memory: "1000Gi", pods: "110", "nvidia.com/gpu": String(gpus) };
  return {
    ...{ apiVersion: "v1", kind: "Node", metadata: { name: `n${i}` } },
    status: { capacity: amounts, allocatable: amounts, conditions: [{ type: "Ready", status: "True" }] },
  };
}

function groupOf(i: number, { nodesEach }: Work): object {
  return {
    ...{ apiVersion: "scheduling.k8s.io/v1beta1", kind: "PodGroup", metadata: { name: `g${i}` } },
    spec: { schedulingPolicy: { gang: { minCount: nodesEach } } },
  };
}

function podOf(i: number, { teams, nodesEach, gpusEach }: Work): object {
  const job = Math.floor(i / nodesEach);
  const limits = { "nvidia.com/gpu": String(gpusEach) };
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: `p${i}`, labels: { team: `team${job % teams}` } } },
    spec: {
      containers: [{ name: "main", image: "none", resources: { limits } }],
      ...(nodesEach > 1 && { schedulingGroup: { podGroupName: `g${job}` } }),
    },
  };
}

/** A number of calls, some of them at once. */
async function many(count: number, act: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: callsAtOnce }, work));
}
