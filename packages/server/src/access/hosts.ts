import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { hostname } from "node:os";

export interface HostNames {
  /** The address to listen on, which may be a name. */
  readonly host?: string | undefined;
  /** PEM: the certificate that the server shows. */
  readonly certificate?: string | Buffer | undefined;
  /** Further names, such as that of a proxy in front. */
  readonly named?: readonly string[] | undefined;
}

/**
 * Which Host headers are answered. A page of another site can point its own name at this server's address, and is then
 * of the same origin for a browser: names that are not ours are refused. An address cannot be pointed elsewhere, so all
 * addresses are fine, with any port: there may be a tunnel.
 */
export function hostCheck({ host, certificate, named = [] }: HostNames): (header: string | undefined) => boolean {
  const names = new Set(["localhost", hostname(), host ?? "", ...named].map((name) => name.toLowerCase()));
  const shown = certificate === undefined ? undefined : new X509Certificate(certificate);
  return (header) => {
    // No browser leaves it out; checks of a proxy do.
    if (header === undefined) return true;
    const name = nameIn(header);
    if (name === undefined) return false;
    return names.has(name) || isIP(name) !== 0 || shown?.checkHost(name) !== undefined;
  };
}

/** The name or address of a Host header, without its port. */
function nameIn(header: string): string | undefined {
  const [, address, name] =
    /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]{1,255}))(?::\d{1,5})?$/.exec(header.toLowerCase()) ?? [];
  return address ?? name?.replace(/\.$/, "");
}

/** Whether a name stands for the browser's own machine: what a browser keeps for it would hold for every program there. */
export function isLocalhost(header: string | undefined): boolean {
  const name = nameIn(header ?? "") ?? "";
  return name === "localhost" || name.endsWith(".localhost");
}
