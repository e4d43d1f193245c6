import { isRefusal, type Provider, type SignInFacts, type User } from "@tessera/core";
import { routes } from "@tessera/wire";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isSameOrigin } from "../../access/origin.ts";
import { newSignInCookie, signInCookie, signInCookieIn } from "../../access/sign-in-cookie.ts";
import { ProviderFault } from "../../flow/sso/bounded-fetch.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { checkOfBody } from "../request/validate.ts";
import { otherSite } from "./gate.ts";

/** Sends browsers to providers, and says who they are when they come back. */
export class ProviderDoor {
  readonly #api: Api;
  readonly #secure: boolean;
  readonly #checkBody = checkOfBody(routes.beginSignIn.body, false);

  constructor(api: Api, secure: boolean) {
    this.#api = api;
    this.#secure = secure;
  }

  async begin(request: FastifyRequest, reply: FastifyReply): Promise<Denial | undefined> {
    const { headers } = request;
    if (isSameOrigin(headers) === false) return otherSite();
    const wrong = this.#checkBody(request.body);
    if (wrong !== undefined) return wrong;
    const provider = this.#named((request.body as { provider: string }).provider);
    if (provider === undefined) return noProvider();
    const browser = signInCookieIn(headers.cookie, this.#secure) ?? newSignInCookie();
    const from = { origin: this.#originOf(headers), browser, address: request.ip };
    try {
      const url = await this.#api.sso.signIns.begin(provider, from, this.#api.control.now());
      reply.header("set-cookie", signInCookie(browser, this.#secure)).header("cache-control", "no-store");
      reply.header("content-type", "application/json; charset=utf-8").send(JSON.stringify({ url }));
      return undefined;
    } catch (error) {
      return this.#fault(error, provider, request);
    }
  }

  /** The user who the provider says it is, made at the first sign-in. */
  async enter(
    { provider: name, answer }: { readonly provider: string; readonly answer: string },
    request: FastifyRequest,
  ): Promise<{ readonly user: User; readonly signIn: SignInFacts } | Denial> {
    const provider = this.#named(name);
    if (provider === undefined) return noProvider();
    const { control, sso } = this.#api;
    const { ip: address, tessRequestId } = request;
    try {
      const browser = signInCookieIn(request.headers.cookie, this.#secure);
      const shown = await sso.signIns.finish(provider, answer, browser, control.now());
      const user = await sso.admission.admit(shown, provider, { request: tessRequestId, address });
      if (isRefusal(user)) return user;
      sso.logouts.remember(name, shown.sid, user.id);
      const factor = shown.factor ? { factorAt: control.now() } : {};
      return { user, signIn: { by: "sso", provider: name, ...factor } };
    } catch (error) {
      return this.#fault(error, provider, request);
    }
  }

  #named(name: string): Provider | undefined {
    return this.#api.control.state.providers.get(name);
  }

  /** What the browser says: behind a proxy that does TLS, only it knows. The gate has seen that the host is ours. */
  #originOf({ origin, host }: { readonly origin?: string; readonly host?: string }): string {
    if (origin !== undefined && URL.canParse(origin) && new URL(origin).host === host) return new URL(origin).origin;
    return `${this.#secure ? "https" : "http"}://${host ?? ""}`;
  }

  #fault(error: unknown, { name, terms }: Provider, { ip, tessRequestId }: FastifyRequest): Denial {
    if (!(error instanceof ProviderFault)) throw error;
    this.#api.passwords.noteFailure(ip, tessRequestId, undefined, `${name}: ${error.message}`.slice(0, 300));
    return deny(
      "unauthenticated",
      `You were not signed in with ${terms.label}: ${error.message}.`,
      "Begin again on the sign-in page. If it happens again, ask an administrator.",
    );
  }
}

function noProvider(): Denial {
  return deny("unauthenticated", "There is no such provider.", "Begin again on the sign-in page.", "provider");
}
