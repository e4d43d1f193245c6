import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Claims = Readonly<Record<string, unknown>>;
type How = "right" | "none" | "public-key" | "unpublished" | "broken";

const pairs = {
  own: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  other: generateKeyPairSync("rsa", { modulusLength: 2048 }),
};

/** A CI system that gives its runs tokens, and can be told to give wrong ones. */
export class CiIssuer {
  readonly #server: Server;
  /** Instead of its own answer, by path. */
  answers: Readonly<Record<string, (response: ServerResponse) => void>> = {};
  asked = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      this.asked++;
      const path = request.url ?? "";
      const instead = this.answers[path];
      if (instead !== undefined) return instead(response);
      const body = path === "/keys" ? this.jwks : { issuer: this.issuer, jwks_uri: `${this.issuer}/keys` };
      response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    });
  }

  static async start(): Promise<CiIssuer> {
    const ci = new CiIssuer();
    await new Promise<void>((listening) => ci.#server.listen(0, "127.0.0.1", listening));
    return ci;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get jwks(): object {
    return { keys: [{ ...pairs.own.publicKey.export({ format: "jwk" }), kid: "one", alg: "RS256", use: "sig" }] };
  }

  /** The claims of a run as such systems give them. */
  claims(change: Claims = {}): Claims {
    const now = Math.floor(Date.now() / 1000);
    const ref = "refs/heads/main";
    return {
      ...{ iss: this.issuer, aud: "tessera", iat: now, nbf: now, exp: now + 300, jti: `run-${Math.random()}` },
      ...{ sub: `repo:acme/widget:ref:${ref}`, repository: "acme/widget", ref, environment: "production" },
      ...change,
    };
  }

  token(change: Claims = {}, how: How = "right", header: Claims = {}): string {
    const algorithm = how === "none" ? "none" : how === "public-key" ? "HS256" : "RS256";
    const text = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signed = `${text({ alg: algorithm, kid: "one", typ: "JWT", ...header })}.${text(this.claims(change))}`;
    return `${signed}.${signatureOf(signed, how)}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function signatureOf(text: string, how: How): string {
  if (how === "none") return "";
  if (how === "public-key") return hmac(text, pairs.own.publicKey);
  const { privateKey } = how === "unpublished" ? pairs.other : pairs.own;
  const signature = sign("sha256", Buffer.from(text), privateKey);
  if (how === "broken") signature[0] = (signature[0] ?? 0) ^ 1;
  return signature.toString("base64url");
}

function hmac(text: string, key: KeyObject): string {
  const secret = key.export({ format: "pem", type: "spki" });
  return createHmac("sha256", secret).update(text).digest("base64url");
}

const seconds = (from: number) => Math.floor(Date.now() / 1000) + from;

/** Each must be refused: what is wrong with the token, and how it is made. */
export const wrongTokens: Readonly<Record<string, (ci: CiIssuer) => string>> = {
  "another audience": (ci) => ci.token({ aud: "other" }),
  "an audience that begins alike": (ci) => ci.token({ aud: "tessera-staging" }),
  "no audience": (ci) => ci.token({ aud: undefined }),
  "another issuer": (ci) => ci.token({ iss: "https://evil.example" }),
  "an issuer with a slash more": (ci) => ci.token({ iss: `${ci.issuer}/` }),
  "no issuer": (ci) => ci.token({ iss: undefined }),
  "alg none": (ci) => ci.token({}, "none"),
  "alg None": (ci) => ci.token({}, "none", { alg: "None" }),
  "HS256 with the public key": (ci) => ci.token({}, "public-key"),
  "a key that is not published": (ci) => ci.token({}, "unpublished"),
  "a key that it brings along": (ci) =>
    ci.token({}, "unpublished", { jwk: pairs.other.publicKey.export({ format: "jwk" }) }),
  "keys at an address of its own": (ci) => ci.token({}, "unpublished", { jku: "http://127.0.0.1:9/keys" }),
  "a broken signature": (ci) => ci.token({}, "broken"),
  "no signature": (ci) => ci.token().replace(/[^.]*$/, ""),
  "an unknown crit": (ci) => ci.token({}, "right", { crit: ["x"], x: 1 }),
  expired: (ci) => ci.token({ iat: seconds(-600), nbf: seconds(-600), exp: seconds(-61) }),
  "not yet": (ci) => ci.token({ nbf: seconds(120) }),
  "made in the future": (ci) => ci.token({ iat: seconds(120), nbf: undefined, exp: seconds(300) }),
  "no end": (ci) => ci.token({ exp: undefined }),
  "no beginning": (ci) => ci.token({ iat: undefined }),
  "an end that is a text": (ci) => ci.token({ exp: "never" }),
  "a life of a year": (ci) => ci.token({ exp: seconds(365 * 86_400) }),
  huge: (ci) => ci.token({ pad: "x".repeat(9_000) }),
  "another repository": (ci) => ci.token({ repository: "acme/other" }),
  "a repository that begins alike": (ci) => ci.token({ repository: "acme/widget-evil" }),
  "a repository that ends alike": (ci) => ci.token({ repository: "evil-acme/widget" }),
  "a repository in capitals": (ci) => ci.token({ repository: "ACME/widget" }),
  "no repository": (ci) => ci.token({ repository: undefined }),
  "a repository in an object": (ci) => ci.token({ repository: { toString: "acme/widget" } }),
  "another branch": (ci) => ci.token({ ref: "refs/heads/feature" }),
  "a branch below": (ci) => ci.token({ ref: "refs/heads/release-1/x" }),
  "a tag": (ci) => ci.token({ ref: "refs/tags/release-1" }),
  "no token": () => "no token",
  "three dots": () => "..",
  "an empty part": () => "e30.e30.e30",
};
