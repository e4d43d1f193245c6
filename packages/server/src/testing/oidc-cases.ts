import { type HostileProvider, type Misdeed, sendJson } from "./hostile-provider.ts";

/** One thing that a provider can do, and whether a person may be signed in by it. */
export interface OidcCase {
  readonly name: string;
  readonly misdeed: Misdeed;
  readonly mayEnter?: true;
}

const other = "https://elsewhere.example";
const now = () => Math.floor(Date.now() / 1000);
const discovery = "/.well-known/openid-configuration";

function claims(change: object): Misdeed {
  return { claims: (right) => ({ ...right, ...change }) };
}

function back(change: Readonly<Record<string, string | undefined>>): Misdeed {
  return {
    back: (right) => {
      for (const [name, value] of Object.entries(change)) {
        right.delete(name);
        if (value !== undefined) right.set(name, value);
      }
      return right;
    },
  };
}

function discovered(change: object): Misdeed {
  return { answers: { [discovery]: (response, own) => sendJson(response, { ...own, ...change }) } };
}

const huge: Misdeed["answers"] = {
  "/token": (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const chunk = Buffer.alloc(65_536, "x");
    const more = () => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  },
};
const drip = (path: string): Misdeed["answers"] => ({
  [path]: (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 50);
    response.once("close", () => clearInterval(timer));
  },
});
const redirect = (path: string): Misdeed["answers"] => ({
  [path]: (response, _own, base) => void response.writeHead(302, { location: `${base}/stolen` }).end(),
});

export const oidcCases: readonly OidcCase[] = [
  { name: "nothing wrong", misdeed: {}, mayEnter: true },
  {
    name: "clock 30 s ahead",
    misdeed: { claims: (right) => ({ ...right, iat: now() + 30, nbf: now() + 30 }) },
    mayEnter: true,
  },
  { name: "expired 30 s ago", misdeed: { claims: (right) => ({ ...right, exp: now() - 30 }) }, mayEnter: true },
  { name: "wrong audience", misdeed: claims({ aud: "another-client" }) },
  { name: "no audience", misdeed: claims({ aud: undefined }) },
  { name: "two audiences, azp of another", misdeed: claims({ aud: ["tessera", "x"], azp: "x" }) },
  { name: "wrong issuer", misdeed: claims({ iss: other }) },
  { name: "no issuer", misdeed: claims({ iss: undefined }) },
  { name: "wrong nonce", misdeed: claims({ nonce: "another" }) },
  { name: "no nonce", misdeed: claims({ nonce: undefined }) },
  { name: "no subject", misdeed: claims({ sub: undefined }) },
  { name: "subject is a number", misdeed: claims({ sub: 7 }) },
  { name: "expired", misdeed: { claims: (right) => ({ ...right, exp: now() - 120 }) } },
  { name: "no expiry", misdeed: claims({ exp: undefined }) },
  { name: "not yet valid", misdeed: { claims: (right) => ({ ...right, nbf: now() + 600 }) } },
  { name: "alg none", misdeed: { sign: "none" } },
  { name: "HS256 with the public key", misdeed: { sign: "public-key" } },
  { name: "key that is not published", misdeed: { sign: "unpublished" } },
  { name: "broken signature", misdeed: { sign: "broken" } },
  { name: "wrong state", misdeed: back({ state: "x".repeat(43) }) },
  { name: "no state", misdeed: back({ state: undefined }) },
  { name: "no code", misdeed: back({ code: undefined }) },
  { name: "made-up code", misdeed: back({ code: "made-up" }) },
  { name: "iss of another (RFC 9207)", misdeed: back({ iss: other }) },
  { name: "no iss though promised (RFC 9207)", misdeed: back({ iss: undefined }) },
  { name: "error answer", misdeed: back({ error: "access_denied", code: undefined }) },
  { name: "ID token in the front channel", misdeed: back({ code: undefined, id_token: "a.b.c" }) },
  { name: "discovery names another issuer", misdeed: discovered({ issuer: other }) },
  { name: "token endpoint without TLS", misdeed: discovered({ token_endpoint: "http://198.51.100.7/token" }) },
  { name: "keys without TLS", misdeed: discovered({ jwks_uri: "http://198.51.100.7/jwks" }) },
  { name: "keys in a local file", misdeed: discovered({ jwks_uri: "file:///etc/passwd" }) },
  { name: "no token endpoint", misdeed: discovered({ token_endpoint: undefined }) },
  { name: "userinfo of another subject", misdeed: { userinfo: { sub: "sub-2", groups: ["boss"] } } },
  { name: "userinfo without a subject", misdeed: { userinfo: { groups: ["boss"] } } },
  {
    name: "no ID token",
    misdeed: { answers: { "/token": (r) => sendJson(r, { access_token: "a", token_type: "Bearer" }) } },
  },
  {
    name: "ID token of garbage",
    misdeed: {
      answers: { "/token": (r) => sendJson(r, { access_token: "a", token_type: "Bearer", id_token: "x.y.z" }) },
    },
  },
  {
    name: "token answer is HTML",
    misdeed: { answers: { "/token": (r) => void r.writeHead(200, { "content-type": "text/html" }).end("<p>") } },
  },
  {
    name: "token answer is no JSON",
    misdeed: { answers: { "/token": (r) => void r.writeHead(200, { "content-type": "application/json" }).end("{") } },
  },
  { name: "keys are no keys", misdeed: { answers: { "/jwks": (r) => sendJson(r, { keys: "none" }) } } },
  { name: "no keys", misdeed: { answers: { "/jwks": (r) => sendJson(r, { keys: [] }) } } },
  { name: "huge token answer", misdeed: { answers: huge } },
  { name: "slow token answer", misdeed: { answers: drip("/token") } },
  { name: "slow discovery", misdeed: { answers: drip(discovery) } },
  { name: "token endpoint redirects", misdeed: { answers: redirect("/token") } },
  { name: "keys redirect", misdeed: { answers: redirect("/jwks") } },
  { name: "discovery redirects", misdeed: { answers: redirect(discovery) } },
];

/** What of the API signing in with a provider takes. */
export type Post = (
  path: string,
  body: object,
  headers: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly cookies: readonly string[]; readonly json: Record<string, unknown> }>;

export interface Attempted {
  readonly status: number;
  readonly detail: string;
  readonly json: Record<string, unknown>;
  readonly cookies: readonly string[];
  /** What was sent to finish, to be sent again. */
  readonly sent?: { readonly body: object; readonly headers: Readonly<Record<string, string>> };
}

/** A browser that signs in: it begins, goes where it is sent, and comes back with the answer. */
export async function signInWith(
  post: Post,
  provider: string,
  visit: (url: string) => string | Promise<string>,
): Promise<Attempted> {
  const own = { "sec-fetch-site": "same-origin" };
  const begun = await post("/v1/session/begin", { provider }, own);
  if (begun.status !== 200) return { ...begun, detail: String(begun.json.detail) };
  const cookie = begun.cookies.map((each) => each.split(";")[0]).join("; ");
  const body = { provider, answer: await visit(String(begun.json.url)) };
  const headers = { ...own, cookie };
  const done = await post("/v1/session", body, headers);
  return { ...done, detail: String(done.json.detail ?? ""), sent: { body, headers } };
}

export interface CaseResult {
  readonly name: string;
  readonly mayEnter: boolean;
  readonly entered: boolean;
  readonly detail: string;
}

/** Plays every case, each with a provider that has never been asked before. */
export async function playCases(
  post: Post,
  start: () => Promise<{ readonly provider: HostileProvider; readonly name: string }>,
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const { name, misdeed, mayEnter = false } of oidcCases) {
    const { provider, name: registered } = await start();
    provider.misdeed = misdeed;
    const { status, detail } = await signInWith(post, registered, (url) => provider.authorize(url));
    results.push({ name, mayEnter, entered: status === 200, detail });
    await provider.close();
  }
  return results;
}
