import { isRefusal } from "@tessera/core";
import { type RouteId, routes, type SignIn } from "@tessera/wire";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { authenticate, type Principal, strangerOf } from "../../access/principal.ts";
import { isSameOrigin, isSession, sessionCookie } from "../../access/session.ts";
import { closeSessions, openSession } from "../../flow/people/session.ts";
import { answerDenial, denialOfStranger, unauthenticated } from "../answer/answer.ts";
import { failed } from "../answer/failure.ts";
import type { Log } from "../answer/log.ts";
import { type Denial, isDenied } from "../answer/problem.ts";
import { type Api, askerOf } from "../context.ts";
import { showWhoAmI } from "../handle/access.ts";
import { checkOfBody } from "../request/validate.ts";
import { checkScope } from "./authorise.ts";
import { otherSite } from "./gate.ts";

const bodyBytesMax = 16 * 1024;

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
      bodyLimit: bodyBytesMax, // from strangers too
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
  add("readSession", async ({ incoming }, reply) => {
    reply.header("content-type", "application/json; charset=utf-8").header("cache-control", "no-store");
    reply.send(JSON.stringify(incoming === undefined ? {} : { me: showWhoAmI(api, incoming.principal) }));
    return undefined;
  });
  add("signIn", async (request, reply) => {
    const entered = await door.enter(request, reply);
    if (isDenied(entered)) return entered;
    const { cookie, principal } = entered;
    reply.header("set-cookie", sessionCookie(cookie, secure)).header("cache-control", "no-store");
    reply.header("content-type", "application/json; charset=utf-8");
    reply.send(JSON.stringify(showWhoAmI(api, principal)));
    return undefined;
  });
  add("signOut", async (request, reply) => {
    const { incoming } = request;
    if (incoming === undefined) return unauthenticated(api, request, reply);
    const { principal } = incoming;
    const by = askerOf({ ...incoming, idempotency: undefined });
    // A token of a program that was put into the cookie is not ended by a browser that leaves.
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

/** Says who may come in. */
class Door {
  readonly #api: Api;
  readonly #checkBody = checkOfBody(routes.signIn.body, true);

  constructor(api: Api) {
    this.#api = api;
  }

  async enter(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ readonly cookie: string; readonly principal: Principal } | Denial> {
    if (isSameOrigin(request.headers) === false) return otherSite();
    const wrong = this.#checkBody(request.body);
    if (wrong !== undefined) return wrong;
    const body = request.body as SignIn;
    if ("token" in body) return this.#withToken(body.token, request);
    return this.#withPassword(body, request, reply);
  }

  /** The browser keeps the token itself: revoked, it ends there too. */
  #withToken(cookie: string, request: FastifyRequest) {
    const { control } = this.#api;
    const header = `Bearer ${cookie}`;
    const principal = authenticate(control.state, header, control.now());
    if (principal !== undefined) return { cookie, principal };
    const stranger = strangerOf(control.state, this.#api.revoked, header, control.now());
    this.#api.passwords.noteFailure(request.ip, request.tessRequestId, undefined, `${stranger.why} token`);
    return denialOfStranger(stranger);
  }

  async #withPassword(
    { name, password }: { name: string; password: string },
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    const { control, people, passwords } = this.#api;
    const { ip: address, tessRequestId } = request;
    const device = passwords.devices.known(request.headers.cookie, people.idOf(name));
    const user = await passwords.check({ name, address, device }, password, tessRequestId);
    if (isDenied(user)) return user;
    const opened = await openSession(control, user, tessRequestId, address);
    if (isRefusal(opened)) return opened;
    if (device === undefined) reply.header("set-cookie", passwords.devices.cookieFor(user.id));
    return { cookie: opened.cookie, principal: { user, token: opened.token } };
  }
}
