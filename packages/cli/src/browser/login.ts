import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { exit } from "../exit.ts";
import { Failure } from "../failure.ts";
import type { Api } from "../http.ts";
import type { Session } from "../session.ts";
import { newSecret, openLanding, pageOf } from "./ask.ts";
import { showInBrowser } from "./show.ts";

/** A token for this machine, once a person has allowed it in a browser, wherever that is. */
export async function loginByDevice(session: Session, api: Api): Promise<string> {
  const { verifier, challenge } = newSecret();
  const begun = await api.call("beginLogin", { body: { challenge, label: labelOf() } });
  await session.note(
    `Open ${pageOf(api, begun.path)}\nand compare the code: ${session.paintNote("bold", begun.login)}`,
  );
  return untilAllowed(api, begun, verifier);
}

/** A token for this machine, brought by a browser on it. */
export async function loginByBrowser(session: Session, api: Api): Promise<string> {
  const { verifier, challenge } = newSecret();
  const landing = await openLanding("You are logged in. Go back to the terminal.");
  try {
    const begun = await api.call("beginLogin", { body: { challenge, label: labelOf(), port: landing.port } });
    const url = pageOf(api, begun.path);
    const shown = await showInBrowser(session, url);
    const elsewhere = shown ? "" : "\nNo browser on this machine? tess login URL --device";
    await session.note(
      `${shown ? "Opened" : "Open"} ${url}\nand compare the code: ${session.paintNote("bold", begun.login)}${elsewhere}`,
    );
    const late = new AbortController();
    const leftMs = Math.max(0, Date.parse(begun.expiresAt) - Date.now());
    const code = await Promise.race([landing.code, sleep(leftMs, undefined, { signal: late.signal })]);
    late.abort();
    if (code === undefined) throw tooLate();
    const { token } = await api.call("takeLogin", { at: { login: begun.login }, body: { verifier, code } });
    if (token === undefined) throw tooLate();
    return token;
  } finally {
    landing.close();
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

function labelOf(): string {
  return hostname()
    .replaceAll(/[^\x20-\x7e]/g, "")
    .slice(0, 60);
}

function tooLate(): Failure {
  const message = "the login was not allowed in time";
  return new Failure(exit.tryLater, { code: "not-allowed-in-time", message, hint: "begin again: tess login URL" });
}
