const lineEnd = 0x0a;

/** Canonical JSON never holds a line end, so the lines of a row can be told apart again. */
export function joinLines(lines: readonly string[]): Buffer {
  const bytes = Buffer.from(lines.join("\n"), "utf8");
  let ends = 0;
  for (let at = bytes.indexOf(lineEnd); at !== -1; at = bytes.indexOf(lineEnd, at + 1)) ends++;
  if (ends !== Math.max(0, lines.length - 1) || lines.includes("")) {
    const bad = lines.find((line) => line === "" || line.includes("\n"))!;
    throw new Error(`not one line of canonical JSON: ${bad.slice(0, 80)}`);
  }
  return bytes;
}

/** The lines of a row as bytes; views, not copies. */
export function splitLines(bytes: Uint8Array): Uint8Array[] {
  if (bytes.length === 0) return [];
  const lines: Uint8Array[] = [];
  let from = 0;
  for (let to = bytes.indexOf(lineEnd); to !== -1; to = bytes.indexOf(lineEnd, from)) {
    lines.push(bytes.subarray(from, to));
    from = to + 1;
  }
  lines.push(bytes.subarray(from));
  return lines;
}

/** The lines of a row as text. */
export function linesOf(bytes: Uint8Array): string[] {
  if (bytes.length === 0) return [];
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8").split("\n");
}
