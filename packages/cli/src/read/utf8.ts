import { type Failure, specFailure } from "../failure.ts";

/** The text of bytes that must be UTF-8: anything else would be sent altered. */
export function decoded(bytes: Buffer, file: string): string {
  const text = new TextDecoder("utf-8", { fatal: true });
  try {
    return text.decode(bytes);
  } catch {
    throw notUtf8(bytes, file);
  }
}

function notUtf8(bytes: Buffer, file: string): Failure {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    return specFailure(`${file} is UTF-16, not UTF-8`, "save it as UTF-8");
  const at = firstInvalid(bytes);
  const line = bytes.subarray(0, at).filter((byte) => byte === 0x0a).length + 1;
  const value = `0x${(bytes[at] ?? 0).toString(16).padStart(2, "0")}`;
  return specFailure(
    `${file} is not UTF-8: byte ${value} at offset ${at}, in line ${line}`,
    "save it as UTF-8; iconv -f ISO-8859-1 -t UTF-8 turns Latin-1 into it",
  );
}

/** Offset of the first byte that does not begin or continue a character. */
function firstInvalid(bytes: Buffer): number {
  let sound = 0;
  let wrong = bytes.length + 1;
  // A prefix that ends inside a character is still sound; one byte more is or is not.
  while (wrong - sound > 1) {
    const middle = Math.floor((sound + wrong) / 2);
    if (isSound(bytes.subarray(0, middle))) sound = middle;
    else wrong = middle;
  }
  return Buffer.byteLength(
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, sound), { stream: true }),
  );
}

function isSound(prefix: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(prefix, { stream: true });
    return true;
  } catch {
    return false;
  }
}
