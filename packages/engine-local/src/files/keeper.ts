import { type ChildProcess, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Bytes, ContentStore } from "@tessera/content";
import { type Tree, treeText } from "@tessera/core";
import { type Frame, frameOf, framesOf, jsonFrame, jsonIn, kinds, send } from "@tessera/engine/framed";

/** What puts results into the content of a tenant. */
export interface Keeper {
  takeFile(source: Bytes): Promise<{ readonly sha256: string; readonly bytes: number }>;
  /** The id of the tree. */
  putTree(tree: Tree): Promise<string>;
  close(): void;
}

/**
 * Content that belongs to another user, as that of a control plane without privileges does, is written by a process of that
 * user: root would follow links that were laid there.
 */
export function openKeeper(contentFolder: string, tenant: string): Keeper {
  const owner = statSync(contentFolder, { throwIfNoEntry: false });
  if (process.getuid?.() === 0 && owner !== undefined && owner.uid !== 0)
    return new KeeperOfOwner(contentFolder, tenant, owner);
  const content = new ContentStore(contentFolder).of(tenant);
  return {
    takeFile: (source) => content.takeFile(source),
    putTree: (tree) => content.putTree(tree),
    close() {},
  };
}

const program = fileURLToPath(new URL("./keeper-main.js", import.meta.url));
const pieceBytes = 64 * 1024;

/** What is sent to the other process: a question, then its bytes in pieces. */
export interface KeeperAsk {
  readonly keep: "file" | "tree";
}

class KeeperOfOwner implements Keeper {
  readonly #child: ChildProcess;
  readonly #answers: AsyncGenerator<Frame>;

  constructor(contentFolder: string, tenant: string, { uid, gid }: { readonly uid: number; readonly gid: number }) {
    this.#child = spawn(process.execPath, ["--max-old-space-size=128", program, contentFolder, tenant], {
      ...{ uid, gid, cwd: "/", env: {} },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.#child.on("error", () => {}); // seen as an end without an answer
    this.#child.stdin!.on("error", () => {});
    this.#answers = framesOf(this.#child.stdout!);
  }

  takeFile(source: Bytes): Promise<{ readonly sha256: string; readonly bytes: number }> {
    return this.#ask({ keep: "file" }, source);
  }

  putTree(tree: Tree): Promise<string> {
    return this.#ask({ keep: "tree" }, [Buffer.from(treeText(tree))]);
  }

  close(): void {
    this.#child.stdin!.end();
  }

  async #ask<Answer>(ask: KeeperAsk, source: Bytes): Promise<Answer> {
    const input = this.#child.stdin!;
    await send(input, jsonFrame(kinds.ask, ask));
    for await (const part of source)
      for (let at = 0; at < part.length; at += pieceBytes)
        await send(input, frameOf(kinds.input, part.subarray(at, at + pieceBytes)));
    await send(input, frameOf(kinds.inputEnd));
    const { value: answer } = await this.#answers.next();
    if (answer === undefined) throw new Error("the process that keeps results has ended");
    if (answer.kind !== kinds.opened) throw new Error(jsonIn<{ readonly reason: string }>(answer).reason);
    return jsonIn<Answer>(answer);
  }
}
