import { accountOf, type Exchange, isRefusal, type Refusal, type Token, type TokenId, type User } from "@tessera/core";
import type { JWTPayload } from "jose";
import { mintToken } from "../../access/tokens.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { newId } from "../ids.ts";
import { scopesOf } from "../people/tokens.ts";
import { type AnswerLimits, ProviderFault, usualAnswerLimits } from "../sso/bounded-fetch.ts";
import { Issuers } from "./issuers.ts";
import { UsedTokens } from "./used.ts";
import { isMet, issuerOf, type Verified, verify } from "./verify.ts";

/** Tokens by exchange that one service account has at a time. */
const liveMax = 200;

export interface Asked {
  readonly token: string;
  /** The exchange that is meant; needed where several would do. */
  readonly name?: string;
  readonly scopes?: readonly string[];
}

export interface Exchanged {
  readonly token: string;
  readonly lifeSeconds: number;
  readonly scopes: readonly string[];
}

/** Exchanges tokens of other systems for short ones of service accounts. */
export class Exchanges {
  readonly issuers: Issuers;
  readonly #control: ControlPlane;
  readonly #used: UsedTokens;

  private constructor(control: ControlPlane, used: UsedTokens, limits: AnswerLimits) {
    this.#control = control;
    this.#used = used;
    this.issuers = new Issuers(limits);
  }

  static async load(control: ControlPlane, limits: AnswerLimits = usualAnswerLimits): Promise<Exchanges> {
    return new Exchanges(control, await UsedTokens.load(control.reader), limits);
  }

  /** Rejects with a `ProviderFault` that says what is wrong with the token. */
  async exchange({ token, name, scopes }: Asked, by: Pick<Asker, "request" | "address">): Promise<Exchanged | Refusal> {
    const { exchange, verified } = await this.#find(token, name);
    const { terms } = exchange;
    const user = this.#control.state.users.get(terms.user);
    if (user === undefined || user.disabled) throw new ProviderFault("the service account is disabled");
    if (this.#control.state.accounts[terms.account] === undefined)
      throw new ProviderFault("the account of the exchange was deleted");
    const allowed = scopesOf(scopes, terms);
    if (isRefusal(allowed)) return allowed;
    const asker: Asker = { actor: { user: user.id }, ...by };
    await this.#endOver(user, asker);
    const { id, expiresAt } = verified;
    if (this.#used.isFull()) throw new ProviderFault("too many tokens were exchanged within a day");
    if (!terms.reusable && !this.#used.take(terms.issuer, id, expiresAt))
      throw new ProviderFault("the token was exchanged already");
    const made = await this.#make(exchange, user, verified, allowed, asker).catch((error: Error) => error);
    if ("token" in made) return made;
    if (!terms.reusable) this.#used.giveBack(terms.issuer, id);
    if (made instanceof Error) throw made;
    return made;
  }

  /** Removes what has expired. Called now and then. */
  sweep(): void {
    const rows = this.#used.sweep(this.#control.now());
    if (rows.length > 0) this.#control.notePrivate(rows);
  }

  /** The exchange whose rules the token meets: one and no more. */
  async #find(token: string, name: string | undefined): Promise<{ exchange: Exchange; verified: Verified }> {
    const issuer = issuerOf(token);
    const of = [...this.#control.state.exchanges.values()].filter(({ terms }) => terms.issuer === issuer);
    const asked = name === undefined ? of : of.filter((each) => each.name === name);
    if (asked.length === 0) throw new ProviderFault("no exchange takes tokens of its issuer");
    let fault: unknown;
    const found: { exchange: Exchange; verified: Verified }[] = [];
    for (const exchange of asked) {
      try {
        const verified = await verify(this.issuers, exchange, token, this.#control.now());
        if (exchange.terms.rules.every((rule) => isMet(rule, verified.claims))) found.push({ exchange, verified });
        else fault = new ProviderFault("its claims are not those that the exchange asks for");
      } catch (error) {
        fault ??= error;
      }
    }
    const [one, another] = found;
    if (one === undefined) throw fault;
    if (another !== undefined)
      throw new ProviderFault(`${one.exchange.name} and ${another.exchange.name} both take it; name one as audience`);
    // It may have changed while its issuer was asked.
    if (this.#control.state.exchanges.get(one.exchange.name) !== one.exchange)
      throw new ProviderFault("the exchange was changed meanwhile");
    return one;
  }

  async #make(
    { name, terms }: Exchange,
    user: User,
    { claims, id, expiresAt }: Verified,
    scopes: readonly string[],
    by: Asker,
  ): Promise<Exchanged | Refusal> {
    const { token, prefix, hash } = mintToken();
    const done = await this.#control.ask(
      {
        ...{ kind: "token.create", id: newId("tok_") as TokenId, user: user.id, prefix, hash, scopes },
        label: labelOf(name, claims),
        expiresAt: this.#control.now() + terms.tokenLifeMs,
        account: accountOf(this.#control.state, terms.account).path,
        signIn: { by: "workload", exchange: name },
      },
      by,
      terms.reusable ? [] : [this.#used.rowOf(terms.issuer, id, expiresAt)],
    );
    return isRefusal(done) ? done : { token, lifeSeconds: Math.floor(terms.tokenLifeMs / 1000), scopes };
  }

  /** Tokens that are over would be kept for ever, since nobody revokes them. */
  async #endOver(user: User, by: Asker): Promise<void> {
    const { state } = this.#control;
    const now = this.#control.now();
    const isOver = ({ expiresAt }: Token) => expiresAt <= now;
    const own = [...state.tokens.values()].filter(
      (token) => token.user === user.id && token.signIn?.exchange !== undefined,
    );
    const revoke = ({ id }: Token) => this.#control.ask({ kind: "token.revoke", token: id }, by);
    await Promise.all(own.filter(isOver).map(revoke));
    if (own.filter((token) => !isOver(token)).length >= liveMax)
      throw new ProviderFault(`the service account has ${liveMax} tokens by exchange already`);
  }
}

/** By which a token is recognised in a list: what the other system calls the run. */
function labelOf(name: string, { sub }: JWTPayload): string {
  const subject = typeof sub === "string" ? sub.replaceAll(/[^\x20-\x7e]/g, "?") : "";
  return `${name}: ${subject}`.slice(0, 100);
}
