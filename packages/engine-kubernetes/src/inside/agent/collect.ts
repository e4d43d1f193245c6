import { readFileSync, statSync } from "node:fs";
import { parseTree, type Tree } from "@tessera/core";
import type { JobFolder } from "@tessera/engine";
import { collectOutputs, KeeperOver } from "@tessera/engine/files";
import { framesOf, jsonFrame, kinds, send } from "@tessera/engine/framed";
import { folders } from "../parts.ts";
import { type AgentOrder, agentFile } from "./order.ts";

/** Gives what the member left to the control plane, which keeps it: questions on standard output, answers on standard input. */
export async function collect({ outputs, rank }: AgentOrder): Promise<void> {
  if (outputs === undefined) return;
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
