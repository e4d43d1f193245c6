import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.js";
import { ControlPlane } from "./control-plane.js";
import { kwokDaemon } from "./kwok.js";
import { addKwokNodes } from "./kwok-nodes.js";
import { checkPackages } from "./packages.js";
import { CuttingProxy } from "./proxy.js";

/**
 * A cluster of its own on this machine: control plane, KWOK nodes, real nodes. Everything ends with the process that opened
 * it, and `close` leaves nothing behind.
 */
export class Lab {
  #forget = () => {};
  #proxies = [];
  #realNodes = [];

  constructor(plane, kwok) {
    this.plane = plane;
    this.kwok = kwok;
    /** Programs by name (etcd, apiserver, controllers, scheduler, kwok), to be killed, paused and started again. */
    this.daemons = { ...plane.daemons, kwok };
  }

  static async open({ kwokNodes = 0, leaseSeconds = leaseFor(kwokNodes), folder, say = () => {} } = {}) {
    checkPackages();
    await build(["controlPlane"], say);
    if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o755 });
    const plane = await ControlPlane.open(folder ?? mkdtempSync(join(tmpdir(), "tess-lab-")), { leaseSeconds });
    const lab = new Lab(plane, await kwokDaemon(plane, { leaseSeconds }));
    lab.#forget = closeAtSignals(lab);
    try {
      say("starting the control plane");
      await plane.start();
      await lab.kwok.start();
      if (kwokNodes > 0) say(`adding ${kwokNodes} simulated nodes`);
      await addKwokNodes(plane.api, kwokNodes);
      return lab;
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  get folder() {
    return this.plane.folder;
  }

  get api() {
    return this.plane.api;
  }

  /** The kubeconfig of the administrator, as a path. */
  get kubeconfig() {
    return this.plane.kubeconfig("admin");
  }

  /** A user with a certificate of its own and no rights but those of its groups; gives the path of its kubeconfig. */
  user(name, { groups, expired, server } = {}) {
    this.plane.certificates.client(name, { groups, expired });
    return this.plane.kubeconfig(name, { server });
  }

  /** A cutting proxy before the API server, and a kubeconfig of `user` that leads through it. */
  async proxy(user = "admin") {
    const proxy = await CuttingProxy.open(this.plane.apiPort);
    this.#proxies.push(proxy);
    const folder = mkdtempSync(join(this.folder, "users", "proxy-"));
    const kubeconfig = this.plane.kubeconfig(user, { server: `https://127.0.0.1:${proxy.port}`, folder });
    return { proxy, kubeconfig };
  }

  async close() {
    this.#forget();
    for (const proxy of this.#proxies.splice(0)) await proxy.close();
    for (const node of this.#realNodes.splice(0)) await node.close();
    await this.kwok.kill();
    await this.plane.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** KWOK renews the lease of each node four times in this time: with many nodes that alone would load the API server. */
function leaseFor(nodes) {
  return nodes > 500 ? 400 : 40;
}

/** Ctrl-C and SIGTERM close the lab first. */
function closeAtSignals(lab) {
  const end = (signal) => {
    const code = { SIGINT: 130, SIGTERM: 143 }[signal];
    lab.close().finally(() => process.exit(code));
  };
  const signals = ["SIGINT", "SIGTERM"];
  for (const signal of signals) process.once(signal, end);
  return () => {
    for (const signal of signals) process.off(signal, end);
  };
}
