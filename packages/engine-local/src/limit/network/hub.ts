import { type Block, blockOf, hardwareAddress } from "./block.ts";
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
}

export function hubPath({ mark, block, id }: Hub): string {
  return `${namesFolder}/${linkPrefix}${mark}-${block.toString(16)}-${id}`;
}

export function nodePath(hub: Hub, index: number): string {
  return `${hubPath(hub)}-${index}`;
}

/** The end of the way out on the machine itself; the kernel takes 15 characters. */
function linkName({ mark, block }: Hub): string {
  return `${linkPrefix}${mark}${block.toString(16)}`;
}

/** Makes the hub: a bridge for the nodes and, where there is one, the way out. */
export function hubScript(hub: Hub, closed: readonly string[]): string {
  const block = blockOf(hub.block);
  const isRouter = hub.wayOut === "nft" || hub.wayOut === "iptables";
  return [
    newNamespace(hubPath(hub)),
    inside(hubPath(hub), [
      "link set lo up",
      `link add gang0 address ${hardwareAddress(hub.block, 3)} type bridge forward_delay 0`,
      `address add ${block.hub}/26 dev gang0`,
      "link set gang0 up",
    ]),
    ...(isRouter ? [wayOutScript(hub, block, closed)] : []),
  ].join("\n");
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
  const block = blockOf(hub.block);
  const [path, link] = [nodePath(hub, index), `n${index}`];
  return [
    newNamespace(path),
    inside(hubPath(hub), [
      `link add ${link} type veth peer name eth0 netns ${path}`,
      `link set ${link} master gang0`,
      `link set ${link} up`,
    ]),
    inside(path, [
      "link set lo up",
      `address add ${block.node(index)}/26 dev eth0`,
      "link set eth0 up",
      ...(hub.wayOut === undefined
        ? []
        : [`route add default via ${block.hub}`, ...closed.map((range) => `route replace prohibit ${range}`)]),
    ]),
    portKept === undefined
      ? ""
      : `nsenter --net=${path} -- sh -c 'echo ${portKept} > /proc/sys/net/ipv4/ip_local_reserved_ports'`,
  ].join("\n");
}

/** Takes everything away, also what was only half made. A link goes with the namespace at its other end. */
export function removalScript(hub: Hub): string {
  return `ip link delete ${linkName(hub)} 2>/dev/null || :
for path in ${hubPath(hub)} ${hubPath(hub)}-*; do
  [ ! -e "$path" ] || ip netns delete "\${path#${namesFolder}/}"
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

function words(program: string, lines: readonly string[]): string {
  return [`${program} -batch - <<'WORDS'`, ...lines, "WORDS"].join("\n");
}
