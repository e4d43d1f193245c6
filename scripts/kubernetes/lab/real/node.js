import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { nodeBin } from "../cache.js";
import { Daemon } from "../daemon.js";
import { cgroupName, makeCgroup, removeCgroup } from "./cgroups.js";
import { addressesOf, linkNodes, linkToHost, unlinkFromHost } from "./network.js";
import { containerdSettings, kubeletSettings, networkSettings } from "./settings.js";

const init = fileURLToPath(new URL("./init.sh", import.meta.url));
const readyMsMax = 90_000;

/**
 * A real node: kubelet, containerd and runc in namespaces and a cgroup of their own, so that it leaves the machine's network,
 * folders and settings alone, and every process of it ends with its first one.
 */
export class RealNode {
  #plane;
  #ask;
  #daemon;
  #forward;

  /** `gpus` by a device plugin, `draGpus` by the example driver; `networkPolicy`: policies are enforced. */
  constructor(plane, index, { name, gpus = 8, draGpus = 0, networkPolicy = false, labels = {}, taints = [] }) {
    this.name = name;
    this.index = index;
    this.addresses = addressesOf(index);
    this.folder = join(plane.folder, "nodes", name);
    this.#plane = plane;
    this.#ask = { gpus, draGpus, networkPolicy, labels, taints };
  }

  /** The first process of the node, as this machine sees it. */
  get pid() {
    const parent = this.#daemon.pid;
    return Number(readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").trim().split(" ")[0]);
  }

  async start({ others, images }) {
    this.#writeSettings();
    makeCgroup(cgroupName(this.index));
    this.#daemon = this.#unshare(images);
    await this.#daemon.start();
    linkToHost(this.index, this.pid);
    for (const other of others) linkNodes(this, other);
    await this.#until("the node's network", () => existsSync(join(this.folder, "wired")));
    this.#forward = this.#forwarder();
    await this.#forward.start();
    await this.#until("containerd and its images", () => existsSync(join(this.folder, "imported")));
    await this.#allowNodes();
    writeFileSync(join(this.folder, "go"), "");
    await this.untilReady();
  }

  /** Ready, without taints of its own, and with all its GPUs. */
  async untilReady() {
    const { gpus, draGpus } = this.#ask;
    await this.#until(`${this.name} to be ready`, async () => {
      const { spec, status } = await this.#plane.api.get(`/api/v1/nodes/${this.name}`);
      const isReady = status.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True");
      const settled = !(spec.taints ?? []).some(({ key }) => key.startsWith("node.kubernetes.io/"));
      return isReady && settled && Number(status.allocatable?.["nvidia.com/gpu"] ?? 0) === gpus;
    });
    if (draGpus === 0) return;
    await this.#until("its ResourceSlice", async () => {
      const { items } = await this.#plane.api.get("/apis/resource.k8s.io/v1/resourceslices");
      return items.some(({ spec }) => spec.nodeName === this.name);
    });
  }

  /** The node cannot reach the API server until `mend`; its pods go on. */
  async cut() {
    await this.#forward.kill();
  }

  async mend() {
    await this.#forward.start();
  }

  /** Kills the kubelet, which is started again; containers live on. */
  killKubelet() {
    const pid = readFileSync(join(this.folder, "log", "kubelet.pid"), "utf8").trim();
    this.run("kill", "-9", pid);
  }

  /** These devices are broken from now on; none: all are well. */
  breakGpus(...numbers) {
    writeFileSync(join(this.folder, "unhealthy"), numbers.join("\n"));
  }

  importImage(archive) {
    this.run(join(nodeBin, "ctr"), "-n", "k8s.io", "images", "import", archive);
  }

  /** Runs a command inside the node. */
  run(...words) {
    return execFileSync("nsenter", ["-t", String(this.pid), "-m", "-n", "-p", ...words], { encoding: "utf8" });
  }

  async close() {
    await this.#plane.api.delete(`/api/v1/nodes/${this.name}`).catch(() => {});
    await this.#forward?.kill();
    await this.#daemon?.kill();
    await removeCgroup(cgroupName(this.index));
    unlinkFromHost(this.index);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  #writeSettings() {
    const { certificates } = this.#plane;
    for (const each of ["lib", "log", "networks"]) mkdirSync(join(this.folder, each), { recursive: true });
    const user = `node-${this.name}`;
    certificates.client(user, { user: `system:node:${this.name}`, groups: ["system:nodes"] });
    const write = (name, text) => writeFileSync(join(this.folder, name), text);
    write("kubeconfig", readFileSync(this.#plane.kubeconfig(user)));
    write("resolv.conf", "");
    const { address, host, pods } = this.addresses;
    const kubelet = {
      address,
      pods,
      dns: host,
      cgroup: cgroupName(this.index),
      clientCa: certificates.path("ca.crt"),
      resolver: join(this.folder, "resolv.conf"),
      taints: this.#ask.taints,
    };
    write("kubelet.yaml", kubeletSettings(kubelet));
    write("containerd.toml", containerdSettings({ nodeBin, networks: join(this.folder, "networks") }));
    write("networks/10-pods.conflist", networkSettings(pods));
  }

  #unshare(images) {
    const { gpus, draGpus, networkPolicy, labels } = this.#ask;
    const all = { "node-kind": "real", ...labels };
    const flags = ["--mount", "--pid", "--net", "--uts", "--propagation", "private", "--fork", "--kill-child"];
    return new Daemon({
      name: this.name,
      command: ["unshare", ...flags, "bash", init, this.folder],
      log: join(this.folder, "log", "init.log"),
      env: {
        PATH: `${nodeBin}:${process.env.PATH}:/usr/sbin:/sbin`,
        NODE_NAME: this.name,
        NODE_IP: this.addresses.address,
        NODE_LABELS: Object.entries(all)
          .map(([key, value]) => `${key}=${value}`)
          .join(","),
        GPUS: String(gpus),
        DRA_GPUS: String(draGpus),
        NETWORK_POLICY: networkPolicy ? "1" : "0",
        IMAGES: images,
        ADMIN: this.#plane.kubeconfig("admin"),
      },
      isReady: async () => {
        const own = readlinkSync("/proc/self/ns/net");
        return this.pid > 0 && readlinkSync(`/proc/${this.pid}/ns/net`) !== own;
      },
    });
  }

  /** Connections are the only thing that leads from the node's network to the loopback of this machine. */
  #forwarder() {
    const api = `127.0.0.1:${this.#plane.apiPort}`;
    return new Daemon({
      name: `forward-${this.name}`,
      command: [join(nodeBin, "helper"), "forward", String(this.pid), api, api, "10.96.0.1:443"],
      log: join(this.folder, "log", "forward.log"),
    });
  }

  /** The lab has no controller that gives nodes their rights one by one. */
  async #allowNodes() {
    const group = "rbac.authorization.k8s.io";
    await this.#plane.api.apply(`/apis/${group}/v1/clusterrolebindings/lab-nodes`, {
      apiVersion: `${group}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: "lab-nodes" },
      roleRef: { apiGroup: group, kind: "ClusterRole", name: "system:node" },
      subjects: [{ apiGroup: group, kind: "Group", name: "system:nodes" }],
    });
    if (this.#ask.draGpus === 0) return;
    await this.#plane.api.apply("/apis/resource.k8s.io/v1/deviceclasses/gpu.example.com", {
      apiVersion: "resource.k8s.io/v1",
      kind: "DeviceClass",
      metadata: { name: "gpu.example.com" },
      spec: { selectors: [{ cel: { expression: "device.driver == 'gpu.example.com'" } }] },
    });
  }

  async #until(what, look) {
    for (const giveUpAt = Date.now() + readyMsMax; ; await sleep(50)) {
      if (await Promise.resolve(look()).catch(() => false)) return;
      if (!this.#daemon.alive) throw new Error(`${this.name} ended:\n${this.#daemon.lastWords()}`);
      if (Date.now() > giveUpAt) throw new Error(`waited ${readyMsMax} ms for ${what}; see ${this.folder}/log`);
    }
  }
}
