import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";

/** Something sealed does not open: it was changed, moved to another place, or sealed with another key. */
export class NotOpened extends Error {}

const form = 1;
const saltBytes = 16;
const counterBytes = 6;
const tagBytes = 16;
const headBytes = 1 + saltBytes + counterBytes + tagBytes;
const knownMax = 10_000;

/**
 * Seals bytes with AES-256-GCM. Each cipher derives a key of its own from the store's key and a random salt and counts its
 * nonces: random ones under a single key would run out after some billions of rows.
 *
 *   form, 1 byte || salt, 16 || counter, 6 || tag, 16 || ciphertext
 */
export class Cipher {
  readonly #storeKey: Uint8Array;
  readonly #salt = randomBytes(saltBytes);
  readonly #keys = new Map<string, KeyObject>();
  #counter = 0;

  constructor(storeKey: Uint8Array) {
    this.#storeKey = storeKey;
  }

  seal(context: string, ...clear: readonly Uint8Array[]): Buffer {
    const head = Buffer.alloc(headBytes);
    head[0] = form;
    this.#salt.copy(head, 1);
    head.writeUIntBE(this.#counter++, 1 + saltBytes, counterBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#keyFor(this.#salt), nonceOf(head));
    cipher.setAAD(Buffer.from(context));
    const parts = clear.map((each) => cipher.update(each));
    parts.push(cipher.final());
    cipher.getAuthTag().copy(head, headBytes - tagBytes);
    return Buffer.concat([head, ...parts]);
  }

  /** Throws NotOpened. */
  open(context: string, sealed: Uint8Array): Buffer {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
    if (bytes.length < headBytes || bytes[0] !== form) throw new NotOpened(`${context} is not sealed as it should be`);
    const key = this.#keyFor(bytes.subarray(1, 1 + saltBytes));
    const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(bytes), { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(headBytes - tagBytes, headBytes));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(headBytes)), decipher.final()]);
    } catch (cause) {
      throw new NotOpened(`${context} does not open: it was changed after it was sealed`, { cause });
    }
  }

  #keyFor(salt: Buffer): KeyObject {
    const name = salt.toString("latin1");
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    if (this.#keys.size >= knownMax) this.#keys.clear();
    const key = derived(this.#storeKey, salt, "tessera store");
    this.#keys.set(name, key);
    return key;
  }
}

/** As an object: a key that comes as bytes is imported again for each message. */
function derived(storeKey: Uint8Array, salt: Uint8Array, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", storeKey, salt, purpose, 32)));
}

function nonceOf(head: Buffer): Buffer {
  const nonce = Buffer.alloc(12);
  head.copy(nonce, 12 - counterBytes, 1 + saltBytes, 1 + saltBytes + counterBytes);
  return nonce;
}

const macBytes = 16;
const noSalt = new Uint8Array(0);

/**
 * Seals short texts so that equal ones stay equal, and so can be searched for: the first half of an HMAC over context and
 * text is the initial counter block of AES-256-CTR, as in RFC 5297. It shows which texts are equal and how long they are.
 */
export class NameCipher {
  readonly #macKey: KeyObject;
  readonly #textKey: KeyObject;
  readonly #sealed = new Map<string, string>();
  readonly #opened = new Map<string, string>();

  constructor(storeKey: Uint8Array) {
    this.#macKey = derived(storeKey, noSalt, "tessera store names");
    this.#textKey = derived(storeKey, noSalt, "tessera store name texts");
  }

  seal(context: string, text: string): string {
    const place = `${context}\n${text}`;
    const known = this.#sealed.get(place);
    if (known !== undefined) return known;
    const mac = this.#macOf(place);
    const cipher = createCipheriv("aes-256-ctr", this.#textKey, mac);
    const sealed = Buffer.concat([mac, cipher.update(text, "utf8"), cipher.final()]).toString("base64url");
    keep(this.#sealed, place, sealed);
    return sealed;
  }

  /** Throws NotOpened. */
  open(context: string, sealed: string): string {
    const name = `${context}\n${sealed}`;
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    const bytes = Buffer.from(sealed, "base64url");
    if (bytes.length < macBytes) throw new NotOpened(`${context} is not sealed as it should be`);
    const mac = bytes.subarray(0, macBytes);
    const decipher = createDecipheriv("aes-256-ctr", this.#textKey, mac);
    const text = Buffer.concat([decipher.update(bytes.subarray(macBytes)), decipher.final()]).toString("utf8");
    if (!this.#macOf(`${context}\n${text}`).equals(mac))
      throw new NotOpened(`${context} does not open: it was changed after it was sealed`);
    keep(this.#opened, name, text);
    return text;
  }

  #macOf(place: string): Buffer {
    return createHmac("sha256", this.#macKey).update(place).digest().subarray(0, macBytes);
  }
}

/** Names repeat, above all those of accounts. */
function keep(known: Map<string, string>, key: string, value: string): void {
  if (known.size >= knownMax) known.clear();
  known.set(key, value);
}
