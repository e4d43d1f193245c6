import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { exit } from "../../exit.ts";
import { Failure } from "../../failure.ts";
import type { Api } from "../../http.ts";
import { showInBrowser } from "../../inside/browser.ts";
import type { Session } from "../../session.ts";

/** A token for this machine, once a person has allowed it in a browser, wherever that is. */
export async function loginByDevice(session: Session, api: Api): Promise<string> {
  const { verifier, challenge } = newSecret();
  const begun = await api.call("beginLogin", { body: { challenge, label: labelOf() } });
  await session.note(
    `Open ${addressOf(api, begun.path)}\nand compare the code: ${session.paintNote("bold", begun.login)}`,
  );
  return untilAllowed(api, begun, verifier);
}

/** A token for this machine, brought by a browser on it (RFC 8252): nothing on another machine can catch it. */
export async function loginByBrowser(session: Session, api: Api): Promise<string> {
  const { verifier, challenge } = newSecret();
  const caught = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
    const code = searchParams.get("code");
    const isAnswer = pathname === "/" && code !== null && /^[\w-]{43}$/.test(code);
    const words = isAnswer ? "You are logged in. Go back to the terminal." : "Nothing is here.";
    response.writeHead(isAnswer ? 200 : 404, { "content-type": "text/plain; charset=utf-8", connection: "close" });
    response.end(`${words}\n`);
    if (isAnswer) caught.resolve(code);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    const { port } = server.address() as AddressInfo;
    const begun = await api.call("beginLogin", { body: { challenge, label: labelOf(), port } });
    const url = addressOf(api, begun.path);
    const shown = await showInBrowser(session, url);
    const elsewhere = shown ? "" : "\nNo browser on this machine? tess login URL --device";
    await session.note(
      `${shown ? "Opened" : "Open"} ${url}\nand compare the code: ${session.paintNote("bold", begun.login)}${elsewhere}`,
    );
    const late = new AbortController();
    const leftMs = Math.max(0, Date.parse(begun.expiresAt) - Date.now());
    const code = await Promise.race([caught.promise, sleep(leftMs, undefined, { signal: late.signal })]);
    late.abort();
    if (code === undefined) throw tooLate();
    const { token } = await api.call("takeLogin", { at: { login: begun.login }, body: { verifier, code } });
    if (token === undefined) throw tooLate();
    return token;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function untilAllowed(
  api: Api,
  { login, expiresAt, intervalSeconds }: { login: string; expiresAt: string; intervalSeconds: number },
  verifier: string,
): Promise<string> {
  while (Date.parse(expiresAt) > Date.now()) {
    await sleep(intervalSeconds * 1_000);
    const { token } = await api.call("takeLogin", { at: { login }, body: { verifier } });
    if (token !== undefined) return token;
  }
  throw tooLate();
}

function newSecret(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

function labelOf(): string {
  return hostname()
    .replaceAll(/[^\x20-\x7e]/g, "")
    .slice(0, 60);
}

function addressOf({ server }: Api, path: string): string {
  return `${server.replace(/\/+$/, "")}${path}`;
}

function tooLate(): Failure {
  const message = "the login was not allowed in time";
  return new Failure(exit.tryLater, { code: "not-allowed-in-time", message, hint: "begin again: tess login URL" });
}
