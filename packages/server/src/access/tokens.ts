import { hash, hkdfSync, randomBytes } from "node:crypto";

/** A token as its holder sees it, and what is kept of it. */
export interface MintedToken {
  readonly token: string;
  /** The first characters, by which a token is recognised in a list. */
  readonly prefix: string;
  readonly hash: string;
}

const pattern = /^tess_[A-Za-z0-9_-]{43}$/;
const prefixLength = "tess_".length + 6;

/** SHA-256 is enough: a token is 256 random bits, not something that could be guessed. */
export function tokenHash(token: string): string {
  return hash("sha256", token, "hex");
}

function minted(secret: Buffer): MintedToken {
  const token = `tess_${secret.toString("base64url")}`;
  return { token, prefix: token.slice(0, prefixLength), hash: tokenHash(token) };
}

export function mintToken(): MintedToken {
  return minted(randomBytes(32));
}

/** The same request makes the same token, so that its answer can be given again after a crash. */
export function deriveToken(serverKey: Buffer, user: string, key: string, bodyHash: string): MintedToken {
  return minted(Buffer.from(hkdfSync("sha256", serverKey, "", `token\n${user}\n${key}\n${bodyHash}`, 32)));
}

/** The token of an Authorization header; undefined when it cannot be one of ours. */
export function bearerOf(header: string | undefined): string | undefined {
  if (header === undefined || header.length !== "Bearer ".length + 48 || !/^bearer /i.test(header)) return undefined;
  const token = header.slice("Bearer ".length);
  return pattern.test(token) ? token : undefined;
}
