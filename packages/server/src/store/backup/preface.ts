/** What stands in a backup before the store. */
export interface Preface {
  /** When it was made, and the last row in it. */
  readonly at: number;
  readonly seq: number;
  /** The version of the tables. */
  readonly schema: number;
  /** Texts of key files by name. */
  readonly keyFiles: Readonly<Record<string, string>>;
}

const lengthBytes = 4;
const bytesMax = 1024 * 1024;

/** The preface with its length in front. */
export function prefaceBytes(preface: Preface): Buffer {
  const text = Buffer.from(JSON.stringify(preface));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text]);
}

/** Takes the preface from the front of the contents; `rest` is given what follows it. */
export async function takePreface(
  contents: AsyncIterable<Buffer>,
  rest: (bytes: Buffer) => Promise<void>,
): Promise<Preface> {
  let held: Buffer | undefined = Buffer.alloc(0);
  let preface: Preface | undefined;
  for await (const piece of contents) {
    if (held === undefined) {
      await rest(piece);
      continue;
    }
    held = Buffer.concat([held, piece]);
    if (held.length < lengthBytes) continue;
    const end = lengthBytes + Math.min(bytesMax, held.readUInt32BE(0));
    if (held.length < end) continue;
    preface = JSON.parse(held.subarray(lengthBytes, end).toString("utf8")) as Preface;
    await rest(held.subarray(end));
    held = undefined;
  }
  if (preface === undefined) throw new Error("a backup without a preface");
  return preface;
}
