import pg from "pg";
import { tlsOf } from "./tls.ts";

/**
 * Everything of Tessera lives in one schema, so that the database can be shared with other tables. Names are always
 * written in full: a search path would be a setting of the session, which a connection pooler may lose.
 */
export const schema = "tessera.";

const int8 = 20;
const connectMsMax = 10_000;

/** Reads whole numbers as numbers and refuses those that a number cannot hold. Set on our own connections only. */
const types: pg.CustomTypesConfig = {
  getTypeParser(type: number, format?: "text" | "binary") {
    return type === int8 ? whole : pg.types.getTypeParser(type, format);
  },
};

function configOf(address: string, role: string): pg.ClientConfig {
  const { url, ssl } = tlsOf(address);
  return {
    connectionString: url,
    ...(ssl !== undefined && { ssl }),
    types,
    application_name: `tessera ${role}`,
    connectionTimeoutMillis: connectMsMax,
    keepAlive: true,
  };
}

/** Connections that are made as they are needed, each with the certificate that lies there then. */
export function poolFor(url: string): pg.Pool {
  class Reader extends pg.Client {
    constructor() {
      super({ ...configOf(url, "reader"), statement_timeout: 60_000 });
    }
  }
  const pool = new pg.Pool({ Client: Reader, max: 4, connectionTimeoutMillis: connectMsMax });
  pool.on("error", () => {}); // an idle connection broke; the next question makes a new one
  return pool;
}

/** Connects; a connection that breaks while idle is noticed by its next use, not by ending the process. */
export async function connect(url: string, role: string): Promise<pg.Client> {
  try {
    const client = new pg.Client(configOf(url, role));
    client.on("error", () => {});
    await client.connect();
    return client;
  } catch (cause) {
    throw new Error(`Cannot connect to PostgreSQL at ${nameOf(url)}: ${messageOf(cause)}`, { cause });
  }
}

/** What may be shown of a URL: not the password. */
export function nameOf(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}${port ? `:${port}` : ""}${pathname}`;
  } catch {
    return "the given URL";
  }
}

/** Node reports several failed addresses as one error with an empty message. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

/** The role of the connection lacks a right. */
export function isForbidden(cause: unknown): boolean {
  return cause instanceof pg.DatabaseError && cause.code === "42501";
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`${text} in the database is larger than we can count`);
  return value;
}
