import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Whether it is a network as CIDR writes it, or a single address. */
export function isNetwork(text: string): boolean {
  const [, address, length] = /^([0-9A-Fa-f:.]{2,45})(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (address === undefined) return false;
  if (isIPv4(address)) return length === undefined || Number(length) <= 32;
  return isIPv6(address) && (length === undefined || Number(length) <= 128);
}

/** Parsed once for each list: lists of tokens are facts of the state and stay the same object. */
const parsed = new WeakMap<readonly string[], BlockList>();

/** Whether the address is in one of the networks. IPv4 that comes through a socket of IPv6 counts as IPv4. */
export function isWithin(networks: readonly string[], address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (isIPv4(plain)) return listOf(networks).check(plain, "ipv4");
  return isIPv6(plain) && listOf(networks).check(plain, "ipv6");
}

function listOf(networks: readonly string[]): BlockList {
  const known = parsed.get(networks);
  if (known !== undefined) return known;
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", length] = network.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    list.addSubnet(address, Number(length ?? (family === "ipv4" ? 32 : 128)), family);
  }
  parsed.set(networks, list);
  return list;
}
