import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient } from "../../../packages/engine-kubernetes/dist/api/client.js";
import { readConfig } from "../../../packages/engine-kubernetes/dist/api/config.js";
import { Mirror } from "../../../packages/engine-kubernetes/dist/api/mirror.js";
import { paths } from "../../../packages/engine-kubernetes/dist/api/paths.js";
import { ensureCheckpoint, sweepCheckpoints } from "../../../packages/engine-kubernetes/dist/inside/claims.js";
import { namespaceOf } from "../../../packages/engine-kubernetes/dist/names.js";
import { PodCalls } from "../../../packages/engine-kubernetes/dist/pods/pod-calls.js";
import { openWalls } from "../../../packages/engine-kubernetes/dist/walls/walls.js";
import { until } from "../../places/server.js";
import { openTessera } from "../tessera.js";
import { identity, tesseraConfig, unlessThere, userApi } from "../walls/identity.js";
import { podOf } from "../walls/scene.js";

const small = { cpus: 0.05, memory: "48MiB" };
const engine = "rights";
const lookMs = 17_000;
const farAhead = 400 * 24 * 3_600_000;

/** What a server does with a cluster in a day: a gang, a secret, an entry, a log, a drain. */
export async function serve(lab) {
  const nodes = (await lab.api.get("/api/v1/nodes")).items.length;
  const server = await openTessera({ kubeconfig: await tesseraConfig(lab), nodes, name: "tess-rights" });
  try {
    await server.tess("secret", "set", "KEY", "--from-file", server.file("key", "hush"));
    const job = { members: 2, gpus: "A100:1", where: { "node-kind": "real" }, secrets: ["KEY"], ...small };
    const run = 'echo "it is $KEY"; sleep 30';
    const { json } = await server.api("POST", "/v1/jobs", { ...job, name: "rights", run });
    const state = async () => (await server.api("GET", `/v1/jobs/${json.id}`)).json.state;
    await until("the gang to run", 90_000, async () => (await state()) === "running");
    await server.tess("exec", json.id, "--", "true");
    await server.tess("logs", json.id);
    await server.tess("cancel", json.id);
    await server.tess("wait", json.id).catch(() => {});
    await server.tess("node", "drain", "lab/real-1", "--reason", "proof");
    await server.tess("node", "up", "lab/real-1");
  } finally {
    await server.close();
  }
}

/** A pod of a tenant that runs, to be entered. */
export async function runProbe(lab) {
  const namespace = namespaceOf("ten_untrusted");
  const order = { tenant: "ten_untrusted", job: "job_probe", lease: "job_probe-1-0" };
  const pod = podOf(order, { namespace, labels: {}, serviceAccount: "tessera-job", tolerations: [] }, "sleep 600");
  const tessera = userApi(lab, identity);
  const path = paths.pods(namespace);
  const { name } = pod.metadata;
  await tessera.post(path, pod);
  await tessera.merge(`${path}/${name}`, { spec: { schedulingGates: null } });
  tessera.close();
  await until(
    "the probe to run",
    60_000,
    async () => (await lab.api.get(`${path}/${name}`)).status.phase === "Running",
  );
  return ["-n", namespace, "exec", name, "--", "true"];
}

/** What comes up now and then, called as the engine calls it: marks of a tenant, repair, sweeps, a lost watch. */
export async function rarely(lab) {
  const client = new ApiClient(readConfig(readFileSync(await tesseraConfig(lab), "utf8"), undefined));
  const { items: nodes } = await lab.api.get("/api/v1/nodes");
  const settings = { pullSecret: "pull", untrustedRuntime: "plain", checkpointClass: "none" };
  await lab.api
    .post("/api/v1/namespaces/tessera-system/secrets", { metadata: { name: "pull" }, stringData: { a: "b" } })
    .catch(unlessThere);
  await lab.api
    .post("/apis/node.k8s.io/v1/runtimeclasses", { metadata: { name: "plain" }, handler: "runc" })
    .catch(unlessThere);
  const ports = { name: engine, client, settings, nodes: () => nodes, pods: () => [], gpus: () => [], warn: () => {} };
  const walls = openWalls(ports);
  const order = (tenant, trust, more) => ({
    ...{
      tenant,
      tenantTerms: { trust },
      job: "job_r",
      size: 2,
      rank: 0,
      attempt: 1,
      lease: "job_r-1-0",
      secrets: { A: "b" },
    },
    ...{ node: nodes[0].metadata.name, limits: {}, ...more },
  });
  try {
    const untrusted = order("ten_untrusted", "untrusted");
    const place = await walls.ensure(untrusted);
    await walls.ensure(order("ten_secret", "confidential"));
    await walls.ensure(order("ten_plain", "trusted"));
    await repair(lab, place.namespace);
    const calls = new PodCalls(client);
    const made = await lab.api.post(`/api/v1/namespaces/${place.namespace}/configmaps`, { metadata: { name: "held" } });
    const pod = { ...podOf(untrusted, place, "true"), metadata: { ...made.metadata, name: "held" } };
    const claims = [{ driver: "gpu.example.com", deviceClass: "gpu.example.com", uuids: ["a"] }];
    await calls.furnish(pod, untrusted, { resources: {}, claims });
    await ensureCheckpoint(client, engine, untrusted, place.namespace, settings);
    await sweepCheckpoints(client, engine, () => false, Date.now());
    await sweepCheckpoints(client, engine, () => false, Date.now() + farAhead);
    for (const path of [paths.resourceSlices, paths.allClaims, paths.allPods]) await confirm(client, path);
    await walls.sweep(() => false);
    // Its regular look copies the secret, and copies it again once it has changed.
    await sleep(lookMs);
    await lab.api.merge("/api/v1/namespaces/tessera-system/secrets/pull", { stringData: { a: "c" } });
    await sleep(lookMs);
  } finally {
    walls.close();
    client.close();
  }
}

/** Someone else changes everything of a namespace; it is put right. */
async function repair(lab, namespace) {
  const inside = `/namespaces/${namespace}`;
  const change = { metadata: { labels: { "tessera.dev/tenant": "other" } } };
  const objects = [
    `/api/v1${inside}`,
    `/api/v1${inside}/serviceaccounts/tessera-job`,
    `/api/v1${inside}/resourcequotas/tessera`,
    `/api/v1${inside}/limitranges/tessera`,
    `/apis/networking.k8s.io/v1${inside}/networkpolicies/tessera-deny`,
    `/apis/rbac.authorization.k8s.io/v1${inside}/rolebindings/tessera`,
  ];
  for (const path of objects) {
    await lab.api.merge(path, change);
    await until(
      `${path} to be put right`,
      30_000,
      async () => (await lab.api.get(path)).metadata.labels["tessera.dev/tenant"] === "ten_untrusted",
    );
  }
}

/** An object that is missing in a list is asked for by name. */
async function confirm(client, path) {
  const isNamespaced = path !== paths.resourceSlices;
  const namespace = isNamespaced ? namespaceOf("ten_untrusted") : undefined;
  const ghost = { metadata: { name: "ghost", uid: "ghost", resourceVersion: "1", ...(namespace && { namespace }) } };
  const where = isNamespaced ? path.replace(/\/([a-z]+)$/, `/namespaces/${namespace}/$1/ghost`) : `${path}/ghost`;
  const mirror = new Mirror(client, { path, pathOf: () => where, keep: (item) => item, onChange: () => {} });
  mirror.put(ghost);
  await until("it to be known as gone", 30_000, async () =>
    [...mirror.values()].every(({ metadata }) => metadata.name !== "ghost"),
  );
  mirror.close();
}
