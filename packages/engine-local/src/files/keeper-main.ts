import { ContentStore, type TenantContent } from "@tessera/content";
import { parseTree } from "@tessera/core";
import { type Frame, framesOf, jsonFrame, jsonIn, kinds, send } from "@tessera/engine/framed";
import type { KeeperAsk } from "./keeper.ts";

/** Keeps what a supervisor that runs as root sends, as the owner of the content. Ends with its input. */
async function main([folder = "", tenant = ""]: readonly string[]): Promise<void> {
  const content = new ContentStore(folder).of(tenant);
  const frames = framesOf(process.stdin);
  for (;;) {
    const { value: ask } = await frames.next();
    if (ask === undefined) return;
    const answer = await keep(content, jsonIn<KeeperAsk>(ask), frames).then(
      (value) => jsonFrame(kinds.opened, value),
      (error: Error) => jsonFrame(kinds.refused, { reason: error.message }),
    );
    await send(process.stdout, answer);
  }
}

async function keep(content: TenantContent, ask: KeeperAsk, frames: AsyncGenerator<Frame>): Promise<unknown> {
  const source = piecesOf(frames);
  try {
    if (ask.keep === "file") return await content.takeFile(source);
    const parts: Uint8Array[] = [];
    for await (const part of source) parts.push(part);
    const tree = parseTree(Buffer.concat(parts).toString("utf8"));
    if (tree === undefined) throw new Error("what was sent is no tree");
    return await content.putTree(tree);
  } finally {
    for await (const _ of source); // after a failure the rest of it must not be taken for the next question
  }
}

async function* piecesOf(frames: AsyncGenerator<Frame>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { value: frame } = await frames.next();
    if (frame === undefined || frame.kind === kinds.inputEnd) return;
    yield frame.bytes;
  }
}

await main(process.argv.slice(2));
