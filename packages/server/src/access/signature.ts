import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign } from "node:crypto";

/** What stands before the 32 bytes of an Ed25519 key in PKCS #8. */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");

/** Signs what leaves the control plane, so that its recipient can tell that it came from here. */
export class Signature {
  readonly #key: KeyObject;
  /** SPKI, base64. */
  readonly publicKey: string;

  constructor(serverKey: Buffer) {
    const seed = Buffer.from(hkdfSync("sha256", serverKey, "", "signature", 32));
    this.#key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: "der", type: "pkcs8" });
    this.publicKey = createPublicKey(this.#key).export({ format: "der", type: "spki" }).toString("base64");
  }

  /** Base64. */
  of(text: string): string {
    return sign(null, Buffer.from(text, "utf8"), this.#key).toString("base64");
  }
}
