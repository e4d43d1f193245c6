import { fromProvider, fromScim, isRefusal, type Provider, type Refusal, refuse, type User } from "@tessera/core";
import type { ListedPerson, Written } from "../../access/directory.ts";
import type { People } from "../../access/people.ts";
import type { PrivateWrite } from "../../store/port.ts";
import type { Asker, ControlPlane } from "../control.ts";
import { rolesBy } from "../sso/rules.ts";

/** So many roles of people are changed at once. */
const atOnce = 50;
/** So many rows are removed in one commit. */
const rowsAtOnce = 500;

/** What follows for users from what identity systems told of them. */
export class Listings {
  readonly #control: ControlPlane;
  readonly #people: People;

  constructor(control: ControlPlane, people: People) {
    this.#control = control;
    this.#people = people;
  }

  /** Writes a person, with the roles that the rules give because of the person's groups, in one commit. */
  async follow(
    { name, terms }: Provider,
    person: ListedPerson,
    by: Asker,
    written?: Written,
  ): Promise<Refusal | undefined> {
    const { state } = this.#control;
    const from = fromScim(name);
    const over = fromProvider(name);
    const bindings = rolesBy(state, terms.rules, this.#people.directory.groupNamesOf(person));
    const held = state.users.get(person.user)?.bindings ?? [];
    const has = held.filter(({ from: source }) => source === from);
    const isSame =
      held.every(({ from: source }) => source !== over) &&
      has.length === bindings.length &&
      bindings.every(({ role, account }) =>
        has.some((each) => each.role === role && state.accounts[each.account]?.path === account),
      );
    const rows = written === undefined ? [] : [written.row];
    if (isSame && rows.length === 0) return undefined;
    const done = isSame
      ? await this.#control.ask({ kind: "privates.note" }, by, rows)
      : await this.#control.ask({ kind: "role.follow", user: person.user, from, over, bindings }, by, rows);
    if (isRefusal(done)) return done;
    written?.keep();
    return undefined;
  }

  /** The same of many, a few at a time. Answers the first refusal. */
  async followEach(
    provider: Provider,
    people: readonly ListedPerson[],
    by: Asker,
    changed?: (person: ListedPerson) => ListedPerson,
  ): Promise<Refusal | undefined> {
    const { directory } = this.#people;
    for (let i = 0; i < people.length; i += atOnce) {
      const refused = await Promise.all(
        people.slice(i, i + atOnce).map((person) => {
          if (changed === undefined) return this.follow(provider, person, by);
          const next = changed(person);
          return this.follow(provider, next, by, directory.putPerson(next));
        }),
      );
      const first = refused.find((each) => each !== undefined);
      if (first !== undefined) return first;
    }
    return undefined;
  }

  /** The rules of a provider changed: people that its identity system sent have other roles at once. */
  followAll(provider: Provider, by: Asker): Promise<Refusal | undefined> {
    const { directory } = this.#people;
    const told = directory.groups(provider.name).length > 0 ? directory.people(provider.name) : [];
    return this.followEach(provider, told, by);
  }

  /** From now on the person is this user, as an owner says; a user that was made for the person and never used is disabled. */
  async move(provider: Provider, person: ListedPerson, { id: user }: User, by: Asker): Promise<Refusal | undefined> {
    const { directory, identities } = this.#people;
    if (person.user === user) return undefined;
    const { name, terms } = provider;
    const whose = (why: string, hint: string) => refuse("conflict", "subject", person.externalId ?? null, why, hint);
    if (!person.active) return whose(`is not active at ${name}`, "activate the person there first");
    if (directory.personOfUser(name, user) !== undefined)
      return whose(`cannot be this user: ${name} told of another person who is`, "link another user");
    const next = { ...person, user };
    const left = { kind: "role.follow", user: person.user, from: fromScim(name), bindings: [] } as const;
    const ends = { kind: "user.disable", user: person.user, ends: true } as const;
    for (const command of identities.ofUser(terms.issuer, person.user) ? [left] : [left, ends]) {
      const done = await this.#control.ask(command, by);
      if (isRefusal(done)) return done;
    }
    return this.follow(provider, next, by, directory.putPerson(next));
  }

  /** Everything that the identity system of a provider told goes; users stay. */
  async forgetAll(provider: string, by: Asker): Promise<Refusal | undefined> {
    const dropped = this.#people.directory.dropAll(provider);
    for (let i = 0; i < dropped.length; i += rowsAtOnce) {
      const some = dropped.slice(i, i + rowsAtOnce);
      const refused = await this.note(some, by);
      if (refused !== undefined) return refused;
    }
    return undefined;
  }

  async note(written: readonly Written[], by: Asker, more: readonly PrivateWrite[] = []): Promise<Refusal | undefined> {
    const rows = [...written.map(({ row }) => row), ...more];
    const done = await this.#control.ask({ kind: "privates.note" }, by, rows);
    if (isRefusal(done)) return done;
    for (const each of written) each.keep();
    return undefined;
  }
}
