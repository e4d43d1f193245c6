const utf8 = new TextEncoder();

/** SHA-256 of a tag and parts. */
export function hashOf(tag: number, ...parts: readonly Uint8Array[]): Promise<Uint8Array> {
  const message = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 1));
  message[0] = tag;
  let place = 1;
  for (const part of parts) {
    message.set(part, place);
    place += part.length;
  }
  return digest(message);
}

export async function digest(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", message));
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

export function base64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

/** Whether the holder of the Ed25519 key (SPKI, base64) signed the text. */
export async function isSigned(text: string, signature: string, publicKey: string): Promise<boolean> {
  const algorithm = { name: "Ed25519" };
  try {
    const key = await crypto.subtle.importKey("spki", base64(publicKey), algorithm, false, ["verify"]);
    return await crypto.subtle.verify(algorithm, key, base64(signature), utf8.encode(text));
  } catch {
    return false;
  }
}

/** A short name of a public key: the first 16 hexadecimal digits of its SHA-256. */
export async function keyIdOf(publicKey: string): Promise<string> {
  return hex(await digest(base64(publicKey))).slice(0, 16);
}
