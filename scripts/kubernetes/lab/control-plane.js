import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Api } from "./api.js";
import { controlPlaneBin } from "./cache.js";
import { Certificates } from "./certificates.js";
import { Daemon } from "./daemon.js";
import { freePorts } from "./ports.js";

const serviceRange = "10.96.0.0/16";
const program = (name) => join(controlPlaneBin, name);

/** etcd, API server, controller manager and scheduler on loopback, with everything they write in one folder. */
export class ControlPlane {
  #leaseSeconds;
  #ports;

  constructor(folder, certificates, ports, leaseSeconds) {
    this.folder = folder;
    this.certificates = certificates;
    [this.apiPort, ...this.#ports] = ports;
    this.#leaseSeconds = leaseSeconds;
    const daemons = [this.#etcd(), this.#apiServer(), this.#controllers(), this.#scheduler()];
    this.daemons = Object.fromEntries(daemons.map((daemon) => [daemon.name, daemon]));
  }

  static async open(folder, { leaseSeconds = 40 } = {}) {
    for (const each of ["log", "users"]) mkdirSync(join(folder, each), { recursive: true });
    const certificates = new Certificates(join(folder, "keys"));
    const hosts = ["DNS:localhost", "DNS:kubernetes.default.svc", "IP:127.0.0.1", "IP:10.96.0.1"];
    certificates.server("api-server", hosts);
    certificates.client("admin", { groups: ["system:masters"] });
    certificates.client("controllers", { user: "system:kube-controller-manager" });
    certificates.client("scheduler", { user: "system:kube-scheduler" });
    const plane = new ControlPlane(folder, certificates, await freePorts(5), leaseSeconds);
    const [ca, cert, key] = ["ca.crt", "admin.crt", "admin.key"].map((name) => certificates.path(name));
    plane.api = new Api({ port: plane.apiPort, ca, cert, key });
    return plane;
  }

  async start() {
    const { etcd, apiserver, controllers, scheduler } = this.daemons;
    await etcd.start();
    await apiserver.start();
    await Promise.all([controllers.start(), scheduler.start()]);
    await this.#untilAccounts();
  }

  /** All at once: nothing that they could still write is wanted. */
  async close() {
    this.api?.close();
    await Promise.all(Object.values(this.daemons).map((daemon) => daemon.kill()));
  }

  /** Writes the kubeconfig of a user that has a certificate, and gives its path. */
  kubeconfig(user, { server = `https://127.0.0.1:${this.apiPort}`, folder = join(this.folder, "users") } = {}) {
    const path = join(folder, `${user}.kubeconfig`);
    // With everything in it, so that it can be handed to a server that does not see these files.
    const data = (name) => readFileSync(this.certificates.path(name), "base64");
    const credentials = { "client-certificate-data": data(`${user}.crt`), "client-key-data": data(`${user}.key`) };
    const text = JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "lab",
      contexts: [{ name: "lab", context: { cluster: "lab", user } }],
      clusters: [{ name: "lab", cluster: { server, "certificate-authority-data": data("ca.crt") } }],
      users: [{ name: user, user: credentials }],
    });
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  #daemon(name, command, isReady) {
    return new Daemon({ name, command, isReady, log: join(this.folder, "log", `${name}.log`), cwd: this.folder });
  }

  #etcd() {
    const [client, peer] = this.#ports.slice(0, 2).map((port) => `http://127.0.0.1:${port}`);
    const words = {
      "data-dir": join(this.folder, "etcd"),
      "listen-client-urls": client,
      "advertise-client-urls": client,
      "listen-peer-urls": peer,
      "initial-advertise-peer-urls": peer,
      "initial-cluster": `default=${peer}`,
      "quota-backend-bytes": 4 * 2 ** 30,
      "log-level": "warn",
      // A killed process loses nothing that the kernel has; only a power cut would, and the lab has none.
      "unsafe-no-fsync": true,
    };
    return this.#daemon("etcd", [program("etcd"), ...options(words)], async () => (await fetch(`${client}/health`)).ok);
  }

  #apiServer() {
    const { certificates } = this;
    const words = {
      "etcd-servers": `http://127.0.0.1:${this.#ports[0]}`,
      "bind-address": "127.0.0.1",
      "secure-port": this.apiPort,
      "tls-cert-file": certificates.path("api-server.crt"),
      "tls-private-key-file": certificates.path("api-server.key"),
      "client-ca-file": certificates.path("ca.crt"),
      "service-account-issuer": "https://kubernetes.default.svc",
      "service-account-key-file": certificates.path("accounts.pub"),
      "service-account-signing-key-file": certificates.path("accounts.key"),
      "authorization-mode": "RBAC",
      "service-cluster-ip-range": serviceRange,
      "endpoint-reconciler-type": "none",
      "allow-privileged": true,
      "max-requests-inflight": 2000,
      "delete-collection-workers": 16,
      "max-mutating-requests-inflight": 1000,
      // What Tessera's own account asks for, and nothing else: the proof of its rights reads it.
      "audit-policy-file": this.#auditPolicy(),
      "audit-log-path": join(this.folder, "log", "audit.log"),
      // For logs and entries of real nodes, whose names do not resolve.
      "kubelet-client-certificate": certificates.path("admin.crt"),
      "kubelet-client-key": certificates.path("admin.key"),
      "kubelet-preferred-address-types": "InternalIP",
    };
    return this.#daemon("apiserver", [program("kube-apiserver"), ...options(words)], () => this.api.isReady());
  }

  #auditPolicy() {
    const path = join(this.folder, "audit.json");
    const account = "system:serviceaccount:tessera-system:tessera";
    const rules = [{ level: "Metadata", users: [account], omitStages: ["RequestReceived"] }, { level: "None" }];
    writeFileSync(path, JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules }));
    return path;
  }

  #controllers() {
    const { certificates } = this;
    const words = {
      kubeconfig: this.kubeconfig("controllers"),
      "leader-elect": false,
      "bind-address": "127.0.0.1",
      "secure-port": this.#ports[2],
      "service-account-private-key-file": certificates.path("accounts.key"),
      "root-ca-file": certificates.path("ca.crt"),
      "cluster-signing-cert-file": certificates.path("ca.crt"),
      "cluster-signing-key-file": certificates.path("ca.key"),
      "use-service-account-credentials": true,
      "kube-api-qps": 500,
      "kube-api-burst": 1000,
      "node-monitor-grace-period": `${this.#leaseSeconds + 10}s`,
    };
    return this.#daemon("controllers", [program("kube-controller-manager"), ...options(words)]);
  }

  #scheduler() {
    const config = join(this.folder, "scheduler.json");
    const connection = { kubeconfig: this.kubeconfig("scheduler"), qps: 5000, burst: 5000 };
    writeFileSync(
      config,
      JSON.stringify({
        apiVersion: "kubescheduler.config.k8s.io/v1",
        kind: "KubeSchedulerConfiguration",
        leaderElection: { leaderElect: false },
        clientConnection: connection,
      }),
    );
    const words = { config, "bind-address": "127.0.0.1", "secure-port": this.#ports[3] };
    return this.#daemon("scheduler", [program("kube-scheduler"), ...options(words)]);
  }

  /** Pods are refused before the service account of their namespace exists. */
  async #untilAccounts() {
    for (let tries = 0; ; tries++) {
      try {
        return await this.api.get("/api/v1/namespaces/default/serviceaccounts/default");
      } catch (error) {
        if (tries === 600) throw error;
        await sleep(100);
      }
    }
  }
}

function options(words) {
  return Object.entries(words).map(([name, value]) => `--${name}=${value}`);
}
