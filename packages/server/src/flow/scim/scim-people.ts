import { fromScim, isRefusal, type Provider, type Refusal, type UserId } from "@tessera/core";
import type { Directory, ListedPerson, Written } from "../../access/directory.ts";
import { type People, personRow } from "../../access/people.ts";
import type { PrivateWrite } from "../../store/port.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { newId } from "../ids.ts";
import { makeUser } from "../sso/make-user.ts";
import type { Turns } from "../sso/turns.ts";
import { type PersonSaid, personSaid } from "./attributes.ts";
import { noResource, notUnique, ScimFault } from "./fault.ts";
import { scimLimits } from "./limits.ts";
import type { Listings } from "./listings.ts";
import { type Attributes, patch } from "./patch.ts";

const attributes: Attributes = {
  userName: "simple",
  externalId: "simple",
  displayName: "simple",
  active: "simple",
  name: "complex",
  emails: "multiple",
};

export interface ScimGround {
  readonly control: ControlPlane;
  readonly people: People;
  readonly listings: Listings;
  readonly turns: Turns;
}

/** What an identity system may do with people. All of it throws a ScimFault where it may not. */
export class ScimPeople {
  readonly #ground: ScimGround;
  readonly #directory: Directory;

  constructor(ground: ScimGround) {
    this.#ground = ground;
    this.#directory = ground.people.directory;
  }

  /** Makes a user, or finds the one that the same provider signs in already. Never takes a user of another kind. */
  create(provider: Provider, body: unknown, by: Asker): Promise<ListedPerson> {
    const said = personSaid(body);
    return this.#ground.turns.take(async () => {
      const { name } = provider;
      this.#checkUnique(name, said, undefined);
      const before =
        said.externalId === undefined ? undefined : this.#directory.personWithExternalId(name, said.externalId);
      if (before !== undefined) return this.#change(provider, before, { active: true, ...said }, by);
      if (this.#directory.rowsHeld(name) >= scimLimits.peopleMax)
        throw new ScimFault(400, "tooMany", `there are more than ${scimLimits.peopleMax} people`);
      const known = this.#signedInBefore(provider, said.externalId);
      if (known !== undefined) {
        const fresh = this.#listed(provider, known, { ...said, active: true });
        return this.#change(provider, fresh, { active: true, ...said }, by);
      }
      return this.#make(provider, said, by);
    });
  }

  replace(provider: Provider, id: string, body: unknown, by: Asker, check: Check): Promise<ListedPerson> {
    const said = personSaid(body);
    return this.#ground.turns.take(() => this.#change(provider, this.#found(provider, id, check), said, by));
  }

  patch(provider: Provider, id: string, body: unknown, by: Asker, check: Check): Promise<ListedPerson> {
    return this.#ground.turns.take(async () => {
      const person = this.#found(provider, id, check);
      const { userName, externalId, displayName, name, emails, active } = person;
      const draft = { id, userName, externalId, displayName, name, emails, active };
      return this.#change(provider, person, personSaid(patch(draft, attributes, body)), by);
    });
  }

  /** The user stays, disabled: the books name it. What is left lets the same person come back as the same user. */
  remove(provider: Provider, id: string, by: Asker, check: Check): Promise<void> {
    return this.#ground.turns.take(async () => {
      const person = this.#found(provider, id, check);
      const { externalId, user, createdAt } = person;
      const changedAt = this.#ground.control.now();
      const left =
        externalId === undefined
          ? this.#directory.dropPerson(person)
          : this.#directory.putPerson({
              ...{ id, provider: provider.name, user, externalId, userName: "", emails: [], groups: [] },
              ...{ active: false, gone: true, createdAt, changedAt },
            });
      await this.#ask({ kind: "user.disable", user, ends: true }, by, [left.row]);
      left.keep();
      await this.#ask({ kind: "role.follow", user, from: fromScim(provider.name), bindings: [] }, by, []);
    });
  }

  #found({ name }: Provider, id: string, check: Check): ListedPerson {
    const person = this.#directory.person(name, id);
    if (person === undefined) throw noResource(id);
    check(person);
    return person;
  }

  #checkUnique(provider: string, { userName, externalId }: PersonSaid, self: string | undefined): void {
    const named = this.#directory.personNamed(provider, userName);
    if (named !== undefined && named.id !== self) throw notUnique("userName", userName);
    const same = externalId === undefined ? undefined : this.#directory.personWithExternalId(provider, externalId);
    if (same !== undefined && same.id !== self && !same.gone) throw notUnique("externalId", externalId!);
    // Before a change that person would have to be forgotten for good, and could then not come back.
    if (same?.gone && self !== undefined && same.id !== self) throw notUnique("externalId", externalId!);
  }

  /** The user that the person is when signing in with the same provider, if no one else is listed as that user. */
  #signedInBefore({ name, terms }: Provider, externalId: string | undefined): UserId | undefined {
    if (externalId === undefined || terms.scimClaim !== undefined) return undefined;
    const user = this.#ground.people.identities.find(terms.issuer, externalId)?.user;
    if (user !== undefined && this.#directory.personOfUser(name, user) !== undefined)
      throw notUnique("externalId", externalId);
    return user;
  }

  #listed({ name: provider }: Provider, user: UserId, { active = true, ...said }: PersonSaid): ListedPerson {
    const now = this.#ground.control.now();
    return { id: newId("per_"), provider, user, ...said, active, groups: [], createdAt: now, changedAt: now };
  }

  async #make(provider: Provider, said: PersonSaid, by: Asker): Promise<ListedPerson> {
    const { control, people } = this.#ground;
    let written: { person: ListedPerson; row: Written } | undefined;
    const email = emailIn(said);
    const asked = { name: said.userName, provider: provider.name, ...(email !== undefined && { email }) };
    const made = await makeUser(control, people, by, asked, (user) => {
      const person = this.#listed(provider, user, said);
      written = { person, row: this.#directory.putPerson(person) };
      return [written.row.row];
    });
    if (isRefusal(made) || written === undefined) throw refused(made);
    written.row.keep();
    const { person } = written;
    if (!person.active) await this.#ask({ kind: "user.disable", user: person.user, ends: true }, by, []);
    return person;
  }

  /** What an administrator disabled by hand stays so: only what was disabled from here is enabled from here. */
  async #change(
    provider: Provider,
    before: ListedPerson,
    { active = before.active, ...said }: PersonSaid,
    by: Asker,
  ): Promise<ListedPerson> {
    this.#checkUnique(provider.name, said, before.id);
    this.#checkLink(provider, before, said.externalId);
    const { id, user, groups, createdAt, externalId } = before;
    const person: ListedPerson = {
      ...{ id, provider: provider.name, user, groups, createdAt, changedAt: this.#ground.control.now() },
      ...(externalId !== undefined && { externalId }),
      ...said,
      active,
    };
    const written = this.#directory.putPerson(person);
    const mail = this.#emailRows(user, said);
    const rows = [written.row, ...mail.rows];
    if (!active) await this.#ask({ kind: "user.disable", user, ends: true }, by, rows);
    else if (!before.active) await this.#ask({ kind: "user.enable", user }, by, rows);
    else await this.#ask({ kind: "privates.note" }, by, rows);
    written.keep();
    mail.keep();
    return person;
  }

  /** Once the person has signed in, another externalId would be another person as the same user. */
  #checkLink({ terms }: Provider, { externalId: before, user }: ListedPerson, externalId: string | undefined): void {
    if (before === undefined || externalId === undefined || externalId === before) return;
    const isLinked = this.#ground.people.identities.ofUser(terms.issuer, user);
    if (isLinked) throw new ScimFault(400, "mutability", "externalId cannot be changed after the person signed in");
  }

  #emailRows(user: UserId, said: Omit<PersonSaid, "active">): { rows: PrivateWrite[]; keep(): void } {
    const { people } = this.#ground;
    const email = emailIn(said);
    const known = people.person(user);
    if (known === undefined || email === undefined || known.email === email) return { rows: [], keep: () => {} };
    const next = { ...known, email };
    return { rows: [personRow(user, next)], keep: () => people.replace(user, next) };
  }

  async #ask(command: Parameters<ControlPlane["ask"]>[0], by: Asker, rows: readonly PrivateWrite[]): Promise<void> {
    const done = await this.#ground.control.ask(command, by, rows);
    if (isRefusal(done)) throw refused(done);
  }
}

/** Whether the caller has seen the newest version; throws otherwise. */
export type Check = (found: ListedPerson) => void;

/** A refusal of the core, such as that of disabling the last platform owner. */
export function refused(refusal: Refusal | string): ScimFault {
  if (typeof refusal === "string") return new ScimFault(500, undefined, "nothing was written");
  return new ScimFault(409, undefined, `${refusal.field} ${refusal.detail}`);
}

function emailIn({ emails }: Pick<PersonSaid, "emails">): string | undefined {
  return (emails.find(({ primary }) => primary) ?? emails[0])?.value;
}
