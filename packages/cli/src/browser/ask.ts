import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Api } from "../http.ts";

/** What this program proves with that it is the one that began (PKCE). */
export function newSecret(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** A page of the console. */
export function pageOf({ server }: Api, path: string): string {
  return `${server.replace(/\/+$/, "")}${path}`;
}

/** Waits on this machine for what a browser on it brings (RFC 8252): nothing on another machine can catch it. */
export interface Landing {
  readonly port: number;
  readonly code: Promise<string>;
  close(): void;
}

export async function openLanding(words: string): Promise<Landing> {
  const caught = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const code = searchParams.get("code");
    const isAnswer = pathname === "/" && code !== null && /^[\w-]{43}$/.test(code);
    response.writeHead(isAnswer ? 200 : 404, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(`${isAnswer ? words : "Nothing is here."}\n`);
    if (isAnswer) caught.resolve(code);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    port: (server.address() as AddressInfo).port,
    code: caught.promise,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
