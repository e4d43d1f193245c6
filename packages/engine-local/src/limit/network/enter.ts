import { existsSync } from "node:fs";
import type { Machine } from "../machine.ts";
import type { NetworkSheet } from "./networks.ts";

/** Sockets of the machine's own services through which names are resolved, whatever the namespace. */
const resolvers = ["/run/systemd/resolve", "/run/nscd", "/run/dbus", "/run/avahi-daemon"];
/** Names of the networks of other jobs. */
const others = "/run/netns";
/** Where /sys of the member's network is put together. */
export const systemFolder = "/run/tessera/sys";

/**
 * The words that bring a command into the network of its job. Where mounts can be made it also sees /sys as that network
 * has it, the file that names its resolver, and no other way to resolve names where it may not go everywhere.
 */
export function networkWords({ wall, resolverFile }: NetworkSheet, { means }: Pick<Machine, "means">): string[] {
  if (wall === undefined) return [];
  const enter = ["nsenter", `--net=${wall.namespace}`, "--"];
  if (means !== "bwrap" && means !== "unshare") return enter;
  const covered = [others, ...(wall.order.egress === "all" ? [] : resolvers)].filter((path) => existsSync(path));
  return [
    ...enter,
    ...["unshare", "--mount", "--propagation", "slave", "--", "/bin/sh", "-c", mountScript, "tess"],
    ...[resolverFile ?? "", String(covered.length), ...covered],
  ];
}

const mountScript = `r=$1; n=$2; shift 2
{
  mount -t sysfs -o nosuid,nodev,noexec sysfs ${systemFolder} &&
  { [ ! -d /sys/fs/cgroup ] || mount --rbind /sys/fs/cgroup ${systemFolder}/fs/cgroup; } &&
  mount --rbind ${systemFolder} /sys &&
  { [ -z "$r" ] || mount --bind "$r" /etc/resolv.conf; }
} >&2 || exit 125
while [ "$n" -gt 0 ]; do
  mount -t tmpfs -o mode=0755,size=4k,ro tmpfs "$1" >&2 || exit 125
  shift; n=$((n - 1))
done
exec "$@"`;

/** How the network of a member is kept apart, for `describe`. */
export function networkEnforcement({ wall }: NetworkSheet, { network, isRoot }: Machine): string {
  if (wall !== undefined) {
    const { egress } = wall.order;
    return `namespace (egress ${egress}${wall.wayOut === undefined ? "" : ` by ${wall.wayOut}`})`;
  }
  return `none (${networkLack({ isRoot, ...(network !== undefined && { network }) })})`;
}

/** What stands in the way of a wall around the networks of jobs; undefined = nothing does. */
export function networkLack({ network, isRoot }: Pick<Machine, "network" | "isRoot">): string | undefined {
  if (network?.wayOut !== undefined) return undefined;
  if (network !== undefined) return "no way out of a namespace: install nftables or iptables";
  return isRoot ? "network namespaces need ip (iproute2)" : "needs root";
}
