import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Terminal } from "../terminal.ts";
import { dataFolder } from "./paths.ts";

export interface Endpoint {
  readonly url: string;
  readonly tokenFile: string | undefined;
  /** PEM: the certificate that this server shows, with any signer and any name. */
  readonly certificate: string | undefined;
}

/** How the server of this clone said it can be reached, if it ever ran. */
export function readEndpoint(env: Terminal["env"]): Endpoint | undefined {
  const folder = dataFolder(env);
  const text = readIfThere(join(folder, "endpoint.json"));
  if (text === undefined) return undefined;
  try {
    const { url, tokenFile, certificateFile } = JSON.parse(text) as Record<string, unknown>;
    if (typeof url !== "string") return undefined;
    return {
      url,
      tokenFile: typeof tokenFile === "string" ? resolve(folder, tokenFile) : undefined,
      certificate: typeof certificateFile === "string" ? readIfThere(resolve(folder, certificateFile)) : undefined,
    };
  } catch {
    return undefined; // being written at this moment; the next look finds it whole
  }
}

/** The token that the server of this clone made at its first start. */
export function tokenOfEndpoint(endpoint: Endpoint): string | undefined {
  return endpoint.tokenFile === undefined ? undefined : readIfThere(endpoint.tokenFile)?.trim();
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
