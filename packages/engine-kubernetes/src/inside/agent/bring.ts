import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ContentStore, type TenantContent } from "@tessera/content";
import { type Tree, treeText } from "@tessera/core";
import { type Frame, framesOf, jsonIn, kinds } from "@tessera/engine/framed";
import { folders } from "../parts.ts";
import { type AgentOrder, agentFile } from "./order.ts";

/** What comes before the bytes of one content. */
export interface Coming {
  readonly sha256: string;
  readonly bytes: number;
}

/**
 * Takes contents on standard input, then lays the trees that are ordered. The end of the input without a last frame means
 * that the other side died: what came so far stays for the next one.
 */
export async function bring(order: AgentOrder): Promise<void> {
  const content = new ContentStore(agentFile.content).of("pod");
  const frames = framesOf(process.stdin);
  for (;;) {
    const { value: frame } = await frames.next();
    if (frame === undefined) return;
    if (frame.kind === kinds.refused) return refuse(jsonIn<{ readonly reason: string }>(frame).reason);
    if (frame.kind === kinds.end) break;
    const { sha256, bytes } = jsonIn<Coming>(frame);
    await content.putFile(piecesOf(frames), { sha256, bytes });
  }
  if (!existsSync(agentFile.brought)) await unpack(order, content);
}

async function unpack(order: AgentOrder, content: TenantContent): Promise<void> {
  try {
    mkdirSync(agentFile.lock);
  } catch {
    // Another call got that far before the one that made it died; it needs nobody to go on.
    while (!existsSync(agentFile.brought) && !existsSync(agentFile.refused)) await sleep(100);
    return;
  }
  try {
    for (const { tree: id, to } of order.bring) {
      mkdirSync(to, { recursive: true });
      const tree = await content.unpack(id, to);
      if (to === folders.work) keepCode(tree);
    }
    rmSync(agentFile.content, { recursive: true, force: true });
    writeFileSync(agentFile.brought, "");
  } catch (error) {
    refuse((error as Error).message);
  }
}

/** What was code is no result when the member ends. */
function keepCode(tree: Tree): void {
  writeFileSync(agentFile.code, treeText(tree));
}

function refuse(reason: string): void {
  const text = `its files cannot be brought: ${reason.replaceAll("\n", " ")}\n`;
  writeFileSync(`${agentFile.refused}.new`, text);
  renameSync(`${agentFile.refused}.new`, agentFile.refused);
}

async function* piecesOf(frames: AsyncGenerator<Frame>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { value: frame } = await frames.next();
    if (frame === undefined) throw new Error("the connection broke");
    if (frame.kind === kinds.inputEnd) return;
    yield frame.bytes;
  }
}
