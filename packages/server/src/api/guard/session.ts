import { isRefusal, type Token, type User, type UserId } from "@tessera/core";
import { type RouteId, routes, type SignIn } from "@tessera/wire";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isSameOrigin, originOf } from "../../access/origin.ts";
import { authenticate, type Principal, principalOf, strangerOf } from "../../access/principal.ts";
import { cookieIn, isSession, sessionCookie } from "../../access/session.ts";
import { CheckQueue, SignInAttempts } from "../../access/session-attempts.ts";
import { closeSessions, openSession, userWithPassword } from "../../flow/people/session.ts";
import { accountOfUser } from "../../flow/project/audit.ts";
import { answerDenial, denialOfStranger, unauthenticated } from "../answer/answer.ts";
import { failed } from "../answer/failure.ts";
import type { Log } from "../answer/log.ts";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import { type Api, askerOf } from "../context.ts";
import { showWhoAmI } from "../handle/access.ts";
import { checkOfBody } from "../request/validate.ts";
import { checkScope } from "./authorise.ts";
import { otherSite } from "./gate.ts";

/** Routes that hand out or take back a cookie, and so are answered here and not by a handler. */
export type SessionId = "readSession" | "signIn" | "signOut" | "signOutEverywhere";
const ids: ReadonlySet<RouteId> = new Set<RouteId>(["readSession", "signIn", "signOut", "signOutEverywhere"]);

export function isSessionRoute(id: RouteId): id is SessionId {
  return ids.has(id);
}

/** Signing in and out. `secure`: the server itself speaks TLS, so the cookie may demand it. */
export function addSessionRoutes(app: FastifyInstance, api: Api, secure: boolean, log: Log): void {
  const door = new Door(api);
  const add = (id: SessionId, act: (request: FastifyRequest, reply: FastifyReply) => Promise<Denial | undefined>) => {
    const { method, path: url } = routes[id];
    app.route({
      method,
      url,
      handler: async (request, reply) => {
        try {
          const denial = await act(request, reply);
          if (denial !== undefined) answerDenial(request, reply, denial);
        } catch (error) {
          failed(error as Error, request, reply, log);
        }
        return reply;
      },
    });
  };
  add("readSession", async ({ incoming, headers }, reply) => {
    // What is over, or was put there by an older version, is of no use to the browser or to anyone who gets it.
    if (incoming === undefined && cookieIn(headers.cookie, secure) !== undefined)
      reply.header("set-cookie", sessionCookie("", secure));
    reply.header("content-type", "application/json; charset=utf-8").header("cache-control", "no-store");
    reply.send(JSON.stringify(incoming === undefined ? {} : { me: showWhoAmI(api, incoming.principal) }));
    return undefined;
  });
  add("signIn", async (request, reply) => {
    const entered = await door.enter(request, reply);
    if (isDenied(entered)) return entered;
    const { session, principal } = entered;
    const { cookie, proof } = api.sessions.halvesOf(session, originOf(request.headers, secure), api.control.now());
    reply.header("set-cookie", sessionCookie(cookie, secure)).header("cache-control", "no-store");
    reply.header("content-type", "application/json; charset=utf-8");
    reply.send(JSON.stringify({ me: showWhoAmI(api, principal), proof }));
    return undefined;
  });
  add("signOut", async (request, reply) => {
    const { incoming } = request;
    if (incoming === undefined) return unauthenticated(api, request, reply);
    const { principal } = incoming;
    const by = askerOf({ ...incoming, idempotency: undefined });
    if (isSession(principal.token)) await api.control.ask({ kind: "token.revoke", token: principal.token.id }, by);
    reply.code(204).header("set-cookie", sessionCookie("", secure)).send();
    return undefined;
  });
  add("signOutEverywhere", async (request, reply) => {
    const { incoming } = request;
    if (incoming === undefined) return unauthenticated(api, request, reply);
    const { principal } = incoming;
    const outside = checkScope(principal, routes.signOutEverywhere);
    if (outside !== undefined) return outside;
    await closeSessions(api.control, askerOf({ ...incoming, idempotency: undefined }), principal.user);
    reply.code(204).header("set-cookie", sessionCookie("", secure)).send();
    return undefined;
  });
}

interface Entered {
  readonly session: string;
  readonly principal: Principal;
}

/** Says who may come in, and how often one may try. */
class Door {
  readonly #api: Api;
  readonly #attempts = new SignInAttempts();
  readonly #checks = new CheckQueue();
  readonly #checkBody = checkOfBody(routes.signIn.body, true);

  constructor(api: Api) {
    this.#api = api;
  }

  async enter(request: FastifyRequest, reply: FastifyReply): Promise<Entered | Denial> {
    if (isSameOrigin(request.headers) === false) return otherSite();
    const wrong = this.#checkBody(request.body);
    if (wrong !== undefined) return wrong;
    const body = request.body as SignIn;
    if ("token" in body) return this.#withToken(body.token, request);
    if ("ticket" in body) return this.#withTicket(body.ticket, request);
    return this.#withPassword(body, request, reply);
  }

  /** The token itself goes no further than this: the browser gets a session that ends with it. */
  async #withToken(token: string, request: FastifyRequest): Promise<Entered | Denial> {
    const { control } = this.#api;
    const header = `Bearer ${token}`;
    const principal = authenticate(control.state, header, control.now());
    if (principal !== undefined) return this.#open(principal.user, request, principal.token);
    const stranger = strangerOf(control.state, this.#api.revoked, header, control.now());
    this.#noteFailure(request, undefined, `${stranger.why} token`);
    return denialOfStranger(stranger);
  }

  async #withTicket(ticket: string, request: FastifyRequest): Promise<Entered | Denial> {
    const { control, links } = this.#api;
    const token = links.take(ticket, control.now());
    const principal = token === undefined ? undefined : principalOf(control.state, token, control.now());
    if (principal !== undefined) return this.#open(principal.user, request, token);
    this.#noteFailure(request, undefined, "unknown ticket");
    return deny(
      "unauthenticated",
      "The sign-in link has been used, or is too old.",
      "Make another one where tess is logged in: tess open.",
    );
  }

  async #open(user: User, { ip: address, tessRequestId: request }: FastifyRequest, source?: Token) {
    const opened = await openSession(this.#api.control, user, { request, address }, source);
    return isRefusal(opened) ? opened : { session: opened.session, principal: { user, token: opened.token } };
  }

  async #withPassword(
    { name, password }: { name: string; password: string },
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    const { control, people } = this.#api;
    const waitMs = this.#attempts.waitMs(name, request.ip, performance.now());
    if (waitMs > 0) return tooSoon(reply, waitMs);
    // Counted before it is checked, so that many at once are not all free.
    this.#attempts.failed(name, request.ip, performance.now());
    const user = await this.#checks.run(async () => ({
      found: await userWithPassword(control, people, name, password),
    }));
    if (user === undefined) return tooSoon(reply, 5_000);
    if (user.found === undefined) {
      this.#attempts.answered(name, request.ip, performance.now());
      this.#noteFailure(request, people.idOf(name), "wrong name or password");
      return deny(
        "unauthenticated",
        "The name and the password do not match.",
        "Try again, or ask an administrator to set a new password.",
      );
    }
    this.#attempts.succeeded(name, request.ip);
    return this.#open(user.found, request);
  }

  /** The name that was typed is not kept: it may be a password in the wrong field. */
  #noteFailure({ ip: address, tessRequestId }: FastifyRequest, about: UserId | undefined, detail: string): void {
    const { notices, control } = this.#api;
    notices.add({
      kind: "session.fail",
      address,
      ...(about !== undefined && { about }),
      request: tessRequestId,
      account: about === undefined ? "" : accountOfUser(control.state, about),
      target: about ?? "",
      outcome: "failed",
      detail,
    });
  }
}

function tooSoon(reply: FastifyReply, waitMs: number): Denial {
  const seconds = Math.ceil(waitMs / 1000);
  reply.header("retry-after", String(seconds));
  return deny("rate-limited", "There were too many attempts to sign in.", `Retry in ${seconds} s.`);
}
