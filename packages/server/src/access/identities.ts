import { createHash, randomBytes } from "node:crypto";
import type { ReadonlyState, UserId } from "@tessera/core";
import type { PrivateWrite, StoreReader } from "../store/port.ts";
import { soundPrivates } from "./private-rows.ts";

/** A person as a provider knows them, and the user that they are here. */
export interface Identity {
  readonly user: UserId;
  readonly issuer: string;
  readonly subject: string;
  /** As of the last sign-in. */
  readonly groups: readonly string[];
}

const kind = "identity";

/** Who signs in as which user, in memory. Only the API writes these rows. */
export class Identities {
  readonly #byPerson = new Map<string, { readonly key: string; readonly identity: Identity }>();

  static async load(reader: StoreReader, state: ReadonlyState): Promise<Identities> {
    const identities = new Identities();
    for (const [key, value] of await soundPrivates(reader, state, kind)) {
      const { user, issuer, subject, groups } = JSON.parse(Buffer.from(value).toString("utf8")) as Identity;
      identities.#byPerson.set(personOf(issuer, subject), { key, identity: { user, issuer, subject, groups } });
    }
    return identities;
  }

  find(issuer: string, subject: string): Identity | undefined {
    return this.#byPerson.get(personOf(issuer, subject))?.identity;
  }

  ofIssuer(issuer: string): Identity[] {
    return [...this.#byPerson.values()].map(({ identity }) => identity).filter((each) => each.issuer === issuer);
  }

  /** Whether someone signs in from there as this user. */
  ofUser(issuer: string, user: UserId): boolean {
    return [...this.#byPerson.values()].some(({ identity }) => identity.issuer === issuer && identity.user === user);
  }

  /** The row to write; `keep` follows once it is durable. The key tells nothing of the person. */
  rowOf(identity: Identity): { readonly row: PrivateWrite; readonly keep: () => void } {
    const person = personOf(identity.issuer, identity.subject);
    const issuerHash = createHash("sha256").update(identity.issuer).digest("hex").slice(0, 16);
    const key = this.#byPerson.get(person)?.key ?? `${issuerHash}/${randomBytes(16).toString("base64url")}`;
    const value = Buffer.from(JSON.stringify({ ...identity, salt: randomBytes(16).toString("base64url") }));
    return { row: { kind, key, value }, keep: () => void this.#byPerson.set(person, { key, identity }) };
  }

  /** Rows that erase everything of a user; `forget` follows once that is durable. */
  eraseRows(user: UserId): PrivateWrite[] {
    return [...this.#byPerson.values()]
      .filter(({ identity }) => identity.user === user)
      .map(({ key }) => ({ kind, key, value: null }));
  }

  forget(user: UserId): void {
    for (const [person, { identity }] of this.#byPerson) if (identity.user === user) this.#byPerson.delete(person);
  }
}

function personOf(issuer: string, subject: string): string {
  return JSON.stringify([issuer, subject]);
}
