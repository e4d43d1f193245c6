import type { User } from "@tessera/core";
import type { PasskeyShown, SignIn } from "@tessera/wire";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Factors } from "../../access/factors.ts";
import { challengeAnyPasskey, challengeSigned, passkeyName, passkeyShown } from "../../access/passkeys.ts";
import { SignInChallenges } from "../../access/sign-in-challenges.ts";
import { type Denial, deny } from "../answer/problem.ts";
import type { Api } from "../context.ts";

type Known = NonNullable<ReturnType<Factors["passkey"]>>;

/** Signs people in with a passkey alone: the device has it and asked for a finger or a PIN, which makes two factors. */
export class PasskeyDoor {
  readonly #api: Api;
  readonly #challenges: SignInChallenges;

  constructor(api: Api) {
    this.#api = api;
    this.#challenges = new SignInChallenges(api.keys.serverKey);
  }

  async challenge(request: FastifyRequest, reply: FastifyReply): Promise<Denial | undefined> {
    const name = passkeyName(hostOf(request));
    if (name === undefined)
      return deny(
        "unsupported",
        "Passkeys need a name in the address.",
        "On the server's machine open http://localhost.",
      );
    const options = await challengeAnyPasskey(name, this.#challenges.make(this.#api.control.now()));
    reply.header("content-type", "application/json; charset=utf-8").header("cache-control", "no-store");
    reply.send(JSON.stringify({ options }));
    return undefined;
  }

  /** The user whose passkey it is. */
  async enter({ passkey }: Extract<SignIn, { passkey: object }>, request: FastifyRequest): Promise<User | Denial> {
    const { control, factors, passwords } = this.#api;
    const known = factors.passkey(passkey.id);
    const user = known && control.state.users.get(known.user);
    const isFine = user !== undefined && !user.disabled;
    const counter = isFine ? await this.#counterOf(hostOf(request), known, passkey) : undefined;
    if (isFine && known !== undefined && counter !== undefined) {
      control.notePrivate([factors.noteUse(user.id, known.id, { at: control.now(), counter })]);
      return user;
    }
    passwords.noteFailure(request.ip, request.tessRequestId, user?.id, "wrong passkey");
    const hint = "Sign in in another way, and add the passkey on the page My security.";
    return deny("unauthenticated", "This passkey is not known here, or the device did not ask who you are.", hint);
  }

  async #counterOf(host: string, known: Known | undefined, shown: PasskeyShown): Promise<number | undefined> {
    const { control, factors } = this.#api;
    const challenge = challengeSigned(shown);
    if (known === undefined || challenge === undefined) return undefined;
    if (!this.#challenges.take(challenge, control.now())) return undefined;
    const { user, id, passkey } = known;
    const newest = { ...passkey, counter: factors.use(user, id)?.counter ?? passkey.counter };
    return passkeyShown(host, challenge, newest, shown, true);
  }
}

function hostOf({ headers }: FastifyRequest): string {
  return (headers.host ?? "").toLowerCase();
}
