import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiClient } from "../../../packages/engine-kubernetes/dist/api/client.js";
import { readConfig } from "../../../packages/engine-kubernetes/dist/api/config.js";
import { Epoch } from "../../../packages/engine-kubernetes/dist/epoch.js";
import { namespaceOf } from "../../../packages/engine-kubernetes/dist/names.js";
import { containerSecurity, podSecurity } from "../../../packages/engine-kubernetes/dist/walls/security.js";
import { openWalls } from "../../../packages/engine-kubernetes/dist/walls/walls.js";
import { identity, installTessera, kubectl, manifests, tesseraConfig, userApi } from "./identity.js";

export const engine = "walls";
export const image = "localhost/busybox:1";
export const epoch = 5;
export const tenants = { red: "ten_red", blue: "ten_blue" };
export const namespaces = { red: namespaceOf(tenants.red), blue: namespaceOf(tenants.blue) };
const terms = {
  ten_red: { trust: "trusted", gpusMax: 4, images: ["localhost/"] },
  ten_blue: { trust: "trusted" },
};

/** The part of an order that walls read. */
export function orderOf(tenant, job, { size = 1, rank = 0, node = "", network, trust = "trusted" } = {}) {
  const tenantTerms = { ...(terms[tenant] ?? {}), trust };
  return {
    tenant,
    tenantTerms,
    job,
    size,
    rank,
    node,
    attempt: 1,
    lease: `${job}-1-${rank}`,
    ...(network && { network }),
  };
}

/** Two tenants behind their walls, made by Tessera's own identity; the scene can be left without its keeper. */
export class Scene {
  #client;
  #walls;

  static async open(lab, { nodes, pods, gpus, warn }) {
    const scene = new Scene();
    scene.lab = lab;
    scene.admin = lab.api;
    scene.ports = { nodes, pods, gpus, warn };
    await installTessera(lab);
    scene.tessera = userApi(lab, identity, ["system:serviceaccounts", "system:authenticated"]);
    await scene.keep();
    await scene.takeOver(epoch);
    await scene.#policiesCount();
    return scene;
  }

  /** The API server looks for new policies once a second, and takes the one that was applied last no sooner than the others. */
  async #policiesCount() {
    const attempt = () => this.tessera.post("/api/v1/namespaces?dryRun=All", { metadata: { name: "of-others" } });
    const saying = /Tessera changes namespaces of its tenants only/;
    await until("the policies to count", () =>
      attempt().then(
        () => false,
        ({ message }) => saying.test(message),
      ),
    );
  }

  /** Opens the walls, so that what is taken away comes back. */
  async keep() {
    if (this.#walls !== undefined) return;
    const config = await tesseraConfig(this.lab);
    this.#client = new ApiClient(readConfig(readFileSync(config, "utf8"), undefined));
    this.#walls = openWalls({ name: engine, client: this.#client, settings: {}, ...this.ports });
    for (const tenant of Object.values(tenants)) await this.ensure(orderOf(tenant, "job_none"));
  }

  /** From now on nothing is put right. */
  leave() {
    this.#walls?.close();
    this.#client?.close();
    this.#walls = undefined;
  }

  /** As a control plane that begins. */
  async takeOver(withEpoch) {
    const noted = new Epoch(this.#client, engine);
    try {
      await noted.takeOver(withEpoch);
    } finally {
      noted.close();
    }
  }

  ensure(order) {
    return this.#walls.ensure(order);
  }

  sweep(isLive) {
    return this.#walls.sweep(isLive);
  }

  /** A pod as Tessera makes them, held; `change` may spoil it. */
  async pod(order, command, change = (pod) => pod) {
    const place = await this.ensure(order);
    return change(podOf(order, place, command));
  }

  /** Makes a pod and releases it; waits until it runs and has an address. */
  async run(order, command) {
    const pod = await this.pod(order, command);
    await this.tessera.post(podsOf(pod.metadata.namespace), pod);
    await this.release(pod);
    return until(`${pod.metadata.name} to run`, async () => {
      const { status } = await this.admin.get(`${podsOf(pod.metadata.namespace)}/${pod.metadata.name}`);
      return status.phase === "Running" && status.podIP ? { ...pod, address: status.podIP } : undefined;
    });
  }

  release({ metadata: { namespace, name } }, by = this.tessera, withEpoch = epoch) {
    const annotations = { "tessera.dev/epoch": String(withEpoch) };
    return by.merge(`${podsOf(namespace)}/${name}`, { metadata: { annotations }, spec: { schedulingGates: null } });
  }

  close() {
    this.leave();
    this.tessera.close();
    // Other parts use the cluster as its administrator, and the policies let no administrator make pods of tenants.
    kubectl(this.lab, ["delete", "-f", manifests, "--ignore-not-found"]);
  }
}

export const podsOf = (namespace) => `/api/v1/namespaces/${namespace}/pods`;

export function podOf(order, place, command) {
  const { namespace, labels, serviceAccount, tolerations } = place;
  return {
    metadata: {
      name: `tess-${order.lease.replaceAll("_", "-")}`,
      namespace,
      labels: {
        ...labels,
        "tessera.dev/job": order.job,
        "tessera.dev/lease": order.lease,
        "tessera.dev/engine": engine,
      },
      annotations: { "tessera.dev/epoch": String(epoch) },
    },
    spec: {
      schedulingGates: [{ name: "tessera.dev/held" }],
      serviceAccountName: serviceAccount,
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 1,
      tolerations,
      securityContext: podSecurity(order.tenant),
      nodeSelector: { "node-kind": "real" },
      containers: [
        {
          name: "member",
          image,
          imagePullPolicy: "IfNotPresent",
          command: ["sh", "-c", command],
          securityContext: containerSecurity,
          resources: { requests: { cpu: "1m", memory: "16Mi" }, limits: { cpu: "1", memory: "64Mi" } },
        },
      ],
    },
  };
}

/** What `ask` gives as soon as it gives something. */
export async function until(what, ask, msMax = 30_000) {
  for (const end = Date.now() + msMax; ; ) {
    const found = await ask();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`waited ${msMax / 1000} s for ${what}`);
    await sleep(100);
  }
}
