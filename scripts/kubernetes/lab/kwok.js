import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { controlPlaneBin } from "./cache.js";
import { Daemon } from "./daemon.js";
import { stages } from "./kwok-stages.js";
import { freePorts } from "./ports.js";

/** The label by which KWOK leaves real nodes alone. */
export const realNode = { "node-kind": "real" };

/** KWOK in the place of kubelets, for all nodes but real ones. */
export async function kwokDaemon(plane, { leaseSeconds }) {
  const config = join(plane.folder, "kwok.yaml");
  const options = {
    podPlayStageParallelism: 16,
    nodePlayStageParallelism: 16,
    nodeLeaseParallelism: 4,
    // Unset it is 0: pods that are bound before KWOK holds the lease of their node would stay Pending.
    podsOnNodeSyncParallelism: 4,
  };
  const settings = { apiVersion: "config.kwok.x-k8s.io/v1alpha1", kind: "KwokConfiguration", options };
  writeFileSync(config, [settings, ...stages].map((each) => JSON.stringify(each)).join("\n---\n"));
  const [port] = await freePorts(1);
  return new Daemon({
    name: "kwok",
    command: [
      join(controlPlaneBin, "kwok"),
      `--kubeconfig=${plane.kubeconfig("admin")}`,
      "--manage-all-nodes=false",
      "--manage-nodes-with-label-selector=node-kind!=real",
      `--config=${config}`,
      "--node-ip=127.0.0.1",
      "--cidr=10.244.0.0/16",
      `--node-lease-duration-seconds=${leaseSeconds}`,
      `--server-address=127.0.0.1:${port}`,
    ],
    log: join(plane.folder, "log", "kwok.log"),
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok,
  });
}
