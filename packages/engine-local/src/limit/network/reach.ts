import { networkInterfaces } from "node:os";
import { pool } from "./block.ts";

/**
 * What no job reaches, whatever its egress: addresses at which clouds hand out credentials of the machine, addresses that
 * lead to several machines, and the jobs of this one.
 */
const closedAlways = [
  "169.254.0.0/16", // link-local: metadata of AWS, Azure, Google, OpenStack
  "100.100.100.200", // metadata of Alibaba Cloud
  "192.0.0.192", // metadata of Oracle Cloud
  "168.63.129.16", // Azure's own agent
  "224.0.0.0/4",
  "240.0.0.0/4",
  pool.text,
];

/** All ranges that are closed to jobs now: the addresses of this machine belong to them, and so does the control plane. */
export function closedRanges(): string[] {
  const own = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family }) => family === "IPv4")
    .map(({ address }) => address);
  return [...new Set([...closedAlways, ...own.filter((address) => !address.startsWith("127."))])];
}
