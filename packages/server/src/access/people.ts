import { randomBytes } from "node:crypto";
import type { ReadonlyState, UserId } from "@tessera/core";
import type { PrivateWrite, StoreReader } from "../store/port.ts";
import { Directory } from "./directory.ts";
import { Identities } from "./identities.ts";
import { soundPrivates } from "./private-rows.ts";

/** What is known of a person outside the journal, where it can be erased. */
export interface Person {
  readonly name: string;
  readonly email?: string;
}

/** All users by id and by login name, in memory. Only the API writes these rows. */
export class People {
  readonly #byId = new Map<UserId, Person>();
  readonly #idByName = new Map<string, UserId>();
  readonly #withPassword = new Set<UserId>();
  readonly identities: Identities;
  readonly directory: Directory;

  constructor(identities = new Identities(), directory = new Directory()) {
    this.identities = identities;
    this.directory = directory;
  }

  static async load(reader: StoreReader, state: ReadonlyState): Promise<People> {
    const people = new People(await Identities.load(reader, state), await Directory.load(reader, state));
    for (const [id, value] of await soundPrivates(reader, state, "person")) {
      const { name, email } = JSON.parse(Buffer.from(value).toString("utf8")) as Person;
      people.#enter(id as UserId, { name, ...(email !== undefined && { email }) });
    }
    for (const id of (await soundPrivates(reader, state, "password")).keys()) people.#withPassword.add(id as UserId);
    return people;
  }

  #enter(id: UserId, person: Person): void {
    this.#byId.set(id, person);
    this.#idByName.set(person.name, id);
  }

  person(id: UserId): Person | undefined {
    return this.#byId.get(id);
  }

  /** The login name; empty once erased. */
  nameOf(id: UserId): string {
    return this.#byId.get(id)?.name ?? "";
  }

  idOf(name: string): UserId | undefined {
    return this.#idByName.get(name);
  }

  hasPassword(id: UserId): boolean {
    return this.#withPassword.has(id);
  }

  /** Takes a login name before it is durable, so that of two requests at once only one gets it. */
  claim(id: UserId, person: Person): boolean {
    if (this.#idByName.has(person.name)) return false;
    this.#enter(id, person);
    return true;
  }

  /** Lets go of a name: erased, or the claim came to nothing. */
  forget(id: UserId): void {
    const person = this.#byId.get(id);
    if (person !== undefined && this.#idByName.get(person.name) === id) this.#idByName.delete(person.name);
    this.#byId.delete(id);
    this.#withPassword.delete(id);
    this.identities.forget(id);
    this.directory.forget(id);
  }

  /** The same login name with another address. */
  replace(id: UserId, person: Person): void {
    this.#enter(id, person);
  }

  passwordSet(id: UserId): void {
    this.#withPassword.add(id);
  }
}

/** With a salt: the journal keeps a digest of the row, from which the name could be guessed once it is erased. */
export function personRow(id: UserId, person: Person): PrivateWrite {
  const salt = randomBytes(16).toString("base64url");
  return { kind: "person", key: id, value: Buffer.from(JSON.stringify({ ...person, salt })) };
}

/** Everything private about a user goes. */
export function eraseRows(id: UserId): PrivateWrite[] {
  return [
    { kind: "person", key: id, value: null },
    { kind: "password", key: id, value: null },
  ];
}
