import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "./build.js";
import { nodeBin } from "./cache.js";
import { ControlPlane } from "./control-plane.js";
import { Dns } from "./dns.js";
import { kwokDaemon } from "./kwok.js";
import { addKwokNodes } from "./kwok-nodes.js";
import { checkPackages } from "./packages.js";
import { CuttingProxy } from "./proxy.js";
import { busyboxFolder, writeImage } from "./real/image.js";
import { freeIndex } from "./real/network.js";
import { RealNode } from "./real/node.js";

/**
 * A cluster of its own on this machine: control plane, KWOK nodes, real nodes. Everything ends with the process that opened
 * it, and `close` leaves nothing behind.
 */
export class Lab {
  #forget = () => {};
  #dns;
  #proxies = [];
  #realNodes = [];
  #say;

  constructor(plane, kwok, say) {
    this.#say = say;
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
    const lab = new Lab(plane, await kwokDaemon(plane, { leaseSeconds }), say);
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

  get realNodes() {
    return [...this.#realNodes];
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

  /** Adds a real node: see RealNode for `options`. */
  async addNode(options) {
    checkPackages({ realNodes: true });
    await build(["node"], this.#say);
    this.#say(`starting the real node ${options.name}`);
    this.#dns ??= new Dns(this.api);
    const index = freeIndex(new Set(this.#realNodes.map((node) => node.index)));
    const node = new RealNode(this.plane, index, options);
    const [others, images] = [[...this.#realNodes], this.#images()];
    this.#realNodes.push(node);
    await node.start({ others, images });
    await this.#dns.listen(node.addresses.host);
    return node;
  }

  /** Ends a node and every container on it. */
  async removeNode(node) {
    this.#dns.forget(node.addresses.host);
    this.#realNodes.splice(this.#realNodes.indexOf(node), 1);
    await node.close();
  }

  /** Gives all real nodes, later ones too, an image made from a folder; the name must have a host and a tag. */
  addImage(name, folder, config) {
    const archive = join(this.#images(), `${name.replace(/[^a-z0-9.-]/g, "_")}.tar`);
    writeImage({ name, folder, archive, config });
    for (const node of this.#realNodes) node.importImage(archive);
    return name;
  }

  /** The folder of images, with the two that every node has: `pause` and a shell, `localhost/busybox:1`. */
  #images() {
    const images = join(this.folder, "images");
    if (existsSync(images)) return images;
    mkdirSync(images, { recursive: true });
    const pause = mkdtempSync(join(tmpdir(), "tess-pause-"));
    cpSync(join(nodeBin, "pause"), join(pause, "pause"));
    this.addImage("localhost/pause:1", pause, { Entrypoint: ["/pause"] });
    const busybox = busyboxFolder();
    this.addImage("localhost/busybox:1", busybox, { Cmd: ["sh"] });
    for (const folder of [pause, busybox]) rmSync(folder, { recursive: true, force: true });
    return images;
  }

  async close() {
    for (const proxy of this.#proxies.splice(0)) await proxy.close();
    await this.#dns?.close();
    for (const node of this.#realNodes.splice(0)) await node.close();
    await this.kwok.kill();
    await this.plane.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    this.#forget();
  }
}

/** KWOK renews the lease of each node four times in this time: with many nodes that alone would load the API server. */
function leaseFor(nodes) {
  return nodes > 500 ? 400 : 40;
}

/** Ctrl-C and SIGTERM close the lab first. A process that ends in another way takes its daemons and its folder with it. */
function closeAtSignals(lab) {
  const end = (signal) => {
    const code = { SIGINT: 130, SIGTERM: 143 }[signal];
    lab.close().finally(() => process.exit(code));
  };
  const atExit = () => {
    for (const daemon of Object.values(lab.daemons)) daemon.killNow();
    rmSync(lab.folder, { recursive: true, force: true, maxRetries: 5 });
  };
  const signals = ["SIGINT", "SIGTERM"];
  for (const signal of signals) process.once(signal, end);
  process.once("exit", atExit);
  return () => {
    for (const signal of signals) process.off(signal, end);
    process.off("exit", atExit);
  };
}
