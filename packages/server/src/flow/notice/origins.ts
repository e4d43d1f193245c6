import { randomBytes } from "node:crypto";
import type { UserId } from "@tessera/core";
import type { PrivateWrite, StoreReader } from "../../store/port.ts";
import { newId } from "../ids.ts";

const kind = "origin";
/** Addresses that are kept in memory under their names; an address beyond them gets another name next time. */
const namesMax = 10_000;

interface Kept {
  /** Whose address it is, so that it is erased with the person; absent for a stranger's. */
  readonly user?: UserId;
  readonly address: string;
}

interface Named {
  readonly name: string;
  readonly user: UserId | undefined;
  /** The row, until it is durable. */
  row: PrivateWrite | undefined;
}

/**
 * Addresses that requests came from, under random names. The journal holds the name; the address is in a private row,
 * which can be erased while the chain stays whole.
 */
export class Origins {
  readonly #named = new Map<string, Named>();

  /** The name of an address, and the row that must become durable with what mentions it. */
  of(user: UserId | undefined, address: string): { readonly name: string; readonly rows: readonly PrivateWrite[] } {
    const plain = plainAddress(address);
    const key = `${user ?? ""} ${plain}`;
    let named = this.#named.get(key);
    if (named === undefined) {
      const name = newId("org_");
      named = { name, user, row: rowOf(name, { ...(user !== undefined && { user }), address: plain }) };
      this.#named.set(key, named);
      if (this.#named.size > namesMax) this.#named.delete(this.#named.keys().next().value ?? key);
    }
    return { name: named.name, rows: named.row === undefined ? [] : [named.row] };
  }

  /** These rows are durable. */
  written(rows: readonly PrivateWrite[]): void {
    for (const named of this.#named.values()) {
      if (named.row !== undefined && rows.includes(named.row)) named.row = undefined;
    }
  }

  /** The rows that erase all addresses of a user. */
  async eraseRows(reader: StoreReader, user: UserId): Promise<PrivateWrite[]> {
    const names = new Set<string>();
    for (const [key, named] of this.#named) {
      if (named.user !== user) continue;
      names.add(named.name);
      this.#named.delete(key);
    }
    for (const [name, value] of await reader.privates(kind)) if (keptIn(value).user === user) names.add(name);
    return [...names].map((key) => ({ kind, key, value: null }));
  }
}

/** The addresses behind names; one that was erased is not there. */
export async function addressesOf(reader: StoreReader, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await reader.privates(kind, [...new Set(names)]);
  return new Map([...rows].map(([name, value]) => [name, keptIn(value).address]));
}

/** The names under which an address is kept. Reads all of them: for another thread than the one that answers. */
export async function namesOfAddress(reader: StoreReader, address: string): Promise<string[]> {
  const plain = plainAddress(address);
  return [...(await reader.privates(kind))]
    .filter(([, value]) => keptIn(value).address === plain)
    .map(([name]) => name);
}

function keptIn(value: Uint8Array): Kept {
  return JSON.parse(Buffer.from(value).toString("utf8")) as Kept;
}

/** With chance in it: a digest of the row alone does not let all addresses be tried. */
function rowOf(key: string, kept: Kept): PrivateWrite {
  const salt = randomBytes(16).toString("base64url");
  return { kind, key, value: Buffer.from(JSON.stringify({ ...kept, salt })) };
}

/** IPv4 as such, also where the socket speaks IPv6. */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, "");
}
