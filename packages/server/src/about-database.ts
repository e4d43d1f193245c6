import { isLoopback } from "./access/listen.ts";
import { speaksTls, warningAboutRole } from "./store/index.ts";

/** What the owner should know of the database that this URL leads to. */
export async function warningsAbout(url: string): Promise<string[]> {
  return [aboutPlain(url), await warningAboutRole(url)].filter((text) => text !== undefined);
}

/** Passwords and the journal would cross a network in clear text. */
export function aboutPlain(url: string): string | undefined {
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, "") ?? "";
  if (host === "" || isLoopback(host) || speaksTls(url)) return undefined;
  return `the connection to PostgreSQL at ${host} has no TLS: add ?sslmode=verify-full to its address; see docs/operations.md`;
}
