import type { Lines } from "./format.ts";

const lineEnd = 0x0a;

/** The lines of a row, joined. */
export function joinLines(lines: readonly string[]): Lines {
  return { text: lines.join("\n"), count: lines.length };
}

/** The bytes of a row's lines. Canonical JSON never holds a line end, so they can be told apart again. */
export function bytesOf({ text, count }: Lines): Buffer {
  const bytes = Buffer.from(text, "utf8");
  const held = countLines(bytes);
  if (held !== count)
    throw new Error(`not lines of canonical JSON: ${count} were to be written, and they make ${held}`);
  return bytes;
}

/** How many lines a row holds. */
export function countLines(bytes: Uint8Array): number {
  let count = 0;
  eachLine(bytes, () => count++);
  return count;
}

/** Tells where each line of a row begins and where it ends. */
export function eachLine(bytes: Uint8Array, tell: (from: number, to: number) => void): void {
  if (bytes.length === 0) return;
  let from = 0;
  for (let to = bytes.indexOf(lineEnd); to !== -1; to = bytes.indexOf(lineEnd, from)) {
    tell(from, to);
    from = to + 1;
  }
  tell(from, bytes.length);
}

/** The lines of a row as text. */
export function linesOf(bytes: Uint8Array): string[] {
  if (bytes.length === 0) return [];
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8").split("\n");
}

/** The values of the lines. One parse for all: lines are many, and each parse has a price of its own. */
export function parseLines<Value>(lines: string): Value[] {
  return JSON.parse(`[${lines.replaceAll("\n", ",")}]`) as Value[];
}
