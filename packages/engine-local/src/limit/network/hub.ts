import { type Block, blockOf, hardwareAddress } from "./block.ts";
import type { ProcessName } from "./carrier.ts";
import { linkPrefix } from "./firewall.ts";
import type { WayOut } from "./means.ts";

/** Where namespaces of root have their names; `ip netns` lists them. */
const namesFolder = "/run/netns";

/** The network of one attempt of a job: a hub that joins its nodes and leads out, and a namespace for each node. */
export interface Hub {
  /** The server that it belongs to. */
  readonly mark: string;
  readonly block: number;
  /** Tells it from an earlier one with the same addresses: nothing that was told of that one leads here. */
  readonly id: string;
  readonly wayOut?: WayOut;
  /** Without root: the process that holds the namespaces, and where their names are in its own mount namespace. */
  readonly holder?: ProcessName & { readonly folder: string };
}

export function hubPath({ mark, block, id, holder }: Hub): string {
  if (holder !== undefined) return `/proc/${holder.pid}/ns/net`;
  return `${namesFolder}/${linkPrefix}${mark}-${block.toString(16)}-${id}`;
}

export function nodePath(hub: Hub, index: number): string {
  const { holder } = hub;
  return holder === undefined ? `${hubPath(hub)}-${index}` : `/proc/${holder.pid}/root${holder.folder}/${index}`;
}

/** The user namespace that its namespaces belong to; undefined = that of the machine. */
export function userNamespace({ holder }: Hub): string | undefined {
  return holder === undefined ? undefined : `/proc/${holder.pid}/ns/user`;
}

export function isRouted({ wayOut }: Pick<Hub, "wayOut">): boolean {
  return wayOut === "nft" || wayOut === "iptables";
}

/** The end of the way out on the machine itself; the kernel takes 15 characters. */
function linkName({ mark, block }: Hub): string {
  return `${linkPrefix}${mark}${block.toString(16)}`;
}

/** Makes the hub: a bridge for the nodes and, where there is one, the way out. */
export function hubScript(hub: Hub, closed: readonly string[]): string {
  return [
    newNamespace(hubPath(hub)),
    inside(hubPath(hub), bridgeWords(hub)),
    ...(isRouted(hub) ? [wayOutScript(hub, blockOf(hub.block), closed)] : []),
  ].join("\n");
}

/** The bridge of the gang, in the hub. */
export function bridgeWords({ block }: Pick<Hub, "block">): string[] {
  return [
    "link set lo up",
    `link add gang0 address ${hardwareAddress(block, 3)} type bridge forward_delay 0`,
    `address add ${blockOf(block).hub}/26 dev gang0`,
    "link set gang0 up",
  ];
}

/** Joins a node to the bridge: what is done in the hub, then in the namespace of the node. */
export function joinWords(
  { block }: Pick<Hub, "block">,
  index: number,
  path: string,
  routes: { readonly default: boolean; readonly closed: readonly string[] },
): { readonly outside: string[]; readonly inside: string[] } {
  const { node, hub } = blockOf(block);
  const link = `n${index}`;
  return {
    outside: [
      `link add ${link} type veth peer name eth0 netns ${path}`,
      `link set ${link} master gang0`,
      `link set ${link} up`,
    ],
    inside: [
      "link set lo up",
      `address add ${node(index)}/26 dev eth0`,
      "link set eth0 up",
      ...(routes.default ? [`route add default via ${hub}`] : []),
      ...routes.closed.map((range) => `route replace prohibit ${range}`),
    ],
  };
}

/** A link to the machine, whose ends know each other: the machine has no address on it that could be reached. */
function wayOutScript(hub: Hub, block: Block, closed: readonly string[]): string {
  const link = linkName(hub);
  const [here, there] = [hardwareAddress(hub.block, 1), hardwareAddress(hub.block, 2)];
  return [
    `ip link add ${link} address ${here} type veth peer name eth0 address ${there} netns ${hubPath(hub)}`,
    withoutIpv6(link),
    `echo 1 > /proc/sys/net/ipv4/conf/${link}/forwarding`,
    inside(hubPath(hub), [
      "link set eth0 up",
      `neighbour add ${block.wayOut} lladdr ${here} dev eth0 nud permanent`,
      `route add default via ${block.wayOut} dev eth0 onlink`,
      ...closed.map((range) => `route replace prohibit ${range}`),
    ]),
    `nsenter --net=${hubPath(hub)} -- sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'`,
    words("ip", [
      `link set ${link} up`,
      `neighbour add ${block.hub} lladdr ${there} dev ${link} nud permanent`,
      `route add ${block.range} via ${block.hub} dev ${link} onlink`,
    ]),
  ].join("\n");
}

/** Makes the namespace of one node. The port is kept free for where the gang meets: the kernel gives it to no other socket. */
export function nodeScript(hub: Hub, index: number, closed: readonly string[], portKept?: number): string {
  const path = nodePath(hub, index);
  const routes = { default: isRouted(hub), closed: hub.wayOut === undefined ? [] : closed };
  const words = joinWords(hub, index, path, routes);
  return [
    newNamespace(path),
    inside(hubPath(hub), words.outside),
    inside(path, words.inside),
    portKept === undefined
      ? ""
      : `nsenter --net=${path} -- sh -c 'echo ${portKept} > /proc/sys/net/ipv4/ip_local_reserved_ports'`,
  ].join("\n");
}

/**
 * Takes everything away, also what was only half made. A link goes with the namespace at its other end. What another
 * engine of this machine takes away in the same moment is gone as well.
 */
export function removalScript(hub: Hub): string {
  return `ip link delete ${linkName(hub)} 2>/dev/null || :
for path in ${hubPath(hub)} ${hubPath(hub)}-*; do
  [ ! -e "$path" ] || ip netns delete "\${path#${namesFolder}/}" || [ ! -e "$path" ]
done`;
}

function newNamespace(path: string): string {
  const name = path.slice(namesFolder.length + 1);
  // An engine may have been killed before it could write down that it was there.
  return `[ ! -e ${path} ] || ip netns delete ${name}\nip netns add ${name}\nnsenter --net=${path} -- sh -c '${withoutIpv6("default")}'`;
}

/** Jobs speak IPv4 with each other and with the world; ::1 stays. */
function withoutIpv6(device: string): string {
  const file = `/proc/sys/net/ipv6/conf/${device}/disable_ipv6`;
  return `[ ! -e ${file} ] || echo 1 > ${file}`;
}

function inside(path: string, lines: readonly string[]): string {
  return words(`nsenter --net=${path} -- ip`, lines);
}

export function words(program: string, lines: readonly string[]): string {
  return [`${program} -batch - <<'WORDS'`, ...lines, "WORDS"].join("\n");
}
