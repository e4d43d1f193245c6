import { readFileSync } from "node:fs";
import { networkInterfaces } from "node:os";

const resolverFile = "/etc/resolv.conf";

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

function readResolverFile(): string {
  try {
    return readFileSync(resolverFile, "utf8");
  } catch {
    return "";
  }
}
