import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { standardPath } from "../../supervise/job.ts";
import { systemFolder } from "./enter.ts";
import { type Firewall, worksHere } from "./firewall.ts";
import { succeeds } from "./programs.ts";

/** What carries the connections of jobs out of their namespaces. */
export type WayOut = Firewall | "pasta" | "slirp4netns";

/** How networks of jobs are kept apart on this machine. */
export interface NetworkMeans {
  /** Who owns the namespaces: root, or a user namespace of our own. */
  readonly owner: "root" | "user";
  /** Absent: a job in a namespace reaches nothing outside its gang. */
  readonly wayOut?: WayOut;
}

/** Tries what works here. Undefined: not even a namespace can be had. `without` leaves programs out, for tests. */
export async function examineNetwork(
  mark: string,
  isRoot: boolean,
  without: readonly string[] = [],
): Promise<NetworkMeans | undefined> {
  if (process.platform !== "linux" || !isRoot || !(await succeeds(trial(mark)))) return undefined;
  const has = (program: string) => !without.includes(program) && isInstalled(program);
  for (const firewall of await firewallsHere(has)) {
    if (await worksHere(firewall)) return { owner: "root", wayOut: firewall };
  }
  return { owner: "root" };
}

/** Rules of ours cannot let through what rules of others drop, so where iptables drops what is forwarded, it is used. */
async function firewallsHere(has: (program: string) => boolean): Promise<readonly Firewall[]> {
  const all = (["nft", "iptables"] as const).filter(has);
  const drops = all.includes("iptables") && (await succeeds("iptables -S FORWARD | grep -q -e '-P FORWARD DROP'"));
  return drops ? ["iptables"] : all;
}

export function isInstalled(program: string): boolean {
  return standardPath.split(":").some((folder) => existsSync(join(folder, program)));
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
