import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/**
 * Cursors and ETags hold numbers that would tell a tenant how much the others do. Outside they are sealed: callers
 * can neither read nor make one, and one made for another purpose does not open.
 */
export class Seal {
  readonly #cursorKey: Buffer;
  readonly #tagKey: Buffer;

  constructor(serverKey: Buffer) {
    this.#cursorKey = Buffer.from(hkdfSync("sha256", serverKey, "", "cursor", 32));
    this.#tagKey = Buffer.from(hkdfSync("sha256", serverKey, "", "etag", 32));
  }

  close(purpose: string, value: unknown): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", this.#cursorKey, nonce).setAAD(Buffer.from(purpose));
    const text = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64url");
  }

  /** The value that was sealed for this purpose; undefined for anything else. */
  open(purpose: string, sealed: string): unknown {
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length < 29) return undefined;
    const decipher = createDecipheriv("aes-256-gcm", this.#cursorKey, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(12, 28));
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
      return JSON.parse(text);
    } catch {
      return undefined; // not ours, or tampered with: like one that never was
    }
  }

  /** An ETag: the same for the same revision of the same thing, and telling nothing else. */
  tag(thing: string, revision: number): string {
    return createHmac("sha256", this.#tagKey).update(`${thing}\n${revision}`).digest("base64url").slice(0, 16);
  }
}
