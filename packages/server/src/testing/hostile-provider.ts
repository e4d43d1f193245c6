import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from "jose";

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

/** What the provider does instead of what it should. */
export interface Misdeed {
  /** Claims of the ID token that replace the right ones; undefined leaves one out. */
  readonly claims?: (right: JWTPayload) => JWTPayload;
  /** How it is signed: without a signature, with the public key as a password, with a key that is not published, or one that was. */
  readonly sign?: "none" | "public-key" | "unpublished" | "broken" | "retired";
  /** The answer of an address instead of its own. */
  readonly answers?: Readonly<Record<string, (response: ServerResponse, own: object, base: string) => void>>;
  readonly userinfo?: object;
  /** The answer with which the browser comes back. */
  readonly back?: (right: URLSearchParams) => URLSearchParams;
}

/** A provider of OpenID Connect that can be told to do wrong. It asks no person anything. */
export class HostileProvider {
  misdeed: Misdeed = {};
  subject = "sub-1";
  person: object = { preferred_username: "mallory", groups: ["ml"] };
  clientId = "tessera";
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  /** How often each of its addresses was asked for. */
  readonly asked = new Map<string, number>();
  #keys: Keys | undefined;
  #retired: Keys | undefined;
  #kid = 0;
  readonly #codes = new Map<string, { readonly nonce: string; readonly challenge: string }>();

  static async start(): Promise<HostileProvider> {
    const provider = new HostileProvider();
    await provider.rollKeys();
    await new Promise<void>((listening) => provider.#server.listen(0, "127.0.0.1", listening));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on other keys sign, and only those are published. */
  async rollKeys(): Promise<void> {
    this.#retired = this.#keys;
    this.#keys = await generateKeyPair("RS256", { extractable: true });
    this.#kid++;
  }

  /** What the person's browser does at the authorization endpoint; answers the query with which it is sent back. */
  authorize(url: string): string {
    const asked = new URL(url).searchParams;
    const code = `code-${this.#codes.size}-${Math.random()}`;
    this.#codes.set(code, { nonce: asked.get("nonce") ?? "", challenge: asked.get("code_challenge") ?? "" });
    const right = new URLSearchParams({ code, state: asked.get("state") ?? "", iss: this.issuer });
    return String(this.misdeed.back?.(right) ?? right);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  /** A token that says that a person signed out. */
  async logoutToken(claims: JWTPayload, sign?: Misdeed["sign"]): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const right = { iss: this.issuer, aud: this.clientId, iat: now, exp: now + 120, jti: `j${Math.random()}` };
    const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
    return this.#sign({ ...right, events, ...claims }, sign, "logout+jwt");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", this.issuer);
    this.asked.set(pathname, (this.asked.get(pathname) ?? 0) + 1);
    const own = await this.#own(pathname, request);
    const other = this.misdeed.answers?.[pathname];
    if (other !== undefined) return other(response, own, this.issuer);
    sendJson(response, own, "error" in own ? 400 : 200);
  }

  async #own(pathname: string, request: IncomingMessage): Promise<object> {
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return {
          ...{ issuer: this.issuer, authorization_endpoint: `${this.issuer}/auth` },
          ...{ token_endpoint: `${this.issuer}/token`, jwks_uri: `${this.issuer}/jwks` },
          ...{ userinfo_endpoint: `${this.issuer}/me`, response_types_supported: ["code"] },
          ...{ subject_types_supported: ["public"], code_challenge_methods_supported: ["S256"] },
          id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
          authorization_response_iss_parameter_supported: true,
        };
      case "/jwks": {
        const key = await exportJWK(this.#keys!.publicKey);
        return { keys: [{ ...key, kid: `k${this.#kid}`, use: "sig", alg: "RS256" }] };
      }
      case "/token":
        return this.#token(new URLSearchParams(await textOf(request)));
      case "/me":
        return this.misdeed.userinfo ?? { sub: this.subject, ...this.person };
      default:
        return { error: "not_found" };
    }
  }

  async #token(asked: URLSearchParams): Promise<object> {
    const code = asked.get("code") ?? "";
    const begun = this.#codes.get(code);
    this.#codes.delete(code);
    const verifier = new TextEncoder().encode(asked.get("code_verifier") ?? "");
    const digest = Buffer.from(await crypto.subtle.digest("SHA-256", verifier)).toString("base64url");
    if (begun === undefined || digest !== begun.challenge) return { error: "invalid_grant" };
    const now = Math.floor(Date.now() / 1000);
    const right = {
      iss: this.issuer,
      sub: this.subject,
      aud: this.clientId,
      nonce: begun.nonce,
      iat: now,
      exp: now + 300,
    };
    const claims = this.misdeed.claims?.(right) ?? right;
    const idToken = await this.#sign(claims, this.misdeed.sign, "JWT");
    return { access_token: "at", token_type: "Bearer", expires_in: 300, id_token: idToken };
  }

  async #sign(claims: JWTPayload, how: Misdeed["sign"], typ: string): Promise<string> {
    const kid = `k${how === "retired" ? this.#kid - 1 : this.#kid}`;
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    if (how === "none") return `${part({ alg: "none", typ })}.${part(claims)}.`;
    if (how === "public-key") {
      const secret = new TextEncoder().encode(await exportSPKI(this.#keys!.publicKey));
      return new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid, typ }).sign(secret);
    }
    const published = how === "retired" ? this.#retired! : this.#keys!;
    const keys = how === "unpublished" ? await generateKeyPair("RS256") : published;
    const token = await new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid, typ }).sign(keys.privateKey);
    return how === "broken" ? `${token.slice(0, -8)}AAAAAAAA` : token;
  }
}

export function sendJson(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
