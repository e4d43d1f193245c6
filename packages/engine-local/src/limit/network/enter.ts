import { existsSync } from "node:fs";
import type { Machine } from "../machine.ts";
import type { NetworkSheet, Wall } from "./networks.ts";

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
export function networkWords(
  { wall, resolverFile, hostsFile }: NetworkSheet,
  { means }: Pick<Machine, "means">,
): string[] {
  if (wall === undefined) return [];
  const { userNamespace, mountNamespace } = wall;
  if (userNamespace !== undefined) return [...enterWords(wall, mountNamespace), "--"];
  const enter = [...enterWords(wall), "--"];
  if (means !== "bwrap" && means !== "unshare") return enter;
  const covered = coveredFor(wall.order.egress === "all");
  return [
    ...enter,
    ...["unshare", "--mount", "--propagation", "slave", "--", "/bin/sh", "-c", mountScript, "tess"],
    ...[resolverFile ?? "", hostsFile ?? "", String(covered.length), ...covered],
  ];
}

/** Into the network of the member, and no further: rights over it stay behind. */
export function enterWords(
  { namespace, userNamespace }: Pick<Wall, "namespace" | "userNamespace">,
  mountNamespace?: string,
): string[] {
  return [
    "nsenter",
    ...(userNamespace === undefined ? [] : [`--user=${userNamespace}`, "--preserve-credentials"]),
    ...(mountNamespace === undefined ? [] : [`--mount=${mountNamespace}`]),
    `--net=${namespace}`,
  ];
}

/** What a job must not see: the names of others' networks and, where it may not go everywhere, ways to resolve names. */
export function coveredFor(isOpen: boolean): string[] {
  return [others, ...(isOpen ? [] : resolvers)].filter((path) => existsSync(path));
}

const mountScript = `r=$1; h=$2; n=$3; shift 3
{
  mount -t sysfs -o nosuid,nodev,noexec sysfs ${systemFolder} &&
  { [ ! -d /sys/fs/cgroup ] || mount --rbind /sys/fs/cgroup ${systemFolder}/fs/cgroup; } &&
  mount --rbind ${systemFolder} /sys &&
  { [ -z "$r" ] || [ ! -e /etc/resolv.conf ] || mount --bind "$r" /etc/resolv.conf; } &&
  { [ -z "$h" ] || [ ! -e /etc/hosts ] || mount --bind "$h" /etc/hosts; }
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
  if (network === undefined) return `no network namespaces here${isRoot ? ": install ip (iproute2)" : "; run as root"}`;
  if (isRoot) return "no way out of a namespace: install nftables";
  return "no way out of a namespace: install pasta (passt) or slirp4netns, and let the server open /dev/net/tun";
}
