import { isRefusal, type SignInFacts, type Token, type User } from "@tessera/core";
import { type FactorShow, type RouteId, routes, type SessionShape, type SignIn } from "@tessera/wire";
import { proofHeader } from "@tessera/wire/addresses";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isSameOrigin, originOf } from "../../access/origin.ts";
import { arePasswordsOff } from "../../access/passwords.ts";
import { authenticate, type Principal, principalOf, strangerOf } from "../../access/principal.ts";
import { cookieIn, isSession, sessionCookie } from "../../access/session.ts";
import { cannotSignIn } from "../../flow/people/access.ts";
import { closeSessions, openSession } from "../../flow/people/session.ts";
import { answerDenial, denialOfStranger, unauthenticated } from "../answer/answer.ts";
import { failed } from "../answer/failure.ts";
import type { Log } from "../answer/log.ts";
import { type Denial, deny, isDenied } from "../answer/problem.ts";
import { type Api, askerOf, type Incoming } from "../context.ts";
import { showWhoAmI } from "../handle/access.ts";
import { checkOfBody } from "../request/validate.ts";
import { checkNetwork, checkScope } from "./authorise.ts";
import { enterByBreakGlass } from "./break-glass.ts";
import { otherSite } from "./gate.ts";
import { LoginDoor } from "./login-door.ts";
import { needsOfActs } from "./needs.ts";
import { noteDevice } from "./new-devices.ts";
import { PasskeyDoor } from "./passkey-door.ts";
import { ProviderDoor } from "./provider-door.ts";

const bodyBytesMax = 16 * 1024;

/** Routes that hand out or take back a cookie, or are for strangers too, and so are answered here and not by a handler. */
const sessionIds = [
  "readSession",
  "signIn",
  "beginSignIn",
  "challengeSignIn",
  "beginLogin",
  "takeLogin",
  "showFactor",
  "signOut",
  "signOutEverywhere",
] as const satisfies readonly RouteId[];
export type SessionId = (typeof sessionIds)[number];
const ids: ReadonlySet<RouteId> = new Set<RouteId>(sessionIds);

export function isSessionRoute(id: RouteId): id is SessionId {
  return ids.has(id);
}

/** Signing in and out. `secure`: the server itself speaks TLS, so the cookie may demand it. */
export function addSessionRoutes(app: FastifyInstance, api: Api, secure: boolean, log: Log): void {
  const providers = new ProviderDoor(api, secure);
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
  const needs = needsOfActs();
  add("readSession", async ({ incoming, headers }, reply) => {
    // What is over, or was put there by an older version, is of no use to the browser or to anyone who gets it.
    if (incoming === undefined && cookieIn(headers.cookie, secure) !== undefined)
      reply.header("set-cookie", sessionCookie("", secure));
    reply.header("content-type", "application/json; charset=utf-8").header("cache-control", "no-store");
    const offered = [...api.control.state.providers.values()].map(({ name, terms }) => ({ name, label: terms.label }));
    const answer: SessionShape = {
      ...(incoming !== undefined && { me: showWhoAmI(api, incoming.principal), needs }),
      ...(offered.length > 0 && { providers: offered }),
      ...(arePasswordsOff(api.control.state) && { passwordsOff: true as const }),
    };
    reply.send(JSON.stringify(answer));
    return undefined;
  });
  const logins = new LoginDoor(api);
  add("beginLogin", (request, reply) => logins.begin(request, reply));
  add("takeLogin", (request, reply) => logins.take(request, reply));
  const passkeys = new PasskeyDoor(api);
  const door = new Door(api, providers, passkeys);
  add("challengeSignIn", (request, reply) => passkeys.challenge(request, reply));
  add("beginSignIn", (request, reply) => providers.begin(request, reply));
  const handOut = (entered: Entered | Denial, request: FastifyRequest, reply: FastifyReply) => {
    if (isDenied(entered)) return entered;
    const { session, principal } = entered;
    const { cookie, proof } = api.sessions.halvesOf(session, originOf(request.headers, secure), api.control.now());
    reply.header("set-cookie", sessionCookie(cookie, secure)).header("cache-control", "no-store");
    reply.header("content-type", "application/json; charset=utf-8");
    reply.send(JSON.stringify({ me: showWhoAmI(api, principal), proof }));
    return undefined;
  };
  add("signIn", async (request, reply) => {
    const entered = await door.enter(request);
    if (!isDenied(entered)) noteDevice(api, entered.principal, request, reply);
    return handOut(entered, request, reply);
  });
  add("showFactor", async (request, reply) => {
    const { incoming } = request;
    if (incoming === undefined) return unauthenticated(api, request, reply);
    const isStepUp = api.second.missing(incoming.principal) === undefined;
    const refused = await door.show(incoming, request);
    if (refused !== undefined) return refused;
    if (!isStepUp) return handOut(await door.goOn(incoming, request), request, reply);
    // The session stays: requests of the page that are on their way would be refused with another.
    api.second.noteShown(incoming.principal.token);
    reply.header("content-type", "application/json; charset=utf-8").header("cache-control", "no-store");
    reply.send(JSON.stringify({ me: showWhoAmI(api, incoming.principal), proof: request.headers[proofHeader] ?? "" }));
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

/** Says who may come in. */
class Door {
  readonly #api: Api;
  readonly #providers: ProviderDoor;
  readonly #passkeys: PasskeyDoor;
  readonly #checkBody = checkOfBody(routes.signIn.body, true);
  readonly #checkFactor = checkOfBody(routes.showFactor.body, true);

  constructor(api: Api, providers: ProviderDoor, passkeys: PasskeyDoor) {
    this.#api = api;
    this.#providers = providers;
    this.#passkeys = passkeys;
  }

  async enter(request: FastifyRequest): Promise<Entered | Denial> {
    if (isSameOrigin(request.headers) === false) return otherSite();
    const wrong = this.#checkBody(request.body);
    if (wrong !== undefined) return wrong;
    const body = request.body as SignIn;
    if ("token" in body) return this.#withToken(body.token, request);
    if ("ticket" in body) return this.#withTicket(body.ticket, request);
    if ("answer" in body) return this.#withProvider(body, request);
    if ("passkey" in body) return this.#withPasskey(body, request);
    return this.#withPassword(body, request);
  }

  /** Checks a second factor. */
  async show(incoming: Incoming, request: FastifyRequest): Promise<Denial | undefined> {
    if (!isSession(incoming.principal.token))
      return deny("forbidden", "Second factors are shown in the console.", "Sign in there: tess open.");
    const wrong = this.#checkFactor(request.body);
    const by = askerOf({ ...incoming, idempotency: undefined });
    return wrong ?? (await this.#api.factorChecks.show(incoming, by, request.body as FactorShow));
  }

  /**
   * After the second factor the session goes on as another one, for which it was shown, so that a restart does not ask
   * again and what was known of the first half of signing in is worth nothing.
   */
  async goOn(incoming: Incoming, request: FastifyRequest): Promise<Entered | Denial> {
    const { control } = this.#api;
    const { user, token } = incoming.principal;
    const source = token.parent === undefined ? undefined : control.state.tokens.get(token.parent);
    const signIn = { ...(token.signIn ?? { by: "password" as const }), factorAt: control.now() };
    const entered = await this.#open(user, request, signIn, source);
    const by = askerOf({ ...incoming, idempotency: undefined });
    if (isDenied(entered)) return entered;
    const note = this.#api.sessionNotes.of(token);
    if (note !== undefined) this.#api.sessionNotes.set(entered.principal.token, note);
    await control.ask({ kind: "token.revoke", token: token.id }, by);
    return entered;
  }

  async #withProvider(body: Extract<SignIn, { answer: string }>, request: FastifyRequest): Promise<Entered | Denial> {
    const shown = await this.#providers.enter(body, request);
    return isDenied(shown) ? shown : this.#open(shown.user, request, shown.signIn);
  }

  async #withPasskey(body: Extract<SignIn, { passkey: object }>, request: FastifyRequest): Promise<Entered | Denial> {
    const user = await this.#passkeys.enter(body, request);
    if (isDenied(user)) return user;
    return this.#open(user, request, { by: "passkey", factorAt: this.#api.control.now() });
  }

  /** The token itself goes no further than this: the browser gets a session that ends with it. */
  async #withToken(token: string, request: FastifyRequest): Promise<Entered | Denial> {
    const { control } = this.#api;
    const header = `Bearer ${token}`;
    const principal = authenticate(control.state, header, control.now());
    if (principal !== undefined)
      return (
        checkNetwork(principal, request.ip) ?? this.#open(principal.user, request, { by: "token" }, principal.token)
      );
    const stranger = strangerOf(control.state, this.#api.revoked, header, control.now());
    this.#api.passwords.noteFailure(request.ip, request.tessRequestId, undefined, `${stranger.why} token`);
    return denialOfStranger(stranger);
  }

  async #withTicket(ticket: string, request: FastifyRequest): Promise<Entered | Denial> {
    const { control, links } = this.#api;
    const token = links.take(ticket, control.now());
    const principal = token === undefined ? undefined : principalOf(control.state, token, control.now());
    if (principal !== undefined)
      return checkNetwork(principal, request.ip) ?? this.#open(principal.user, request, { by: "link" }, token);
    const { ip: address, tessRequestId } = request;
    const entered = await enterByBreakGlass(this.#api, ticket, { address, request: tessRequestId });
    if (entered !== undefined) return entered;
    this.#api.passwords.noteFailure(request.ip, request.tessRequestId, undefined, "unknown ticket");
    return deny(
      "unauthenticated",
      "The sign-in link has been used, or is too old.",
      "Make another one where tess is logged in: tess open.",
    );
  }

  async #open(
    user: User,
    { ip: address, tessRequestId: request }: FastifyRequest,
    signIn: SignInFacts,
    source?: Token,
  ) {
    if (user.service !== undefined) return cannotSignIn(this.#api.people.nameOf(user.id));
    const how = { signIn, ...(source !== undefined && { source }) };
    const opened = await openSession(this.#api.control, user, { request, address }, how);
    return isRefusal(opened) ? opened : { session: opened.session, principal: { user, token: opened.token } };
  }

  async #withPassword({ name, password }: { name: string; password: string }, request: FastifyRequest) {
    const { control, people, passwords } = this.#api;
    const { ip: address, tessRequestId } = request;
    if (arePasswordsOff(control.state)) {
      passwords.noteFailure(address, tessRequestId, undefined, "passwords are off");
      return deny("forbidden", "Passwords are off on this server.", "Sign in with your provider.");
    }
    const device = passwords.devices.known(request.headers.cookie, people.idOf(name));
    const user = await passwords.check({ name, address, device }, password, tessRequestId);
    if (isDenied(user)) return user;
    return this.#open(user, request, { by: "password" });
  }
}
