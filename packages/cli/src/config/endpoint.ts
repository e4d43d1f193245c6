import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface Endpoint {
  readonly url: string;
  /** The process that wrote it. */
  readonly pid: number | undefined;
  readonly tokenFile: string | undefined;
  /** PEM: the certificate that this server shows, with any signer and any name. */
  readonly certificate: string | undefined;
  readonly certificateFrom: string | undefined;
}

/** How the server of this data folder said it can be reached, if it ever ran. */
export function readEndpoint(folder: string | undefined): Endpoint | undefined {
  if (folder === undefined) return undefined;
  const text = readIfThere(join(folder, "endpoint.json"));
  if (text === undefined) return undefined;
  try {
    const { url, pid, tokenFile, certificateFile } = JSON.parse(text) as Record<string, unknown>;
    if (typeof url !== "string") return undefined;
    const shown = typeof certificateFile === "string" ? resolve(folder, certificateFile) : undefined;
    return {
      url,
      pid: typeof pid === "number" ? pid : undefined,
      tokenFile: typeof tokenFile === "string" ? resolve(folder, tokenFile) : undefined,
      certificate: shown === undefined ? undefined : readIfThere(shown),
      certificateFrom: shown,
    };
  } catch {
    return undefined; // being written at this moment; the next look finds it whole
  }
}

/** The token that the server of this clone made at its first start. */
export function tokenOfEndpoint(endpoint: Endpoint): string | undefined {
  return endpoint.tokenFile === undefined ? undefined : readIfThere(endpoint.tokenFile)?.trim();
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
