import { randomBytes } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { standardPath } from "../../supervise/job.ts";
import { type Carrier, endProcess, startCarrier } from "./carrier.ts";
import { enterWords, systemFolder } from "./enter.ts";
import { type Firewall, worksHere } from "./firewall.ts";
import { holdNetwork } from "./holder.ts";
import { type Hub, nodePath, userNamespace } from "./hub.ts";
import { runScript, succeeds } from "./programs.ts";
import { closedRanges } from "./reach.ts";

/** What carries the connections of jobs out of their namespaces. */
export type WayOut = Firewall | Carrier;

/** How networks of jobs are kept apart on this machine. */
export interface NetworkMeans {
  /** Who owns the namespaces: root, or a user namespace of our own. */
  readonly owner: "root" | "user";
  /** Absent: a job in a namespace reaches nothing outside its gang. */
  readonly wayOut?: WayOut;
}

/** Tries what works here. Undefined: not even a namespace can be had. `without` leaves programs out, for tests. */
export async function examineNetwork(
  stateFolder: string,
  mark: string,
  isRoot: boolean,
  without: readonly string[] = [],
): Promise<NetworkMeans | undefined> {
  if (process.platform !== "linux") return undefined;
  const has = (program: string) => !without.includes(program) && isInstalled(program);
  if (!isRoot) return examineHeld(stateFolder, mark, has);
  if (!(await succeeds(trial(mark)))) return undefined;
  for (const firewall of await firewallsHere(has)) {
    if (await worksHere(firewall)) return { owner: "root", wayOut: firewall };
  }
  for (const carrier of carriers.filter(has))
    if (await carries(mark, carrier)) return { owner: "root", wayOut: carrier };
  return { owner: "root" };
}

const carriers = ["pasta", "slirp4netns"] as const;

/** Makes a whole network without root, and enters it as a job would. */
async function examineHeld(
  stateFolder: string,
  mark: string,
  has: (program: string) => boolean,
): Promise<NetworkMeans | undefined> {
  const folder = await mkdtemp(join(stateFolder, "trial-"));
  const hub: Hub = { mark, block: 0, id: "trial" };
  try {
    const holder = await holdNetwork({ hub, folder, nodes: 1, closed: closedRanges(), isOpen: true });
    const held = { ...hub, holder };
    try {
      const bwrap = has("bwrap") ? "bwrap --unshare-user --bind / / --" : "";
      const wall = { namespace: nodePath(held, 0), userNamespace: userNamespace(held)! };
      await runScript(`${enterWords(wall, `/proc/${holder.pid}/ns/mnt`).join(" ")} -- ${bwrap} true`);
      for (const carrier of carriers.filter(has)) {
        const started = await startCarrier(carrier, held, 0, folder).catch(() => undefined);
        if (started === undefined) continue;
        endProcess(started);
        return { owner: "user", wayOut: carrier };
      }
      return { owner: "user" };
    } finally {
      endProcess(holder);
    }
  } catch {
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether the carrier can be brought into a namespace of root's. */
async function carries(mark: string, carrier: Carrier): Promise<boolean> {
  const hub: Hub = { mark, block: 0, id: `try-${randomBytes(3).toString("hex")}` };
  const folder = await mkdtemp(join(tmpdir(), "tess-trial-"));
  const name = nodePath(hub, 0).split("/").at(-1)!;
  try {
    await runScript(`ip netns add ${name}`);
    endProcess(await startCarrier(carrier, hub, 0, folder));
    return true;
  } catch {
    return false;
  } finally {
    await succeeds(`ip netns delete ${name}`);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Rules of ours cannot let through what rules of others drop, so where iptables drops what is forwarded, it is used. */
async function firewallsHere(has: (program: string) => boolean): Promise<readonly Firewall[]> {
  const all = (["nft", "iptables"] as const).filter(has);
  const drops = all.includes("iptables") && (await succeeds("iptables -S FORWARD | grep -q -e '-P FORWARD DROP'"));
  return drops ? ["iptables"] : all;
}

export function isInstalled(program: string): boolean {
  return standardPath.split(":").some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A namespace, a link into it and a bridge: all that a gang needs. */
function trial(mark: string): string {
  const name = `tess${mark}-try-${randomBytes(3).toString("hex")}`;
  return `mkdir -p ${systemFolder}
ip netns add ${name}
trap 'ip netns delete ${name}' EXIT
nsenter --net=/run/netns/${name} -- ip -batch - <<'WORDS'
link add gang0 type bridge
link add n0 type veth peer name n1
link set n0 master gang0
WORDS`;
}
