import type { Writable } from "node:stream";
import { parseTree, type Tree, treeText } from "@tessera/core";
import { type Frame, frameOf, jsonFrame, jsonIn, kinds, send } from "../frames.ts";

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** What puts results into the content of a tenant. */
export interface Keeper {
  takeFile(source: Bytes): Promise<{ readonly sha256: string; readonly bytes: number }>;
  /** The id of the tree. */
  putTree(tree: Tree): Promise<string>;
}

/** What is sent to the side that keeps: a question, then its bytes in pieces. */
interface KeeperAsk {
  readonly keep: "file" | "tree";
}

const pieceBytes = 64 * 1024;

/** A keeper on the other side of two streams. */
export class KeeperOver implements Keeper {
  readonly #asks: Writable;
  readonly #answers: AsyncGenerator<Frame>;

  constructor(asks: Writable, answers: AsyncGenerator<Frame>) {
    this.#asks = asks;
    this.#answers = answers;
  }

  takeFile(source: Bytes): Promise<{ readonly sha256: string; readonly bytes: number }> {
    return this.#ask({ keep: "file" }, source);
  }

  putTree(tree: Tree): Promise<string> {
    return this.#ask({ keep: "tree" }, [Buffer.from(treeText(tree))]);
  }

  async #ask<Answer>(ask: KeeperAsk, source: Bytes): Promise<Answer> {
    await send(this.#asks, jsonFrame(kinds.ask, ask));
    for await (const part of source)
      for (let at = 0; at < part.length; at += pieceBytes)
        await send(this.#asks, frameOf(kinds.input, part.subarray(at, at + pieceBytes)));
    await send(this.#asks, frameOf(kinds.inputEnd));
    const { value: answer } = await this.#answers.next();
    if (answer === undefined) throw new Error("the process that keeps results has ended");
    if (answer.kind !== kinds.opened) throw new Error(jsonIn<{ readonly reason: string }>(answer).reason);
    return jsonIn<Answer>(answer);
  }
}

/** Answers a `KeeperOver` until a frame comes that is no question, which is returned, or none any more. */
export async function serveKeeper(
  keeper: Keeper,
  asks: AsyncGenerator<Frame>,
  answers: Writable,
): Promise<Frame | undefined> {
  for (;;) {
    const { value: frame } = await asks.next();
    if (frame?.kind !== kinds.ask) return frame;
    const answer = await keep(keeper, jsonIn<KeeperAsk>(frame), asks).then(
      (value) => jsonFrame(kinds.opened, value),
      (error: Error) => jsonFrame(kinds.refused, { reason: error.message }),
    );
    await send(answers, answer);
  }
}

async function keep(keeper: Keeper, ask: KeeperAsk, frames: AsyncGenerator<Frame>): Promise<unknown> {
  const source = piecesOf(frames);
  try {
    if (ask.keep === "file") return await keeper.takeFile(source);
    const parts: Uint8Array[] = [];
    for await (const part of source) parts.push(part);
    const tree = parseTree(Buffer.concat(parts).toString("utf8"));
    if (tree === undefined) throw new Error("what was sent is no tree");
    return await keeper.putTree(tree);
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
