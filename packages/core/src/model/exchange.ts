import type { AccountNo, UserId } from "./ids.ts";
import type { Instant } from "./units.ts";

/** A claim of a token must have this value; stars stand for what may differ (`claimMatches`). */
export interface ClaimRule {
  readonly claim: string;
  readonly value: string;
}

/** Which tokens of another system (of a CI system, of a cluster) are exchanged for short tokens of a service account. */
export interface ExchangeTerms {
  readonly issuer: string;
  /** The tokens must be made for it. */
  readonly audience: string;
  /** The service account. */
  readonly user: UserId;
  /** All must hold. */
  readonly rules: readonly ClaimRule[];
  /** What the tokens made here may do; empty = all that the service account may. */
  readonly scopes: readonly string[];
  /** They work at this account and below. */
  readonly account: AccountNo;
  readonly tokenLifeMs: number;
  /** The same token is exchanged more than once: clusters keep theirs for an hour. */
  readonly reusable?: true;
  /** The public keys of an issuer that cannot be asked for them, as JSON. */
  readonly jwks?: string;
}

export interface Exchange {
  readonly name: string;
  readonly terms: ExchangeTerms;
  readonly createdAt: Instant;
}

/** A pipeline step can be long, and a token that leaks must not be worth much. */
export const exchangeLifeBounds = { leastMs: 60_000, plainMs: 15 * 60_000, mostMs: 60 * 60_000 } as const;

const starsMax = 4;
const claimCharsMax = 1_024;

/** Why a rule's value cannot be used; undefined where it can. A rule that anything matches would trust everyone. */
export function wrongClaimValue(value: string): string | undefined {
  if (value === "") return "is empty";
  if (value.startsWith("*")) return "begins with *, so that it would match what others choose";
  if ((value.match(/\*+/g) ?? []).length > starsMax) return `has more than ${starsMax} *`;
  return /\*{3}/.test(value) ? "has *** in it" : undefined;
}

/**
 * Whether a claim is as a rule says. `*` stands for characters other than / and :, which divide names of repositories,
 * branches and service accounts; `**` stands for any. Of a list, one element is enough.
 */
export function claimMatches(value: string, claim: unknown): boolean {
  if (Array.isArray(claim))
    return claim.length <= 100 && claim.some((each) => !Array.isArray(each) && claimMatches(value, each));
  if (typeof claim === "boolean" || typeof claim === "number") return value === String(claim);
  if (typeof claim !== "string" || claim.length > claimCharsMax) return false;
  return globMatches(value.split(/(\*\*?)/), claim);
}

/** Literals and stars in turn: after each, the places in the text that it can end at. */
function globMatches(parts: readonly string[], text: string): boolean {
  let ends = new Set([0]);
  for (const part of parts) {
    const next = new Set<number>();
    for (const at of ends) {
      if (part !== "*" && part !== "**") {
        if (text.startsWith(part, at)) next.add(at + part.length);
        continue;
      }
      // Where a star of the same part went on from here already, so it did further.
      for (let end = at; end <= text.length && !next.has(end); end++) {
        next.add(end);
        if (part === "*" && (text[end] === "/" || text[end] === ":")) break;
      }
    }
    ends = next;
  }
  return ends.has(text.length);
}
