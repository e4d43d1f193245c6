import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { standardPath } from "../../supervise/job.ts";
import { findProcess } from "../../supervise/processes.ts";
import { coveredFor } from "./enter.ts";
import { bridgeWords, type Hub, joinWords, words } from "./hub.ts";

/** What a network without root is made of. */
export interface HeldNetwork {
  readonly hub: Omit<Hub, "holder">;
  /** The folder of the network's record. */
  readonly folder: string;
  readonly nodes: number;
  readonly closed: readonly string[];
  /** The port to keep, and on which node. */
  readonly kept?: { readonly node: number; readonly port: number };
  readonly resolverFile?: string;
  readonly hostsFile?: string;
  readonly isOpen: boolean;
}

/**
 * Without root, namespaces live as long as a process that holds them, in a user namespace of its own: there it may make
 * bridges and mounts. It is made whole at once, because nothing that comes later has these rights. Its own network is the hub.
 */
export async function holdNetwork(network: HeldNetwork): Promise<NonNullable<Hub["holder"]>> {
  const folder = join(network.folder, "namespaces");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const flags = ["--user", "--map-current-user", "--keep-caps", "--mount", "--propagation", "slave", "--net"];
  const child = spawn("unshare", [...flags, "--", "/bin/sh", "-e", "-c", holderScript(network, folder)], {
    cwd: "/",
    detached: true,
    env: { PATH: standardPath },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    complaint = `${complaint}${part}`.slice(-500);
  });
  const failed = once(child, "exit").then(() => "");
  const line = createInterface({ input: child.stdout })
    [Symbol.asyncIterator]()
    .next()
    .then(({ value }) => String(value ?? ""));
  const ready = await Promise.race([line, failed]).catch((error: Error) => error.message);
  const found = child.pid === undefined ? undefined : findProcess(child.pid);
  if (ready !== "ready" || found === undefined) {
    child.kill("SIGKILL");
    throw new Error(complaint.trim() || ready || "no user namespace can be made");
  }
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  return { pid: found.pid, startedAt: found.startedAt, folder };
}

function holderScript(network: HeldNetwork, folder: string): string {
  const { hub, nodes, closed, kept, resolverFile, hostsFile, isOpen } = network;
  return [
    quietly("ipv6/conf/default/disable_ipv6", "1"),
    words("ip", bridgeWords(hub)),
    ...Array.from({ length: nodes }, (_, index) => {
      const path = `${folder}/${index}`;
      const { outside, inside } = joinWords(hub, index, path, { default: false, closed: isOpen ? closed : [] });
      const settings = [
        quietly("ipv6/conf/default/disable_ipv6", "1"),
        // The supervisor has no rights here, and resolves names on the usual port.
        "echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start",
        ...(kept?.node === index ? [`echo ${kept.port} > /proc/sys/net/ipv4/ip_local_reserved_ports`] : []),
      ];
      return [
        `: > '${path}'`,
        `unshare --net='${path}' -- true`,
        `nsenter --net='${path}' -- /bin/sh -e -c '${settings.join("; ")}'`,
        words("ip", outside),
        words(`nsenter --net='${path}' -- ip`, inside),
      ].join("\n");
    }),
    // What is not there, or may not be mounted in a container, is left as it is.
    "mount -t sysfs -o nosuid,nodev,noexec sysfs /sys 2>/dev/null || :",
    ...(hostsFile === undefined ? [] : [`[ ! -e /etc/hosts ] || mount --bind '${hostsFile}' /etc/hosts`]),
    ...(resolverFile === undefined
      ? []
      : [`[ ! -e /etc/resolv.conf ] || mount --bind '${resolverFile}' /etc/resolv.conf`]),
    ...coveredFor(isOpen).map((path) => `mount -t tmpfs -o mode=0755,size=4k,ro tmpfs ${path}`),
    "echo ready",
    // It is ended with the network; where no process is left to do that, it sees that the record is gone.
    `exec >/dev/null 2>&1; while [ -d '${folder}' ]; do sleep 10; done`,
  ].join("\n");
}

function quietly(file: string, value: string): string {
  return `[ ! -e /proc/sys/net/${file} ] || echo ${value} > /proc/sys/net/${file}`;
}
