import { randomFillSync } from "node:crypto";

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
// Bytes from here on would make the first letters likelier than the last.
const usable = 256 - (256 % letters.length);
const pool = Buffer.alloc(8192);
let next = pool.length;

/** `prefix` and 16 random letters and digits: 82 bits, so that ids tell nothing and never meet. */
export function newId(prefix: string): string {
  let id = prefix;
  for (let made = 0; made < 16; ) {
    if (next === pool.length) {
      randomFillSync(pool);
      next = 0;
    }
    const byte = pool[next++]!;
    if (byte >= usable) continue;
    id += letters[byte % letters.length];
    made++;
  }
  return id;
}
