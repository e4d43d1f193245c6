import {
  accountOf,
  isRefusal,
  type Refusal,
  type SignInFacts,
  type Token,
  type TokenId,
  type User,
} from "@tessera/core";
import { hashPassword, passwordsWork, verifyPassword } from "../../access/passwords.ts";
import type { People } from "../../access/people.ts";
import { soundPrivates } from "../../access/private-rows.ts";
import { isSession, mintSession, sessionLifeOf } from "../../access/session.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { newId } from "../ids.ts";

/** Checked where there is no such user or no password, so that it takes as long to hear no. */
let nobodysHash: Promise<string> | undefined;

/** The user with this login name and password; undefined when they do not belong together. */
export async function userWithPassword(
  control: ControlPlane,
  people: People,
  name: string,
  password: string,
): Promise<User | undefined> {
  if (!passwordsWork) return undefined;
  const id = people.idOf(name);
  const rows = id === undefined ? undefined : await soundPrivates(control.reader, control.state, "password", [id]);
  const row = id === undefined ? undefined : rows?.get(id);
  nobodysHash ??= hashPassword("nobody has this one");
  const hash = row === undefined ? await nobodysHash : Buffer.from(row).toString("utf8");
  const right = await verifyPassword(password, hash);
  const user = id === undefined ? undefined : control.state.users.get(id);
  return right && row !== undefined && user !== undefined && !user.disabled ? user : undefined;
}

/** Sessions of one user at a time; one more ends the oldest. */
const sessionsPerUserMax = 20;

/**
 * Opens a session for a user, or for the holder of a token (`source`): then it may do no more than the token, and ends
 * with it. `signIn` says how it came about and whether a second factor was shown. Revokes the user's expired ones.
 */
export async function openSession(
  control: ControlPlane,
  user: User,
  by: Pick<Asker, "request" | "address">,
  { source, signIn, lifeMs }: { readonly source?: Token; readonly signIn: SignInFacts; readonly lifeMs?: number },
): Promise<{ readonly session: string; readonly token: Token } | Refusal> {
  const { token: session, prefix, hash } = mintSession();
  const id = newId("tok_") as TokenId;
  const now = control.now();
  // The holder of a session who asks for another gets one beside it, not below it.
  const parent = source === undefined ? undefined : (source.parent ?? source.id);
  const asker = { actor: { user: user.id, token: source?.id ?? id }, ...by };
  const lasting = sessionsOf(control, user).filter((token) => token.expiresAt > now);
  const kept = new Set(lasting.sort((a, b) => b.createdAt - a.createdAt).slice(0, sessionsPerUserMax - 1));
  const over = sessionsOf(control, user).filter((token) => !kept.has(token));
  const endsAt = now + Math.min(lifeMs ?? Number.POSITIVE_INFINITY, sessionLifeOf(control.state.policy));
  const within = source?.account === undefined ? undefined : accountOf(control.state, source.account);
  const made = await control.ask(
    {
      ...{ kind: "token.create", id, user: user.id, prefix, hash, label: "console" },
      scopes: source?.scopes ?? [],
      expiresAt: source === undefined || source.expiresAt === 0 ? endsAt : Math.min(endsAt, source.expiresAt),
      signIn,
      ...(parent !== undefined && { parent }),
      ...(within !== undefined && { account: within.path }),
      ...(source?.networks !== undefined && { networks: source.networks }),
    },
    asker,
  );
  if (isRefusal(made)) return made;
  await revokeAll(control, asker, over);
  return { session, token: control.state.tokens.get(id)! };
}

/** Ends all sessions of a user, but for one that may be kept. */
export async function closeSessions(control: ControlPlane, by: Asker, user: User, kept?: Token): Promise<void> {
  await revokeAll(
    control,
    by,
    sessionsOf(control, user).filter((token) => token !== kept),
  );
}

function sessionsOf({ state }: ControlPlane, user: User): Token[] {
  return [...state.tokens.values()].filter((token) => token.user === user.id && isSession(token));
}

/** One that is gone already needs nothing. */
async function revokeAll(control: ControlPlane, by: Asker, tokens: readonly Token[]): Promise<void> {
  const { idempotency: _, ...asker } = by;
  await Promise.all(tokens.map((token) => control.ask({ kind: "token.revoke", token: token.id }, asker)));
}
