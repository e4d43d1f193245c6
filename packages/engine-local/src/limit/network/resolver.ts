import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";

const resolverFile = "/etc/resolv.conf";
const hostsFile = "/etc/hosts";

/** The resolvers of the machine, as its programs use them. */
export function nameservers(text = readResolverFile()): string[] {
  return [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address]) => address!);
}

/** Whether one of the resolvers is this machine, which no job reaches, or speaks only IPv6. */
export function resolvesHere(servers = nameservers()): boolean {
  const own = new Set(
    Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address)),
  );
  return servers.some((server) => server.startsWith("127.") || server.includes(":") || own.has(server));
}

/** The file for a member whose names are resolved at `address`: all else as on the machine. */
export function resolverFileFor(address: string, text = readResolverFile()): string {
  const rest = text.split("\n").filter((line) => !/^\s*(nameserver|#|;|$)/.test(line));
  return [`nameserver ${address}`, ...rest, ""].join("\n");
}

/**
 * The names that a member knows without asking: those of the machine, the nodes of its gang, and its own host name, under
 * which programs such as Gloo look for the address to be met at. On the machine that is often its loopback.
 */
export function hostsFileFor(
  nodes: readonly { readonly name: string; readonly address: string }[],
  own?: { readonly name: string; readonly address: string },
  text = readIfThere(hostsFile),
): string {
  const taken = new Set([...nodes, ...(own === undefined ? [] : [own])].map(({ name }) => name));
  const kept = text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    const left = names.filter((name) => !taken.has(name));
    return left.length === 0 ? [] : [[address, ...left].join(" ")];
  });
  const added = [...nodes.filter(({ name }) => name !== own?.name), ...(own === undefined ? [] : [own])];
  return [...kept, ...added.map(({ name, address }) => `${address} ${name}`), ""].join("\n");
}

function readResolverFile(): string {
  return readIfThere(resolverFile);
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
