import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { sha256 } from "../journal/digest.ts";

/** What stands before the 32 bytes of an Ed25519 key in PKCS #8. */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");

/** Signs what leaves the control plane, so that its recipient can tell that it came from here. */
export interface Signer {
  /** SPKI, base64. */
  readonly publicKey: string;
  /** A short name of the public key. */
  readonly keyId: string;
  /** Base64. */
  of(text: string): Promise<string>;
}

/** With the key in this process. */
export class Signature implements Signer {
  readonly #key: KeyObject;
  readonly publicKey: string;
  readonly keyId: string;

  constructor(signingKey: Buffer) {
    this.#key = createPrivateKey({ key: Buffer.concat([pkcs8Head, signingKey]), format: "der", type: "pkcs8" });
    this.publicKey = createPublicKey(this.#key).export({ format: "der", type: "spki" }).toString("base64");
    this.keyId = keyIdOf(this.publicKey);
  }

  async of(text: string): Promise<string> {
    return sign(null, Buffer.from(text, "utf8"), this.#key).toString("base64");
  }
}

/** The first 16 hexadecimal digits of the SHA-256 of a public key (SPKI, base64). */
export function keyIdOf(publicKey: string): string {
  return sha256(Buffer.from(publicKey, "base64")).toString("hex").slice(0, 16);
}
