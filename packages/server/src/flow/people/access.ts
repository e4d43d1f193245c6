import {
  type Account,
  type Instant,
  isRefusal,
  parseDuration,
  type ReadonlyState,
  type Refusal,
  type Role,
  refuse,
  rootAccount,
  type Token,
  type TokenId,
  tenantOf,
  type User,
  type UserId,
} from "@tessera/core";
import { actions, type TokenCreate, type UserCreate } from "@tessera/wire";
import type { Factors } from "../../access/factors.ts";
import { hashPassword, passwordsWork } from "../../access/passwords.ts";
import { eraseRows, type People, type Person, personRow } from "../../access/people.ts";
import { may } from "../../access/policy.ts";
import { credentialActions } from "../../access/principal.ts";
import { deriveToken, type MintedToken, mintToken } from "../../access/tokens.ts";
import { weaknessOf } from "../../access/weak-passwords.ts";
import type { PrivateWrite } from "../../store/port.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { newId } from "../ids.ts";

/** Makes a user, with a first role where one is given, and further private rows in the same commit. Answers its id. */
export async function createUser(
  control: ControlPlane,
  people: People,
  by: Asker,
  body: UserCreate,
  account: Account,
  rowsOf: (id: UserId) => readonly PrivateWrite[] = () => [],
): Promise<UserId | Refusal> {
  if (body.account !== undefined && body.role === undefined) {
    return refuse("invalid", "role", null, "is missing, and account is given", "say which role the user gets there");
  }
  const id = newId("usr_") as UserId;
  const maker = by.actor.user === "system" ? undefined : control.state.users.get(by.actor.user);
  const name = loginName(control.state, maker, body.name, account);
  if (name.length > longestName) {
    const most = longestName - endingOf(control.state, account).length;
    const why = `is too long with the name of its tenant: ${name.length} characters`;
    return refuse("invalid", "name", body.name, why, `give at most ${most} characters`);
  }
  const person: Person = { name, ...(body.email !== undefined && { email: body.email }) };
  if (!people.claim(id, person)) {
    return refuse("already-exists", "name", name, "is the login name of another user", "choose another name");
  }
  let made: string | undefined;
  try {
    const first = body.role === undefined ? undefined : { role: body.role as Role, account: account.path };
    const done = await control.ask({ kind: "user.create", user: id, ...(first && { first }) }, by, [
      personRow(id, person),
      ...rowsOf(id),
    ]);
    if (isRefusal(done)) return done;
    made = done.result;
    return made as UserId;
  } finally {
    if (made !== id) people.forget(id);
  }
}

const longestName = 63;

/**
 * The login name that a user gets. Names are unique on the whole platform. Whoever administers one tenant only gives
 * names that end with the tenant's, so that no refusal tells them which names other tenants have.
 */
export function loginName(state: ReadonlyState, maker: User | undefined, asked: string, account: Account): string {
  if (maker === undefined || may(state, maker, "user.write", rootAccount)) return asked;
  const ending = endingOf(state, account);
  return asked.endsWith(ending) ? asked : `${asked}${ending}`;
}

function endingOf(state: ReadonlyState, account: Account): string {
  return `.${tenantOf(state, account.no).path.toLowerCase()}`;
}

/** Disables a user for good and erases what is known of the person. */
export async function eraseUser(
  control: ControlPlane,
  { people, factors }: { readonly people: People; readonly factors: Factors },
  by: Asker,
  user: User,
): Promise<Refusal | undefined> {
  const addresses = await control.origins.eraseRows(control.reader, user.id);
  const done = await control.ask({ kind: "user.erase", user: user.id }, by, [
    ...eraseRows(user.id),
    ...factors.eraseRows(user.id),
    ...people.identities.eraseRows(user.id),
    ...people.directory.eraseRows(user.id),
    ...addresses,
  ]);
  if (isRefusal(done)) return done;
  factors.forget(user.id);
  people.forget(user.id);
  return undefined;
}

export async function setPassword(
  control: ControlPlane,
  people: People,
  by: Asker,
  user: User,
  password: string,
): Promise<Refusal | undefined> {
  if (!passwordsWork) {
    return refuse("unsupported", "password", null, "cannot be set: passwords need Node 24.7 or newer", "use tokens");
  }
  const weakness = weaknessOf(password, people.person(user.id));
  if (weakness !== undefined) {
    return refuse(
      "invalid",
      "password",
      null,
      weakness,
      "choose one that others would not guess, such as four rare words",
    );
  }
  const value = Buffer.from(await hashPassword(password));
  const done = await control.ask({ kind: "password.set", user: user.id }, by, [
    { kind: "password", key: user.id, value },
  ]);
  if (isRefusal(done)) return done;
  people.passwordSet(user.id);
  return undefined;
}

const longestLifeMs = 10 * 365 * 24 * 3_600_000;

/** When a token made now expires; 0 = never. */
export function expiryOf(expiresIn: string | undefined, now: Instant): Instant | Refusal {
  if (expiresIn === undefined) return 0;
  const life = parseDuration(expiresIn, "expiresIn");
  if (isRefusal(life)) return life;
  if (life === 0 || life > longestLifeMs) {
    return refuse(
      "invalid",
      "expiresIn",
      expiresIn,
      "is not a lifetime that a token can have",
      "give 1s to 3650d, or leave it out",
    );
  }
  return now + life;
}

/** What a token may be limited to: actions that exist, and none beyond those of the token that asks for it. */
export function scopesOf(asked: readonly string[] | undefined, holder: Token): readonly string[] | Refusal {
  const scopes = [...new Set(asked ?? holder.scopes)].sort();
  const known: readonly string[] = actions;
  const credentials: ReadonlySet<string> = credentialActions;
  for (const [i, scope] of scopes.entries()) {
    if (!known.includes(scope)) {
      return refuse("invalid", `scopes.${i}`, scope, "is not an action", `use any of ${known.join(", ")}`);
    }
    if (credentials.has(scope)) {
      return refuse(
        "invalid",
        `scopes.${i}`,
        scope,
        "changes credentials, which no token with scopes may",
        "leave it out, or make a token without scopes",
      );
    }
    if (holder.scopes.length > 0 && !holder.scopes.includes(scope)) {
      return refuse("not-allowed", `scopes.${i}`, scope, "is beyond the token you use", "use a token with more scopes");
    }
  }
  if (scopes.length === 0 && holder.scopes.length > 0) {
    return refuse("not-allowed", "scopes", null, "would be wider than those of the token you use", "name the scopes");
  }
  return scopes;
}

/** The secret part of a new token: with a key the same each time, so that the answer can be given again. */
export function mintFor(serverKey: Buffer, by: Asker): MintedToken {
  if (by.idempotency === undefined) return mintToken();
  return deriveToken(serverKey, by.actor.user, by.idempotency.key, by.idempotency.bodyHash);
}

/** Makes a token. Answers its id. */
export async function createToken(
  control: ControlPlane,
  by: Asker,
  owner: User,
  minted: MintedToken,
  asked: { readonly body: TokenCreate; readonly scopes: readonly string[]; readonly expiresAt: Instant },
): Promise<TokenId | Refusal> {
  const { body, scopes, expiresAt } = asked;
  const { prefix, hash } = minted;
  const id = newId("tok_") as TokenId;
  const done = await control.ask(
    { kind: "token.create", id, user: owner.id, prefix, hash, label: body.label ?? "", scopes, expiresAt },
    by,
  );
  return isRefusal(done) ? done : (done.result as TokenId);
}
