import type { Instant, Token } from "@tessera/core";
import { isSession } from "./session.ts";

const day = 24 * 3_600_000;
/** What lives for less is not renewed by people. */
const shortestLifeMs = 2 * day;
const soonMs = 7 * day;

/**
 * When the holder of the token should hear that it will expire: a week before, of shorter lives in their last quarter.
 * Undefined: never. Sessions end by themselves, and who signs in again has another.
 */
export function warnAtOf({ expiresAt, createdAt, prefix }: Token): Instant | undefined {
  const life = expiresAt - createdAt;
  if (expiresAt === 0 || life < shortestLifeMs || isSession({ prefix })) return undefined;
  return expiresAt - Math.min(soonMs, Math.floor(life / 4));
}

export function isExpiring(token: Token, now: Instant): boolean {
  const warnAt = warnAtOf(token);
  return warnAt !== undefined && warnAt <= now && now < token.expiresAt;
}
