import { existsSync, readFileSync, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseTree, type Tree } from "@tessera/core";
import type { JobFolder } from "@tessera/engine";
import { collectOutputs, KeeperOver } from "@tessera/engine/files";
import { framesOf, jsonFrame, kinds, send } from "@tessera/engine/framed";
import { donePath, folders } from "../parts.ts";
import { type AgentOrder, agentFile } from "./order.ts";

const lookEveryMs = 50;

/**
 * Gives what the member left to the control plane, which keeps it: questions on standard output, answers on standard input.
 * Waits for the end of the member, which the cluster does not tell of a pod that is being deleted. Of a member that starts
 * again nothing is kept, unless it is done.
 */
export async function collect({ outputs, rank }: AgentOrder, returns: boolean): Promise<void> {
  while (!existsSync(agentFile.ending)) await sleep(lookEveryMs);
  if (outputs === undefined || (returns && !existsSync(donePath))) {
    await send(process.stdout, jsonFrame(kinds.end, []));
    return;
  }
  const places = { work: placeOf("work"), out: placeOf("out"), checkpoint: placeOf("checkpoint") };
  const code = codeTree();
  const readyAt = statSync(agentFile.brought, { throwIfNoEntry: false })?.ctimeMs ?? 0;
  const keeper = new KeeperOver(process.stdout, framesOf(process.stdin));
  const kept = await collectOutputs({ outputs, rank, places, readyAt, ...(code !== undefined && { code }) }, keeper);
  await send(process.stdout, jsonFrame(kinds.end, kept));
}

export function placeOf(folder: JobFolder): { readonly base: string; readonly path: string } {
  return { base: folders.root, path: folders[folder].slice(folders.root.length + 1) };
}

function codeTree(): Tree | undefined {
  try {
    return parseTree(readFileSync(agentFile.code, "utf8"));
  } catch {
    return undefined; // it had none
  }
}
