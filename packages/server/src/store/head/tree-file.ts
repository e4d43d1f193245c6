import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { sha256 } from "../../journal/digest.ts";

/** A whole block of the tree over rows: its root, and the hash of its last row, which tells of which journal it is. */
export interface TreeBlock {
  readonly root: Uint8Array;
  readonly lastHash: Uint8Array;
}

const hashBytes = 32;
const checkBytes = 16;
const recordBytes = 2 * hashBytes + checkBytes;

/**
 * The roots of the blocks of the tree over rows, so that a start need not read the whole journal. It follows from the
 * journal and can be removed at any time. Each record carries a check over itself and the record before: what follows a
 * damaged record is made again.
 */
export class TreeFile {
  readonly #path: string;
  #check: Uint8Array = new Uint8Array(checkBytes);

  constructor(path: string) {
    this.#path = path;
  }

  /** The blocks up to the first damaged record. */
  read(): TreeBlock[] {
    const blocks: TreeBlock[] = [];
    let bytes: Buffer;
    try {
      bytes = readFileSync(this.#path);
    } catch {
      return blocks;
    }
    for (let at = 0; at + recordBytes <= bytes.length; at += recordBytes) {
      const block = {
        root: bytes.subarray(at, at + hashBytes),
        lastHash: bytes.subarray(at + hashBytes, at + 2 * hashBytes),
      };
      const check = this.#checkOf(block);
      if (!check.equals(bytes.subarray(at + 2 * hashBytes, at + recordBytes))) break;
      this.#check = check;
      blocks.push(block);
    }
    return blocks;
  }

  /** Writes the file again with these blocks. */
  replace(blocks: readonly TreeBlock[]): void {
    this.#check = new Uint8Array(checkBytes);
    writeFileSync(this.#path, Buffer.concat(blocks.map((block) => this.#recordOf(block))), { mode: 0o600 });
  }

  add(block: TreeBlock): void {
    appendFileSync(this.#path, this.#recordOf(block), { mode: 0o600 });
  }

  #recordOf(block: TreeBlock): Buffer {
    this.#check = this.#checkOf(block);
    return Buffer.concat([block.root, block.lastHash, this.#check]);
  }

  #checkOf({ root, lastHash }: TreeBlock): Buffer {
    return sha256(Buffer.concat([this.#check, root, lastHash])).subarray(0, checkBytes);
  }
}
