import { readFileSync } from "node:fs";
import { type ConnectionOptions, checkServerIdentity, createSecureContext } from "node:tls";

/** Parameters of an address, named as libpq names them. */
const parameters = ["ssl", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslnegotiation"] as const;
const plainModes = ["disable", "0", "false"];
const trustingModes = ["no-verify"];

interface Files {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** What was read last and could be used, by the names of the files. */
const lastGood = new Map<string, Files>();

/**
 * Takes what an address says of TLS out of it. Nothing below TLS 1.3 is agreed on, and the server shows a certificate for
 * the name in the address, whatever way of `sslmode` asks for TLS; `verify-ca` leaves the name out. The files are
 * read each time, so a renewed certificate counts from the next connection on.
 */
export function tlsOf(url: string): { readonly url: string; readonly ssl: ConnectionOptions | undefined } {
  if (!URL.canParse(url)) return { url, ssl: undefined };
  const rest = new URL(url);
  const [ssl, mode, ca, cert, key] = parameters.map((name) => rest.searchParams.get(name) ?? undefined);
  const asked = mode ?? ssl ?? (ca ?? cert ?? key) !== undefined;
  if (asked === false || asked === undefined) return { url, ssl: undefined };
  for (const name of parameters) rest.searchParams.delete(name);
  if (plainModes.includes(String(asked))) return { url: rest.href, ssl: undefined };
  const host = rest.hostname.replace(/^\[|\]$/g, "");
  return {
    url: rest.href,
    ssl: {
      minVersion: "TLSv1.3",
      ...filesOf({ ca, cert, key }),
      rejectUnauthorized: !trustingModes.includes(String(asked)),
      // The driver names no address of digits, and TLS would then look for "localhost" in the certificate.
      checkServerIdentity: (_name, shown) => (mode === "verify-ca" ? undefined : checkServerIdentity(host, shown)),
    },
  };
}

/** Whether this address asks for TLS. */
export function speaksTls(url: string): boolean {
  return tlsOf(url).ssl !== undefined;
}

function filesOf(names: { readonly [name in keyof Files]?: string | undefined }): Files {
  const id = JSON.stringify(names);
  try {
    const files = Object.fromEntries(
      Object.entries(names).flatMap(([name, file]) => (file === undefined ? [] : [[name, readFileSync(file)]])),
    ) as Files;
    createSecureContext(files); // fails where they do not belong together, as while one is written before the other
    lastGood.set(id, files);
    return files;
  } catch (cause) {
    const before = lastGood.get(id);
    if (before !== undefined) return before;
    throw new Error(`the certificate for PostgreSQL cannot be used: ${(cause as Error).message}`, { cause });
  }
}
