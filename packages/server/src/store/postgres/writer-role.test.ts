import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { batchAfter, jobOf } from "../../testing/batches.ts";
import { startTestPostgres } from "../../testing/postgres.ts";
import { fillEmpty } from "../backup/unpack.ts";
import { openFrozenPostgresReader, openPostgresStore } from "./store.ts";
import { setUpWriter, warningAboutRole } from "./writer-role.ts";

const server = await startTestPostgres();
after(() => server?.stop());

describe("the role that writes to PostgreSQL", { skip: server === undefined ? "no PostgreSQL here" : false }, () => {
  const writer = `writer_${randomBytes(4).toString("hex")}`;
  let owner: string;
  let url: string;
  before(async () => {
    owner = await server!.freshDatabase();
    url = (await setUpWriter({ url: owner, leaseMs: 20_000, waitMs: 0 }, writer))!;
    const store = await openPostgresStore({ url, leaseMs: 20_000, waitMs: 0 });
    for (let i = 1; i <= 3; i++)
      await store.append(batchAfter(await store.head(), { projected: { jobs: [jobOf({ id: `job_${i}` })] } }));
    await store.close();
  });
  after(() => run(server!.url, `DROP OWNED BY ${writer}; DROP ROLE ${writer}`).catch(() => {}));

  async function run(at: string, statement: string): Promise<pg.QueryResult> {
    const client = new pg.Client(at);
    await client.connect();
    try {
      return await client.query(statement);
    } finally {
      await client.end();
    }
  }

  const attacks = [
    "UPDATE tessera.journal SET at = 0 WHERE seq = 2",
    "DELETE FROM tessera.journal WHERE seq = 3",
    "TRUNCATE tessera.journal",
    "ALTER TABLE tessera.journal DISABLE TRIGGER ALL",
    "DROP TRIGGER journal_is_append_only ON tessera.journal",
    "DROP TABLE tessera.journal",
    "CREATE OR REPLACE FUNCTION tessera.refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "SET session_replication_role = replica",
    `GRANT UPDATE ON tessera.journal TO ${writer}; UPDATE tessera.journal SET at = 0`,
    "ALTER TABLE tessera.journal RENAME TO old",
    "UPDATE tessera.schema_version SET version = 1",
    "INSERT INTO tessera.journal SELECT 2, at, 'other', epoch, event_count, events_before, salt, root, hash, inputs, events FROM tessera.journal WHERE seq = 2",
  ];
  for (const attack of attacks) {
    it(`cannot ${attack.slice(0, 60)}`, async () => {
      const kept = "SELECT seq, at, encode(hash, 'hex') FROM tessera.journal ORDER BY seq";
      const before = await run(owner, kept);
      await assert.rejects(run(url, attack), /permission denied|must be owner|gapless|duplicate/);
      assert.deepEqual((await run(owner, kept)).rows, before.rows);
    });
  }

  it("still does everything that a server does", async () => {
    const store = await openPostgresStore({ url, leaseMs: 20_000, waitMs: 0 });
    await store.append(
      batchAfter(await store.head(), { privates: [{ kind: "person", key: "u", value: Buffer.from("Ada") }] }),
    );
    await store.writePrivates([{ kind: "person", key: "u", value: null }]);
    await store.writeSnapshot({ seq: 4, schema: 1, hash: Buffer.alloc(32), bytes: Buffer.from("s") });
    await store.writeSnapshot({ seq: 4, schema: 1, hash: Buffer.alloc(32), bytes: Buffer.from("t") });
    await store.replaceProjections(store.projected());
    assert.equal((await store.privates("person")).size, 0);
    assert.equal((await store.jobs({ accounts: [], limit: 9 })).length, 3);
    await store.close();
  });

  it("restores into an empty database", async () => {
    const other = await server!.freshDatabase();
    await setUpWriter({ url: other, leaseMs: 20_000, waitMs: 0 }, writer);
    const target = new URL(url);
    target.pathname = new URL(other).pathname;
    const source = await openFrozenPostgresReader(owner);
    const head = await fillEmpty({ url: target.href, leaseMs: 20_000, waitMs: 0 }, source);
    await source.close();
    assert.equal(head.seq, 4);
    await assert.rejects(run(target.href, "DELETE FROM tessera.journal"), /permission denied/);
  });

  it("is asked for where the server connects as the owner, and not where it does not", async () => {
    assert.match((await warningAboutRole(owner)) ?? "", /could change the journal.*postgres-setup/);
    assert.equal(await warningAboutRole(url), undefined);
  });

  it("keeps its password when it is set up again, and is refused as an owner of itself", async () => {
    assert.equal(await setUpWriter({ url: owner, leaseMs: 20_000, waitMs: 0 }, writer), undefined);
    await assert.rejects(setUpWriter({ url, leaseMs: 20_000, waitMs: 0 }, writer), /as writer_\w+ itself/);
    await assert.rejects(setUpWriter({ url: owner, waitMs: 0 }, 'x"; DROP'), /not a name for the role/);
  });

  it("is told to call the owner where the tables are older", async () => {
    await run(owner, "UPDATE tessera.schema_version SET version = version - 1");
    await assert.rejects(openPostgresStore({ url, leaseMs: 20_000, waitMs: 0 }), /run tess admin postgres-setup/);
    await run(owner, "UPDATE tessera.schema_version SET version = version + 1");
  });

  it("is refused to the owner too while the triggers stand", async () => {
    await assert.rejects(run(owner, "UPDATE tessera.journal SET at = 0"), /append-only/);
    await assert.rejects(run(owner, "DELETE FROM tessera.journal"), /append-only/);
    await assert.rejects(run(owner, "TRUNCATE tessera.journal"), /append-only/);
  });
});
