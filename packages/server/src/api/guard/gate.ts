import type { FastifyInstance } from "fastify";
import { authenticate } from "../../access/principal.ts";
import { authenticateCookie, isSameOrigin } from "../../access/session.ts";
import { newId } from "../../flow/ids.ts";
import { answerDenial } from "../answer/answer.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { version } from "../version.ts";
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

/** Authenticates and rate-limits each request before its body is read. */
export function addGate(app: FastifyInstance, api: Api, rates: Rates, secure: boolean): void {
  const users = new RateLimit(rates.user);
  const strangers = new RateLimit(rates.stranger);
  app.addHook("onRequest", (request, reply, done) => {
    const requestId = newId("req_");
    request.tessRequestId = requestId;
    reply.raw.setHeader("x-request-id", requestId);
    if (request.url === "/healthz" || request.url === "/readyz") return done();
    const now = api.control.now();
    const { headers } = request;
    const { state } = api.control;
    const principal =
      headers.authorization === undefined
        ? authenticateCookie(state, headers.cookie, secure, now, api.tokenUse)
        : authenticate(state, headers.authorization, now);
    const waitMs =
      principal === undefined
        ? strangers.take(request.ip, performance.now())
        : users.take(principal.user.id, performance.now());
    if (waitMs > 0) {
      reply.header("retry-after", String(Math.ceil(waitMs / 1000)));
      const denial = deny("rate-limited", "Rate limit exceeded.", `Retry in ${Math.ceil(waitMs / 1000)} s.`);
      return void answerDenial(request, reply, denial);
    }
    // A cookie is sent along with whatever a page asks for, so it counts only for our own page. Reading is safe: other
    // sites cannot see the answer, and a strict cookie is not even sent.
    const byCookie = principal !== undefined && headers.authorization === undefined;
    if (byCookie && request.method !== "GET" && request.method !== "HEAD" && isSameOrigin(headers) !== true) {
      return void answerDenial(request, reply, otherSite());
    }
    if (principal !== undefined) {
      // For people who may sign in only: what runs here is nobody else's business.
      reply.raw.setHeader("tessera-version", version);
      const head = api.heads.newest;
      if (head !== undefined) reply.raw.setHeader("tessera-head", head.line);
      api.tokenUse.note(principal.token.id, now);
      request.incoming = { principal, requestId, address: request.ip };
    }
    done();
  });
}

/** For a request that a page of another site has sent. */
export function otherSite(): Denial {
  return deny(
    "forbidden",
    "The request was sent by a page of another site.",
    "Open the console at its own address and repeat it there.",
  );
}
