import { isRefusal } from "@tessera/core";
import { type BodyOf, routes } from "@tessera/wire";
import type { FastifyReply, FastifyRequest } from "fastify";
import { askSeconds } from "../../access/browser-asks.ts";
import { principalOf } from "../../access/principal.ts";
import { tokenHash } from "../../access/tokens.ts";
import { createLoginToken } from "../../flow/people/login.ts";
import { timestamp } from "../../render/quantities.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Api } from "../context.ts";
import { noLogin } from "../handle/logins.ts";
import { checkOfBody } from "../request/validate.ts";

/** Lets programs begin a login and fetch their token once a browser has allowed it. */
export class LoginDoor {
  readonly #api: Api;
  readonly #checkBegin = checkOfBody(routes.beginLogin.body, false);
  readonly #checkTake = checkOfBody(routes.takeLogin.body, true);

  constructor(api: Api) {
    this.#api = api;
  }

  async begin(request: FastifyRequest, reply: FastifyReply): Promise<Denial | undefined> {
    const wrong = this.#checkBegin(request.body);
    if (wrong !== undefined) return wrong;
    const { challenge, label, port } = request.body as BodyOf<"beginLogin">;
    const asked = { challenge, label, address: request.ip, ...(port !== undefined && { port }) };
    const { code, expiresAt } = this.#api.logins.begin(asked, this.#api.control.now());
    const path = `/sign-in/tess?login=${code}`;
    send(reply, { login: code, path, expiresAt: timestamp(expiresAt), intervalSeconds: askSeconds });
    return undefined;
  }

  async take(request: FastifyRequest, reply: FastifyReply): Promise<Denial | undefined> {
    const wrong = this.#checkTake(request.body);
    if (wrong !== undefined) return wrong;
    const { verifier, code } = request.body as BodyOf<"takeLogin">;
    const { control, logins } = this.#api;
    const login = logins.find((request.params as { login: string }).login, control.now());
    if (login === undefined) return noLogin();
    const by = logins.take(login, verifier, code);
    if (by === "wrong") {
      const { ip, tessRequestId } = request;
      this.#api.passwords.noteFailure(ip, tessRequestId, undefined, "login of a program: wrong verifier or code");
      return noLogin();
    }
    if (by === undefined) {
      send(reply, {});
      return undefined;
    }
    const source = control.state.tokens.get(by);
    if (source === undefined || principalOf(control.state, source, control.now()) === undefined)
      return deny("unauthenticated", "The session that allowed this has ended.", "Begin again: tess login URL.");
    const { ip: address, tessRequestId } = request;
    const token = await createLoginToken(
      control,
      source,
      { label: login.label, factorAt: this.#api.second.factorAt(source) },
      { request: tessRequestId, address },
    );
    if (isRefusal(token)) return token;
    const made = control.state.tokenByHash.get(tokenHash(token));
    if (made !== undefined) this.#api.sessionNotes.set(made, { device: `tess on ${login.label}`, address });
    send(reply, { token });
    return undefined;
  }
}

function send(reply: FastifyReply, answer: object): void {
  reply.header("content-type", "application/json; charset=utf-8").header("cache-control", "no-store");
  reply.send(JSON.stringify(answer));
}
