import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LeaseId } from "@tessera/core";
import { type Engine, EntryRefused, type LeaseOrder, systemClock } from "@tessera/engine";
import type { Harness } from "@tessera/engine/suite";
import { ApiClient } from "../api/client.ts";
import { readConfig } from "../api/config.ts";
import { isStatus } from "../api/error.ts";
import { paths } from "../api/paths.ts";
import type { List, Node, Pod } from "../api/types.ts";
import { label, namespaceOf, podNameOf } from "../names.ts";
import { openKubernetes } from "../open.ts";
import { busyboxCommands, busyboxInside } from "./busybox.ts";
import { simulatedCommands, simulatedLines, simulatedOrder } from "./simulated.ts";
import { Way } from "./way.ts";

export interface HarnessOptions {
  /** The path of a kubeconfig with all rights. */
  readonly kubeconfig: string;
  /** `kwok`: pods are played and not run. */
  readonly kind: "kwok" | "real";
  readonly image: string;
  readonly agentImage?: string;
}

let opened = 0;

/** The engine on a cluster of the lab. Each has a name, a tenant and a namespace of its own. */
export async function openHarness({ kubeconfig, kind, image, agentImage }: HarnessOptions): Promise<Harness> {
  const simulated = kind === "kwok";
  const config = readConfig(await readFile(kubeconfig, "utf8"), undefined);
  const way = await Way.open(config);
  const client = new ApiClient(config);
  const no = `${process.pid}n${opened++}`;
  const name = `suite-${no}`;
  const tenant = `acc_suite${no}`;
  const namespace = namespaceOf(tenant);
  const dir = await mkdtemp(join(tmpdir(), "tessera-kubernetes-"));
  const orders = new Map<LeaseId, LeaseOrder>();
  const started = new Set<LeaseId>();
  const added: string[] = [];
  let epoch = 1;

  const open = async (): Promise<Engine> => {
    const engine = openKubernetes({
      name,
      kubeconfig: way.kubeconfig,
      settings: { defaultImage: image, ...(agentImage !== undefined && { agentImage }) },
      dir: join(dir, "engine"),
      content: join(dir, "content"),
      clock: systemClock,
      warn: (text) => process.env.TESSERA_SUITE_WARN && console.error(text),
    });
    await engine.takeOver!(epoch);
    const changed: Partial<Engine> = {
      async inventory() {
        const nodes = await engine.inventory();
        return nodes.filter(({ labels }) => labels?.["node-kind"] === kind);
      },
      async bind(order) {
        orders.set(order.lease, order);
        await engine.bind({ ...(simulated ? simulatedOrder(order) : order), tenant });
        epoch = Math.max(epoch, order.epoch);
      },
      subscribe(listener) {
        engine.subscribe((report) => {
          if (report.what.kind === "started") started.add(report.lease);
          listener(report);
        });
      },
      ...(simulated && {
        async *logs(lease: LeaseId) {
          const order = orders.get(lease);
          if (order !== undefined && started.has(lease)) yield* simulatedLines(order, 0);
        },
        open: () => Promise.reject(new EntryRefused("simulated pods have no inside")),
        ports: () => Promise.reject(new EntryRefused("simulated pods have no inside")),
      }),
    };
    return new Proxy(engine, {
      get(target, key) {
        const own = changed[key as keyof Engine] ?? target[key as keyof Engine];
        return typeof own === "function" ? own.bind(target) : own;
      },
    });
  };

  let engine = await open();
  return {
    engine,
    commands: simulated ? simulatedCommands : busyboxCommands,
    ...(!simulated && { inside: busyboxInside }),
    cannot: simulated ? ["print", "be done"] : agentImage === undefined ? ["be reached at ports"] : [],
    settle: (ms) => sleep(ms),
    async reopen() {
      await engine.close();
      engine = await open();
      return engine;
    },
    others: {
      async deleteMember(lease) {
        await client.delete(paths.pod(namespace, podNameOf(lease)), {});
      },
      ...(simulated && {
        nodes: { add: () => addNode(client, name, added), remove: (node) => removeNode(client, node) },
      }),
      breakConnections: () => way.breakConnections(),
      hideFromLists(lease) {
        return way.hide(podNameOf(lease));
      },
    },
    async close() {
      await engine.close();
      for (const node of added) await removeNode(client, node);
      await removePods(client, namespace, name);
      await client.delete(paths.namespace(namespace), {}).catch(unlessGone);
      await way.close();
      client.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function addNode(client: ApiClient, name: string, added: string[]): Promise<string> {
  const { items } = await client.get<List<Node>>(paths.nodes);
  const like = items.find(({ metadata }) => metadata.labels?.["node-kind"] === "kwok")!;
  const node = `${name}-node-${added.length}`;
  const { labels, annotations } = like.metadata;
  const { allocatable, capacity } = like.status!;
  const metadata = { name: node, labels: { ...labels, "kubernetes.io/hostname": node }, annotations };
  await client.post(paths.nodes, { metadata, status: { allocatable, capacity, nodeInfo: { kubeletVersion: "kwok" } } });
  added.push(node);
  return node;
}

async function removeNode(client: ApiClient, node: string): Promise<void> {
  await client.delete(paths.node(node), {}).catch(unlessGone);
}

/** Ends what a test left running, and waits until its node is free of it. */
async function removePods(client: ApiClient, namespace: string, engine: string): Promise<void> {
  const query = { labelSelector: `${label.engine}=${engine}` };
  for (let tries = 0; tries < 100; tries++) {
    const { items } = await client.get<List<Pod>>(paths.pods(namespace), { query });
    if (items.length === 0) return;
    for (const { metadata, status } of items) {
      const path = paths.pod(namespace, metadata.name);
      const over = status?.phase === "Succeeded" || status?.phase === "Failed" || tries > 50;
      if (metadata.deletionTimestamp === undefined)
        await client.delete(path, { gracePeriodSeconds: 1 }).catch(unlessGone);
      if (over || metadata.deletionGracePeriodSeconds === 0) {
        await client.patch(path, { metadata: { finalizers: null } }).catch(unlessGone);
      }
      if (tries > 50) await client.delete(path, { gracePeriodSeconds: 0 }).catch(unlessGone);
    }
    await sleep(100);
  }
}

function unlessGone(error: unknown): void {
  if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
}
