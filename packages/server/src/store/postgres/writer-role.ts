import { randomBytes } from "node:crypto";
import type { Client } from "pg";
import { connect, isForbidden, nameOf } from "./connect.ts";
import { openPostgresStore, type PostgresConfig } from "./store.ts";

export const usualWriter = "tessera_writer";

/** What the role that writes may do to each table. The journal only grows, and only the owner changes the tables. */
const rights = (writer: string): string => `
  REVOKE ALL ON ALL TABLES IN SCHEMA tessera FROM PUBLIC, ${writer};
  GRANT USAGE ON SCHEMA tessera TO ${writer};
  GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA tessera TO ${writer};
  REVOKE UPDATE, DELETE ON tessera.journal FROM ${writer};
  REVOKE INSERT, UPDATE, DELETE ON tessera.schema_version FROM ${writer};
`;

/**
 * Brings the tables up to date as their owner, and makes the role that the server connects with: it can add rows to the
 * journal, and neither change nor remove one. A role that is there already keeps its password. Returns the URL to give
 * to the server; undefined where the role was there and only its owner knows the password.
 */
export async function setUpWriter(config: PostgresConfig, writer = usualWriter): Promise<string | undefined> {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(writer))
    throw new Error(`${writer} is not a name for the role: use small letters, digits and underscores`);
  await (await openPostgresStore(config)).close();
  const client = await connect(config.url, "setup");
  try {
    const found = await client.query("SELECT current_user = $1 AS self FROM pg_roles WHERE rolname = $1", [writer]);
    if (found.rows[0]?.self)
      throw new Error(`you are connected as ${writer} itself: connect as the owner of the database`);
    const password = randomBytes(24).toString("base64url");
    const isNew = found.rows.length === 0;
    if (isNew) await createRole(client, writer, password);
    await client.query(`BEGIN; ${rights(writer)} COMMIT`);
    await mustNotChangeJournal(client, writer);
    return isNew ? urlOf(config.url, writer, password) : undefined;
  } finally {
    await client.end();
  }
}

async function createRole(client: Client, writer: string, password: string): Promise<void> {
  try {
    await client.query(
      `CREATE ROLE ${writer} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD '${password}'`,
    );
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    const how = `CREATE ROLE ${writer} LOGIN PASSWORD '…'`;
    throw new Error(`you may not create roles here. Let someone who may run ${how}, then run this again.`, { cause });
  }
}

async function mustNotChangeJournal(client: Client, writer: string): Promise<void> {
  const answer = await client.query(mayChange("$1::name"), [writer]);
  if (!answer.rows[0]?.may) return;
  throw new Error(
    `${writer} can still change the journal: it is a superuser, owns the table, or belongs to a role that does. ` +
      "Name another role with --writer.",
  );
}

/** Whether a role could change rows of the journal, by a right of its own or by taking the table's protection away. */
function mayChange(role: string): string {
  return `SELECT has_table_privilege(${role}, 'tessera.journal', 'UPDATE, DELETE, TRUNCATE, TRIGGER')
    OR pg_has_role(${role}, (SELECT relowner FROM pg_class WHERE oid = 'tessera.journal'::regclass), 'MEMBER') AS may`;
}

/** What the owner should know of the role that this URL connects with; undefined when it can only add to the journal. */
export async function warningAboutRole(url: string): Promise<string | undefined> {
  const client = await connect(url, "role check");
  try {
    const { rows } = await client.query(`SELECT current_user AS name, (${mayChange("current_user")})`);
    if (!rows[0]?.may) return undefined;
    return (
      `the role ${rows[0].name} of the database ${nameOf(url)} could change the journal, if it removed the triggers on it: ` +
      "tess admin postgres-setup makes a role for the server that cannot"
    );
  } finally {
    await client.end();
  }
}

function urlOf(url: string, user: string, password: string): string {
  const made = new URL(url);
  made.username = user;
  made.password = password;
  return made.href;
}
