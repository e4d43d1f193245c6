import type { Token, TokenId, UserId } from "@tessera/core";
import type { Route } from "@tessera/wire";
import { BrowserAsks } from "../../access/browser-asks.ts";
import { isSession } from "../../access/session.ts";
import type { ControlPlane } from "../../flow/control.ts";

/** An act that was refused until a factor is shown, in words for the page that asks for it. */
export interface Act {
  readonly summary: string;
  /** Method and address, as they were asked. */
  readonly request: string;
  /** What of the body tells one act from another; never a secret. */
  readonly fields: readonly string[];
}

/** A program that waits for its person to show a factor. */
export interface StepUpAsk {
  readonly user: UserId;
  /** For which it then counts. */
  readonly token: TokenId;
  readonly act: Act;
}

const refusedPerTokenMax = 20;
const fieldLengthMax = 80;
/** Of bodies, what is shown: names of things and people, and amounts. All else may be a secret or is long. */
const shownFields = [
  ...["user", "role", "account", "name", "path", "label", "email", "scopes", "expiresIn", "subject", "issuer"],
  ...["force", "reason", "kind", "period", "micros", "currency", "limitMicros", "creditLimitMicros", "mode", "trust"],
  ...["guarantee", "max", "lendable", "weight", "price", "ratio", "perMille", "id", "from", "to", "readOnly"],
];

/** Lets the person of a program show a factor in a browser. Acts that were refused are remembered for it, by request. */
export class StepUps {
  readonly asks = new BrowserAsks<StepUpAsk>();
  readonly #refused = new Map<TokenId, Map<string, Act>>();

  /** A browser asks by itself; only programs need one. */
  noteRefused(token: Token, requestId: string, act: Act): void {
    if (isSession(token)) return;
    const own = this.#refused.get(token.id) ?? new Map<string, Act>();
    if (own.size >= refusedPerTokenMax) own.delete(own.keys().next().value ?? "");
    this.#refused.set(token.id, own.set(requestId, act));
  }

  /** What the request of this token would have done. */
  refused(token: Token, requestId: string): Act | undefined {
    return this.#refused.get(token.id)?.get(requestId);
  }

  /** Forgets tokens that are gone. Called now and then. */
  sweep({ state }: Pick<ControlPlane, "state">): void {
    for (const id of this.#refused.keys()) if (!state.tokens.has(id)) this.#refused.delete(id);
  }
}

export function actOf(
  { method, summary }: Pick<Route, "method" | "summary">,
  url: string,
  body: Readonly<Record<string, unknown>> | undefined,
): Act {
  const fields = shownFields.flatMap((name) => {
    const value = body?.[name];
    return value === undefined ? [] : [`${name}: ${shortText(value)}`];
  });
  return { summary, request: `${method} ${cut(decoded(url.split("?")[0]!), 200)}`, fields };
}

function shortText(value: unknown): string {
  return cut(typeof value === "string" ? value : JSON.stringify(value), fieldLengthMax);
}

/** In one line and without what turns text round, so that the page shows what was asked. */
function cut(text: string, most: number): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ");
  return plain.length <= most ? plain : `${plain.slice(0, most - 1)}…`;
}

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
