import { isIPv4, isIPv6 } from "node:net";
import { isLoopback } from "./listen.ts";

/** The networks that an address is counted in: the one that a person has, and the one that a provider hands out. */
export interface Networks {
  readonly near: string;
  readonly wide: string;
}

const loopback: Networks = { near: "loopback", wide: "loopback" };

/**
 * One address of IPv4 and the 256 around it; of IPv6 a /64, in which one machine chooses its address freely, and a /48.
 * All loopback addresses are this machine.
 */
export function networksOf(address: string): Networks {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (isLoopback(plain)) return loopback;
  if (isIPv4(plain)) return { near: plain, wide: `${plain.slice(0, plain.lastIndexOf("."))}.0/24` };
  if (!isIPv6(plain)) return { near: plain, wide: plain };
  const groups = groupsOf(plain);
  return { near: `${groups.slice(0, 4).join(":")}::/64`, wide: `${groups.slice(0, 3).join(":")}::/48` };
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = "", tail] = address.toLowerCase().split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => "0");
  return [...before, ...zeros, ...after].map((group) => group.replace(/^0+(?=.)/, ""));
}
