import type { Api } from "../http.ts";
import type { Terminal } from "../terminal.ts";
import { recall, remember } from "./memory.ts";

const answerMsMax = 5_000;

/** Where the server was found. A data folder is of this machine: one that was made again is no other server's. */
export interface Place {
  readonly name: string;
  readonly local: boolean;
}

/**
 * Compares the head that a server showed with the newest one that is remembered of it. Answers a warning where the
 * history of the server no longer contains it, it went back, or another key signs.
 */
export async function compareHeads(
  { env }: Pick<Terminal, "env">,
  api: Api,
  { name, local }: Place,
  now: number,
): Promise<string | undefined> {
  const recalled = recall(env, name);
  const line = api.serverHead;
  if (line === undefined) {
    if (recalled === undefined) return undefined;
    return `${name} showed signed heads of its history before, and shows none now. Remembered: ${recalled.checked}`;
  }
  const { compareHead, parseHead } = await import("@tessera/wire/history");
  const isOther = local && parseHead(recalled?.checked ?? "")?.server !== parseHead(line)?.server;
  const server = {
    head: () => api.call("getHead", { timeoutMs: answerMsMax }),
    consistency: (from: number, to: number) =>
      api.call("proveConsistency", { query: { from, to }, timeoutMs: answerMsMax }),
  };
  const compared = await compareHead(isOther ? undefined : recalled, line, server, now);
  if (compared === undefined) return undefined;
  if ("remember" in compared) {
    remember(env, name, compared.remember);
    return undefined;
  }
  return (
    `WARNING: the history of ${name} was changed: ${compared.fault}.\n` +
    `  remembered: ${compared.before}\n  shown now:  ${compared.now}\n` +
    "  Ask its owner why (a restored backup?) and keep both lines. tess head forget believes it from now on."
  );
}
