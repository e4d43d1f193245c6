import { createPrivateKey, createPublicKey, hkdfSync, sign } from "node:crypto";

/** What stands before the 32 bytes of an Ed25519 key in PKCS #8. */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");
const ed25519 = sequence(Buffer.from("06032b6570", "hex"));
const commonName = Buffer.from("0603550403", "hex");

/** Both PEM: a certificate that the server signed for itself, and its private key. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/**
 * Who a server without a TLS certificate is. `tess` speaks TLS to it all the same and believes this certificate alone,
 * so that a program that took the port is told no token. It follows from the server's key and from nothing else: after
 * a restart, and on a restored machine with the same keys, it is the same to the byte.
 */
export function identityOf(serverKey: Buffer): Identity {
  const seed = Buffer.from(hkdfSync("sha256", serverKey, "", "identity", 32));
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" });
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from("tessera")))));
  // Always valid: it is believed by its bytes and not by its dates, and replaced together with the server's key.
  const validity = sequence(der(0x18, Buffer.from("20200101000000Z")), der(0x18, Buffer.from("99991231235959Z")));
  const version = der(0xa0, der(0x02, Buffer.of(2)));
  const serial = der(0x02, Buffer.of(1));
  const body = sequence(version, serial, ed25519, name, validity, name, publicKey);
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign(null, body, key)]));
  const cert = sequence(body, ed25519, signature).toString("base64").replaceAll(/.{64}/g, "$&\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${cert.trimEnd()}\n-----END CERTIFICATE-----\n`,
    key: key.export({ format: "pem", type: "pkcs8" }).toString(),
  };
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

/** One value of ASN.1 in its distinguished encoding. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}
