import { randomBytes } from "node:crypto";
import type { Instant, ReadonlyState, UserId } from "@tessera/core";
import type { PrivateWrite, StoreReader } from "../store/port.ts";
import { soundPrivates } from "./private-rows.ts";

/** A person that the identity system of a provider sent (SCIM). */
export interface ListedPerson {
  readonly id: string;
  readonly provider: string;
  readonly user: UserId;
  readonly userName: string;
  readonly externalId?: string;
  readonly displayName?: string;
  readonly name?: { readonly formatted?: string; readonly familyName?: string; readonly givenName?: string };
  readonly emails: readonly { readonly value: string; readonly type?: string; readonly primary?: boolean }[];
  /** As the identity system said last. */
  readonly active: boolean;
  /** Ids of groups. */
  readonly groups: readonly string[];
  /** Deleted there: what is left lets the same person come back as the same user. */
  readonly gone?: true;
  readonly createdAt: Instant;
  readonly changedAt: Instant;
}

export interface ListedGroup {
  readonly id: string;
  readonly provider: string;
  readonly displayName: string;
  readonly externalId?: string;
  readonly createdAt: Instant;
  readonly changedAt: Instant;
}

/** A row to write; `keep` follows once it is durable. */
export interface Written {
  readonly row: PrivateWrite;
  keep(): void;
}

const kind = "scim";

/** What one identity system told. */
class Shelf {
  readonly people = new Map<string, ListedPerson>();
  readonly groups = new Map<string, ListedGroup>();
  readonly byUserName = new Map<string, ListedPerson>();
  readonly byExternalId = new Map<string, ListedPerson>();
  readonly byUser = new Map<UserId, ListedPerson>();
  readonly members = new Map<string, Set<string>>();

  put(person: ListedPerson): void {
    this.drop(person.id);
    this.people.set(person.id, person);
    this.byUser.set(person.user, person);
    if (person.externalId !== undefined) this.byExternalId.set(person.externalId, person);
    if (!person.gone) this.byUserName.set(person.userName.toLowerCase(), person);
    for (const group of person.groups) {
      const members = this.members.get(group) ?? new Set();
      this.members.set(group, members.add(person.id));
    }
  }

  drop(id: string): void {
    const person = this.people.get(id);
    if (person === undefined) return;
    this.people.delete(id);
    this.byUser.delete(person.user);
    if (person.externalId !== undefined) this.byExternalId.delete(person.externalId);
    if (!person.gone) this.byUserName.delete(person.userName.toLowerCase());
    for (const group of person.groups) this.members.get(group)?.delete(id);
  }
}

/** People and groups as the identity systems of providers tell of them, in memory. Only the API writes these rows. */
export class Directory {
  readonly #shelves = new Map<string, Shelf>();

  static async load(reader: StoreReader, state: ReadonlyState): Promise<Directory> {
    const directory = new Directory();
    for (const value of (await soundPrivates(reader, state, kind)).values()) {
      const read = JSON.parse(Buffer.from(value).toString("utf8")) as { salt?: string } & (ListedPerson | ListedGroup);
      const { salt: _, ...listed } = read;
      const shelf = directory.#shelf(listed.provider);
      if ("userName" in listed) shelf.put(listed);
      else shelf.groups.set(listed.id, listed);
    }
    return directory;
  }

  person(provider: string, id: string): ListedPerson | undefined {
    const person = this.#shelf(provider).people.get(id);
    return person?.gone ? undefined : person;
  }

  group(provider: string, id: string): ListedGroup | undefined {
    return this.#shelf(provider).groups.get(id);
  }

  personNamed(provider: string, userName: string): ListedPerson | undefined {
    return this.#shelf(provider).byUserName.get(userName.toLowerCase());
  }

  /** Also one who is gone there. */
  personWithExternalId(provider: string, externalId: string): ListedPerson | undefined {
    return this.#shelf(provider).byExternalId.get(externalId);
  }

  /** Also one who is gone there. */
  personOfUser(provider: string, user: UserId): ListedPerson | undefined {
    return this.#shelf(provider).byUser.get(user);
  }

  groupNamed(provider: string, displayName: string): ListedGroup | undefined {
    const wanted = displayName.toLowerCase();
    return this.groups(provider).find((group) => group.displayName.toLowerCase() === wanted);
  }

  /** In the order in which they came. */
  people(provider: string): ListedPerson[] {
    const found = [...this.#shelf(provider).people.values()].filter(({ gone }) => !gone);
    return found.sort(inOrder);
  }

  groups(provider: string): ListedGroup[] {
    return [...this.#shelf(provider).groups.values()].sort(inOrder);
  }

  /** Also people that are gone there; little is kept of them. */
  rowsHeld(provider: string): number {
    return this.#shelf(provider).people.size;
  }

  members(provider: string, group: string): ListedPerson[] {
    const shelf = this.#shelf(provider);
    return [...(shelf.members.get(group) ?? [])].flatMap((id) => shelf.people.get(id) ?? []);
  }

  /** The groups of a person as rules may name them: what they are called, and by their id at the identity system. */
  groupNamesOf({ provider, groups }: ListedPerson): string[] {
    return groups.flatMap((id) => {
      const { displayName, externalId } = this.group(provider, id) ?? {};
      return [displayName, externalId].filter((name) => name !== undefined);
    });
  }

  putPerson(person: ListedPerson): Written {
    return {
      row: rowOf(`${person.provider}/p/${person.id}`, person),
      keep: () => this.#shelf(person.provider).put(person),
    };
  }

  putGroup(group: ListedGroup): Written {
    const { provider, id } = group;
    return {
      row: rowOf(`${provider}/g/${id}`, group),
      keep: () => void this.#shelf(provider).groups.set(id, group),
    };
  }

  dropPerson({ provider, id }: ListedPerson): Written {
    return {
      row: { kind, key: `${provider}/p/${id}`, value: null },
      keep: () => this.#shelf(provider).drop(id),
    };
  }

  dropGroup({ provider, id }: ListedGroup): Written {
    return {
      row: { kind, key: `${provider}/g/${id}`, value: null },
      keep: () => void this.#shelf(provider).groups.delete(id),
    };
  }

  /** Everything that the identity system of a provider told goes. */
  dropAll(provider: string): Written[] {
    const { people, groups } = this.#shelf(provider);
    return [
      ...[...people.values()].map((each) => this.dropPerson(each)),
      ...[...groups.values()].map((each) => this.dropGroup(each)),
    ];
  }

  /** Rows that erase everything of a user; `forget` follows once that is durable. */
  eraseRows(user: UserId): PrivateWrite[] {
    return this.#of(user).map((person) => this.dropPerson(person).row);
  }

  forget(user: UserId): void {
    for (const person of this.#of(user)) this.dropPerson(person).keep();
  }

  #of(user: UserId): ListedPerson[] {
    return [...this.#shelves.values()].flatMap(({ byUser }) => byUser.get(user) ?? []);
  }

  #shelf(provider: string): Shelf {
    const shelf = this.#shelves.get(provider) ?? new Shelf();
    this.#shelves.set(provider, shelf);
    return shelf;
  }
}

function inOrder(one: ListedPerson | ListedGroup, other: ListedPerson | ListedGroup): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
}

/** With a salt: the journal keeps a digest of the row, from which a name could be guessed once it is erased. */
function rowOf(key: string, value: ListedPerson | ListedGroup): PrivateWrite {
  const salt = randomBytes(16).toString("base64url");
  return { kind, key, value: Buffer.from(JSON.stringify({ ...value, salt })) };
}
