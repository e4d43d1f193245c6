import { join } from "node:path";
import { type HeadLine, headText, type NamedKey, parseHead } from "@tessera/wire";
import { keyIdOf, type Signer } from "../../access/signature.ts";
import { RowTree, rowsPerBlock } from "../../journal/tree.ts";
import { TreeFile } from "../../store/head/tree-file.ts";
import type { ControlPlane } from "../control.ts";

/** A head is signed at most this often: a signature takes about 50 us of the thread that answers requests. */
const signEveryMs = 200;
/** A start waits for the tree where fewer rows than this are missing from its file. */
const rowsWaitedFor = 20_000;

export function treeFileIn(dataFolder: string): string {
  return join(dataFolder, "journal.tree");
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/**
 * The signed heads of the journal and the proofs between them. Runs beside the writer: it reads the hashes of rows once
 * they are durable, and holds nothing up.
 */
export class Heads {
  readonly #control: ControlPlane;
  readonly #signature: Signer;
  readonly #file: TreeFile | undefined;
  readonly #keepsFile: boolean;
  readonly #tree = new RowTree();
  #lastHash: Uint8Array | undefined;
  #newest: HeadLine | undefined;
  #refreshing: Promise<void> | undefined;
  #signedAt = 0;
  #moved = false;
  #stop: () => void = () => {};
  #onSigned: () => void = () => {};

  private constructor(control: ControlPlane, signature: Signer, file: TreeFile | undefined, keepsFile: boolean) {
    this.#control = control;
    this.#signature = signature;
    this.#file = file;
    this.#keepsFile = keepsFile;
  }

  /** Signs heads as the journal grows. What a first start has to read of an old journal is read beside it. */
  static async open(control: ControlPlane, signature: Signer, treeFile?: string): Promise<Heads> {
    const heads = new Heads(control, signature, treeFile === undefined ? undefined : new TreeFile(treeFile), true);
    await heads.#load();
    const { seq } = await control.reader.head();
    if (seq - heads.#tree.size < rowsWaitedFor) await heads.#refresh();
    else heads.#touch();
    heads.#stop = control.follow({ after: () => heads.#touch() });
    return heads;
  }

  /** Signs and proves only when it is asked to; the file is another's. */
  static async asked(control: ControlPlane, signature: Signer, treeFile: string): Promise<Heads> {
    const heads = new Heads(control, signature, new TreeFile(treeFile), false);
    await heads.#load();
    return heads;
  }

  /** The newest head that was signed; undefined while a first start still reads an old journal. */
  get newest(): HeadLine | undefined {
    return this.#newest;
  }

  /** The keys that the journal names; in a journal that names none yet, the one that signs. */
  keys(): NamedKey[] {
    const { keys } = this.#control.state.trail;
    if (keys.length === 0) return [{ publicKey: this.#signature.publicKey }];
    return keys.map(({ publicKey, signature }) => ({ publicKey, ...(signature !== undefined && { signature }) }));
  }

  /** Calls back whenever a head was signed. */
  onSigned(listener: () => void): void {
    this.#onSigned = listener;
    if (this.#newest !== undefined) listener();
  }

  /** The signed head of the journal as it is now. */
  async current(): Promise<HeadLine> {
    await this.#refreshing;
    await this.#refresh();
    return this.#newest!;
  }

  close(): void {
    this.#stop();
  }

  /** The hashes that lead from a row to the tree of the newest head. */
  async inclusion(row: number, size: number): Promise<string[]> {
    return (await this.#tree.inclusion(row, size, this.#hashes)).map(hex);
  }

  /** The hashes that show that the first `size` rows begin with the first `from`. */
  async consistency(from: number, size: number): Promise<string[]> {
    return (await this.#tree.consistency(from, size, this.#hashes)).map(hex);
  }

  readonly #hashes = (fromSeq: number, limit: number) => this.#control.reader.rowHashes(fromSeq, limit);

  async #load(): Promise<void> {
    const blocks = this.#file?.read() ?? [];
    const last = blocks.at(-1);
    if (last === undefined) return;
    const [hash] = await this.#hashes(blocks.length * rowsPerBlock, 1);
    if (hash !== undefined && Buffer.compare(hash, last.lastHash) === 0) {
      for (const { root } of blocks) this.#tree.addBlock(root);
      this.#lastHash = hash;
    } else if (this.#keepsFile) {
      this.#file?.replace([]); // of another journal: a backup was restored here
    }
  }

  #touch(): void {
    this.#moved = true;
    if (this.#refreshing !== undefined) return;
    const waitMs = Math.max(0, this.#signedAt + signEveryMs - performance.now());
    this.#refreshing = new Promise<void>((resolve) => setTimeout(resolve, waitMs).unref())
      .then(() => this.#takeIn())
      .catch((error: Error) => console.error(`tessera: no head was signed: ${error.message}`))
      .finally(() => this.#refreshed());
  }

  #refresh(): Promise<void> {
    this.#refreshing ??= this.#takeIn().finally(() => this.#refreshed());
    return this.#refreshing;
  }

  /** Rows that were committed meanwhile are taken in next. */
  #refreshed(): void {
    this.#refreshing = undefined;
    if (this.#moved) this.#touch();
  }

  /** Takes in the rows that are new, and signs the head. */
  async #takeIn(): Promise<void> {
    this.#moved = false;
    for (;;) {
      const rows = await this.#hashes(this.#tree.size + 1, rowsPerBlock);
      for (const rowHash of rows) {
        const root = this.#tree.add(rowHash);
        if (root !== undefined) this.#keep(root, rowHash);
        this.#lastHash = rowHash;
      }
      if (rows.length < rowsPerBlock) break;
    }
    if (this.#newest?.row === this.#tree.size) return;
    this.#newest = await this.#sign(this.#lastHash ?? Buffer.alloc(32));
    this.#signedAt = performance.now();
    this.#onSigned();
  }

  #keep(root: Uint8Array, lastHash: Uint8Array): void {
    if (!this.#keepsFile) return;
    try {
      this.#file?.add({ root, lastHash });
    } catch {} // on a full disk: the next start reads these rows again
  }

  async #sign(hash: Uint8Array): Promise<HeadLine> {
    const { state } = this.#control;
    const { keyId: key, publicKey } = this.#signature;
    const text = headText({
      server: keyIdOf(state.trail.keys[0]?.publicKey ?? publicKey),
      row: this.#tree.size,
      hash: hex(hash),
      tree: hex(this.#tree.root()),
      at: new Date(this.#control.now()).toISOString(),
      epoch: state.epoch,
      key,
    });
    return parseHead(`${text} sig=${await this.#signature.of(text)}`)!;
  }
}
