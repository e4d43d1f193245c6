import type { Token } from "@tessera/core";
import type { RouteId } from "@tessera/wire";
import { addresses, expiryHeader, proofHeader } from "@tessera/wire/addresses";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isSameOrigin, originOf } from "../../access/origin.ts";
import { authenticate, type Principal } from "../../access/principal.ts";
import { scimCaller } from "../../access/scim-token.ts";
import { cookieIn, isSession, sessionCookie } from "../../access/session.ts";
import type { Found } from "../../access/sessions.ts";
import { isExpiring } from "../../access/token-expiry.ts";
import { newId } from "../../flow/ids.ts";
import { accountOfUser } from "../../flow/project/audit.ts";
import { answerDenial } from "../answer/answer.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { scimPath } from "../scim/show.ts";
import { version } from "../version.ts";
import { checkNetwork } from "./authorise.ts";
import { type Rate, RateLimit } from "./rate-limit.ts";

/** For each user, and for each address without a valid token. */
export interface Rates {
  readonly user: Rate;
  readonly stranger: Rate;
}

export const usualRates: Rates = {
  user: { burst: 20_000, perSecond: 20_000 },
  stranger: { burst: 200, perSecond: 50 },
};

/** Names each request, for its answer and for whatever is noted of it. */
export function addRequestIds(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    request.tessRequestId = newId("req_");
    reply.raw.setHeader("x-request-id", request.tessRequestId);
    done();
  });
}

/** Authenticates and rate-limits each request before its body is read. */
export function addGate(app: FastifyInstance, api: Api, rates: Rates, secure: boolean): void {
  const users = new RateLimit(rates.user);
  const strangers = new RateLimit(rates.stranger);
  app.addHook("onRequest", (request, reply, done) => {
    const { tessRequestId: requestId } = request;
    if (request.url === "/healthz" || request.url === "/readyz") return done();
    const now = api.control.now();
    const { headers } = request;
    // Their tokens are good for their routes alone, and no other token is good there.
    const scim = request.url.startsWith(`${scimPath}/`);
    if (scim) request.scim = scimCaller(api.control.state, headers.authorization);
    const bySession = scim || headers.authorization !== undefined ? undefined : findSession(api, request, secure);
    if (bySession !== undefined && "stolen" in bySession)
      return void answerDenial(request, reply, endStolen(api, request, bySession.stolen));
    const principal = scim
      ? undefined
      : (bySession?.principal ?? authenticate(api.control.state, headers.authorization, now));
    const known = principal?.user.id ?? request.scim?.token.id;
    const waitMs =
      known === undefined ? strangers.take(request.ip, performance.now()) : users.take(known, performance.now());
    if (waitMs > 0) {
      reply.header("retry-after", String(Math.ceil(waitMs / 1000)));
      const denial = deny("rate-limited", "Rate limit exceeded.", `Retry in ${Math.ceil(waitMs / 1000)} s.`);
      return void answerDenial(request, reply, denial);
    }
    if (request.scim !== undefined) api.tokenUse.note(request.scim.token.id, now);
    if (bySession !== undefined && !isOwnPage(request)) return void answerDenial(request, reply, otherSite());
    if (bySession?.next !== undefined) handOut(reply, bySession.next, secure);
    if (principal !== undefined) {
      // For people who may sign in only: what runs here is nobody else's business.
      reply.raw.setHeader("tessera-version", version);
      const head = api.heads.newest;
      if (head !== undefined) reply.raw.setHeader("tessera-head", head.line);
      request.incoming = { principal, requestId, address: request.ip, host: (headers.host ?? "").toLowerCase() };
      const elsewhere = checkNetwork(principal, request.ip);
      if (elsewhere !== undefined) return void answerDenial(request, reply, elsewhere);
      api.tokenUse.note(principal.token.id, now);
      if (isExpiring(principal.token, now))
        reply.raw.setHeader(expiryHeader, new Date(principal.token.expiresAt).toISOString());
      const missing = withoutFactor.has(`${request.method} ${request.routeOptions.url}`)
        ? undefined
        : api.second.missing(principal);
      if (missing !== undefined) return void answerDenial(request, reply, factorMissing(missing, principal));
    }
    done();
  });
}

/** What a person may do who has still to show a second factor, or to add one. */
const withoutFactor: ReadonlySet<string> = new Set(
  (
    [
      ...[
        "whoAmI",
        "readSession",
        "signIn",
        "beginSignIn",
        "challengeSignIn",
        "signOut",
        "challengeFactor",
        "showFactor",
      ],
      ...["listFactors", "offerFactor", "addFactor"],
    ] as RouteId[]
  ).map((id) => addresses[id]),
);

function factorMissing(missing: "show" | "enrol", { token }: Principal): Denial {
  const inTerminal = isSession(token) ? "" : " Then log in here again: tess login.";
  return missing === "show"
    ? deny("factor-required", "This session has not shown a second factor.", `Show it in the console.${inTerminal}`)
    : deny(
        "factor-required",
        "Your roles need a second factor, and you have none.",
        `Add one in the console.${inTerminal}`,
      );
}

function findSession(api: Api, { headers }: FastifyRequest, secure: boolean): Found | undefined {
  const cookie = cookieIn(headers.cookie, secure);
  const proof = headers[proofHeader];
  if (cookie === undefined || typeof proof !== "string") return undefined;
  const { state } = api.control;
  return api.sessions.find(
    state,
    { cookie, proof, origin: originOf(headers, secure) },
    api.control.now(),
    api.tokenUse,
  );
}

/** Browsers say where a change comes from. Of plain reading, an address without TLS is not always told; then the proof is. */
function isOwnPage({ headers, method }: FastifyRequest): boolean {
  const own = isSameOrigin(headers);
  return own === true || (own === "untold" && (method === "GET" || method === "HEAD"));
}

/** Where a stream is written past the framework, its headers go out with this one too. */
function handOut(reply: FastifyReply, cookie: string, secure: boolean): void {
  reply.raw.setHeader("set-cookie", sessionCookie(cookie, secure));
}

/** Two browsers have one session: which of them is its user's cannot be told, so it ends for both. */
function endStolen({ control, notices }: Api, request: FastifyRequest, token: Token): Denial {
  const { ip: address, tessRequestId } = request;
  const by = { actor: { user: "system" }, request: tessRequestId, address } as const;
  void control.ask({ kind: "token.revoke", token: token.id }, by);
  notices.add({
    ...{ kind: "session.reuse", user: token.user, token: token.id, address, request: tessRequestId },
    account: accountOfUser(control.state, token.user),
    target: token.id,
    outcome: "refused",
    detail: "a replaced cookie of the session was used again; the session was ended",
  });
  return deny(
    "unauthenticated",
    "An old cookie of this session was used again, so the session was ended: it may have been copied.",
    "Sign in again. If this happens again, change your password and revoke your tokens.",
  );
}

/** For a request that a page of another site has sent. */
export function otherSite(): Denial {
  return deny(
    "forbidden",
    "The request was sent by a page of another site.",
    "Open the console at its own address and repeat it there.",
  );
}
