import {
  type Account,
  isRefusal,
  type ReadonlyState,
  type Refusal,
  type Role,
  refuse,
  rootAccount,
  tenantOf,
  type User,
  type UserId,
} from "@tessera/core";
import type { UserCreate } from "@tessera/wire";
import type { Factors } from "../../access/factors.ts";
import { arePasswordsOff, hashPassword, passwordsWork } from "../../access/passwords.ts";
import { eraseRows, type People, type Person, personRow } from "../../access/people.ts";
import { may } from "../../access/policy.ts";
import type { SessionNotes } from "../../access/session-notes.ts";
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
  if (body.service && body.account === undefined) {
    return refuse("invalid", "account", null, "is missing: a service account belongs to one", "name the account");
  }
  if (body.account !== undefined && body.role === undefined && !body.service) {
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
    const service = body.service && { service: account.path };
    const done = await control.ask({ kind: "user.create", user: id, ...(first && { first }), ...service }, by, [
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
  kept: { readonly people: People; readonly factors: Factors; readonly sessionNotes: SessionNotes },
  by: Asker,
  user: User,
): Promise<Refusal | undefined> {
  const { people, factors } = kept;
  const addresses = await control.origins.eraseRows(control.reader, user.id);
  const done = await control.ask({ kind: "user.erase", user: user.id }, by, [
    ...eraseRows(user.id),
    ...factors.eraseRows(user.id),
    ...people.identities.eraseRows(user.id),
    ...people.directory.eraseRows(user.id),
    ...addresses,
  ]);
  if (isRefusal(done)) return done;
  kept.sessionNotes.forget(control.state, user.id);
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
  if (user.service !== undefined) return cannotSignIn(people.nameOf(user.id));
  if (arePasswordsOff(control.state)) {
    const fix = "sign in with a provider, or have the owner turn them on: tess policy set --passwords on";
    return refuse("conflict", "password", null, "cannot be set: passwords are off on this server", fix);
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

/** What makes a service account one: programs use its tokens, and no browser does. */
export function cannotSignIn(name: string): Refusal {
  const why = "is a service account, which cannot sign in";
  return refuse("conflict", "user", name, why, "use its tokens with tess or the API");
}
