import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { startTestPostgres } from "../../../packages/server/dist/testing/postgres.js";
import { giveTo } from "../../places/places.js";
import { admin, answersTo, personWithPassword } from "../backups.js";

const everywhere = ({ name }) => name === "root/none" || name === "user/none";

/** What a thief of the server's database address would try. */
const attacks = [
  "UPDATE tessera.journal SET at = 0",
  "DELETE FROM tessera.journal WHERE seq > 2",
  "TRUNCATE tessera.journal",
  "ALTER TABLE tessera.journal DISABLE TRIGGER ALL",
  "SET session_replication_role = replica",
  "DROP TABLE tessera.journal",
];

export const checks = [
  { finding: 12, name: "a password put into a backup", at: everywhere, prove: putPassword },
  { finding: 12, name: "a token revoked and a user disabled after the backup", at: everywhere, prove: reviveAll },
  { finding: 12, name: "the same, with the store that went on", at: everywhere, prove: reviveSome },
  {
    finding: 12,
    name: "journal rows changed in PostgreSQL",
    at: ({ name }) => name === "root/none",
    prove: changeRows,
  },
];

/** Every way to put something into the file; each must be refused before anything is written. */
async function putPassword({ place, openServer }) {
  const server = await openServer({ place });
  try {
    const at = { place, data: server.data };
    const file = join(server.data, "stolen.backup");
    await mustDo(at, "backup", file);
    await server.stop();
    const whole = readFileSync(file);
    const changed = {
      "bit flipped": () => flipped(whole, Math.floor(whole.length / 2)),
      "cut off": () => whole.subarray(0, whole.length - 64 * 1024),
      appended: () => Buffer.concat([whole, whole.subarray(-4096)]),
      "parts moved": () => Buffer.concat([whole.subarray(0, 400), whole.subarray(70_000), whole.subarray(400, 70_000)]),
      "replaced by a store with another password": () => forgedStore(server),
    };
    const taken = [];
    for (const [name, make] of Object.entries(changed)) {
      writeFileSync(file, make());
      const elsewhere = join(server.data, "elsewhere");
      mkdirSync(elsewhere, { mode: 0o700 });
      giveTo(place, elsewhere);
      const key = join(server.data, "keys", "backup.key");
      const { code, said } = await admin({ place, data: elsewhere }, "restore", file, "--key-file", key);
      if (code === 0 || !/damaged|not a backup|plain backup/.test(said)) taken.push(`${name}: ${said.trim()}`);
      rmSync(elsewhere, { recursive: true });
    }
    if (taken.length > 0) return { held: false, seen: taken.join("; ") };
    return { held: true, seen: `${Object.keys(changed).length} forged backups refused, each by name` };
  } finally {
    await server.close();
  }
}

/** The store of the server as a plain file, with a password of the attacker's for the owner. */
function forgedStore(server) {
  const copy = join(server.folder, "forged.sqlite");
  copyFileSync(join(server.data, "store", "store.sqlite"), copy);
  const db = new DatabaseSync(copy);
  const owner = db.prepare("SELECT key FROM private WHERE kind = 'person'").get().key;
  db.prepare("INSERT OR REPLACE INTO private (kind, key, value) VALUES ('password', ?, ?)").run(
    owner,
    Buffer.from("x"),
  );
  db.close();
  return readFileSync(copy);
}

async function reviveAll({ place, openServer }) {
  return restored({ place, openServer, since: false }, ({ ada, ben, oldOwner, owner }) => {
    const dead = { token: 401, password: 401 };
    const held = same(ada, dead) && same(ben, dead) && oldOwner === 401 && owner === 200;
    return { held, seen: seenOf({ ada, ben, oldOwner, owner }) };
  });
}

async function reviveSome({ place, openServer }) {
  return restored({ place, openServer, since: true }, ({ ada, ben, oldOwner, owner }) => {
    const held = same(ada, { token: 401, password: 401 }) && ben.token === 200 && ben.password === 200 && owner === 200;
    return { held, seen: seenOf({ ada, ben, oldOwner, owner }) };
  });
}

/** Ada is revoked and disabled after the backup, Ben is not; the backup is restored, and everyone tries again. */
async function restored({ place, openServer, since }, judge) {
  const server = await openServer({ place });
  try {
    const [ada, ben] = [
      await personWithPassword(server, "ada", "ada walks by the river"),
      await personWithPassword(server, "ben", "ben sits under a tree"),
    ];
    const before = [await answersTo(server, ada), await answersTo(server, ben)];
    if (!before.every((each) => each.token === 200 && each.password === 200))
      return { held: false, seen: `they could not sign in before: ${JSON.stringify(before)}` };
    const oldOwner = server.owner;
    const at = { place, data: server.data };
    const file = join(server.data, "old.backup");
    await mustDo(at, "backup", file);
    const tokens = JSON.parse(await server.tess("token", "get", "--user", "ada", "-o", "json"));
    for (const token of tokens.items ?? tokens) await server.tess("token", "revoke", token.id);
    await server.tess("user", "disable", "ada");
    await server.stop();
    const old = join(server.data, "old");
    mkdirSync(old, { mode: 0o700 });
    giveTo(place, old);
    renameSync(join(server.data, "store"), join(old, "store"));
    await mustDo(at, "restore", file, ...(since ? ["--since", old] : []));
    await server.start();
    return judge({
      ada: await answersTo(server, ada),
      ben: await answersTo(server, ben),
      oldOwner: (await server.api("GET", "/v1/whoami", undefined, oldOwner)).status,
      owner: (await server.api("GET", "/v1/whoami")).status,
    });
  } finally {
    await server.close();
  }
}

/** A real server on a role made by postgres-setup; everything is tried with the address that the server has. */
async function changeRows({ place, openServer }) {
  const postgres = await startTestPostgres();
  if (postgres === undefined) return { held: false, seen: "no PostgreSQL could be started here" };
  let server;
  try {
    const owner = await postgres.freshDatabase();
    const folder = mkdtempSync("/var/tmp/walls-setup-");
    const setup = await admin({ place, data: folder }, "postgres-setup", "--json", "--database", owner);
    rmSync(folder, { recursive: true });
    if (setup.code !== 0) throw new Error(setup.said);
    const { url } = JSON.parse(setup.said.split("\n").find((line) => line.startsWith("{")));
    server = await openServer({ place, args: ["--virtual", "2x4:H100", "--database", url] });
    await server.tess("run", "--wait", "--", "true");
    const taken = [];
    for (const attack of attacks) if (!(await isRefused(url, attack))) taken.push(attack);
    const { code, said } = await admin({ place, data: server.data }, "verify", "--database", url);
    if (taken.length > 0 || code !== 0)
      return { held: false, seen: `taken: ${taken.join("; ")}. verify: ${said.trim()}` };
    return { held: true, seen: `${attacks.length} statements refused by the database; ${said.trim().slice(0, 40)}` };
  } finally {
    await server?.close();
    await postgres.stop();
  }
}

async function isRefused(url, statement) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
    return false;
  } catch (error) {
    return /permission denied|must be owner/.test(error.message);
  } finally {
    await client.end();
  }
}

async function mustDo(at, ...words) {
  const { code, said } = await admin(at, ...words);
  if (code !== 0) throw new Error(`tess admin ${words.join(" ")}: ${said}`);
}

function flipped(bytes, at) {
  const copy = Buffer.from(bytes);
  copy[at] ^= 1;
  return copy;
}

function same(found, wanted) {
  return found.token === wanted.token && found.password === wanted.password;
}

function seenOf({ ada, ben, oldOwner, owner }) {
  const of = (name, { token, password }) => `${name}: token ${token}, password ${password}`;
  return `${of("revoked", ada)}; ${of("other", ben)}; old owner ${oldOwner}, new owner ${owner}`;
}
