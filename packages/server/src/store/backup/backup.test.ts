import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, afterEach, beforeEach, describe, it } from "node:test";
import { auditOf, batchAfter, deviceOf, jobOf, noon, usageOf } from "../../testing/batches.ts";
import { fillFromBackup } from "../../testing/fill-from-backup.ts";
import { startTestPostgres } from "../../testing/postgres.ts";
import { openReader, openStore, type StoreConfig } from "../index.ts";
import type { Store, StoreReader } from "../port.ts";
import { backup as backupWith } from "./backup.ts";

const key = randomBytes(32);
const server = await startTestPostgres();
after(() => server?.stop());

describe("backup and restore", () => {
  let dir: string;
  let places = 0;
  beforeEach(() => {
    places = 0;
    dir = mkdtempSync(join(tmpdir(), "tessera-backup-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const backup = (from: StoreConfig, file: string) => backupWith(from, file, { scratchIn: dir, key, keyFiles: {} });
  const restore = (file: string, into: StoreConfig, { unsealed = false, opensWith = key } = {}) =>
    fillFromBackup({ file, key: opensWith, unsealed }, dir, into);

  const kinds = ["sqlite", "postgres"] as const;
  type Kind = (typeof kinds)[number];
  async function emptyPlace(kind: Kind): Promise<StoreConfig> {
    if (kind === "sqlite") return { dir: join(dir, `store-${places++}`) };
    return { url: await server!.freshDatabase(), leaseMs: 20_000, waitMs: 0 };
  }

  /** A store with something in every table; 250 rows and 1,100 records are more than one page of each. */
  async function filled(config: StoreConfig): Promise<Store> {
    const store = await openStore(config);
    for (let i = 1; i <= 250; i++) {
      await store.append(
        batchAfter(await store.head(), { projected: { jobs: [jobOf({ id: `job_${i}`, account: "a/b" })] } }),
      );
    }
    await store.append(
      batchAfter(await store.head(), {
        projected: {
          usage: Array.from({ length: 1_100 }, (_, i) => usageOf({ lease: `lease_${i}` })),
          devices: [deviceOf(), deviceOf({ at: noon + 5 })],
          audit: [auditOf(), auditOf({ index: 1, account: "a/b", token: "tok_1" })],
        },
        privates: [{ kind: "secret", key: "k", value: Buffer.from([0, 255, 10]) }],
      }),
    );
    await store.writeSnapshot({ seq: 251, schema: 2, hash: Buffer.alloc(32, 7), bytes: Buffer.alloc(9_000_000, "s") });
    return store;
  }

  async function everything(reader: StoreReader): Promise<unknown> {
    const byText = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
    const snapshot = (await reader.latestSnapshot())!;
    return {
      rows: (await reader.rows(1, 1_000)).map((row) => [
        row.seq,
        row.at,
        row.op,
        ...[row.inputs, row.events, row.hash].map(hex),
      ]),
      jobs: await reader.jobs({ accounts: ["a"], limit: 1_000 }),
      usage: byText(await reader.usage(["vision"], 0, 2 ** 50)),
      devices: await reader.devices(noon, noon + 10),
      audit: [await reader.audit({ accounts: [], limit: 9 }), await reader.audit({ accounts: ["a/b"], limit: 9 })],
      privates: [...(await reader.privates("secret"))].map(([key, value]) => [key, hex(value)]),
      snapshot: [
        snapshot.seq,
        snapshot.schema,
        hex(snapshot.hash),
        Buffer.compare(snapshot.bytes, Buffer.alloc(9_000_000, "s")),
      ],
    };
  }

  for (const from of kinds) {
    for (const to of kinds) {
      const skip = (from === "postgres" || to === "postgres") && server === undefined ? "no PostgreSQL here" : false;
      it(`[S34] brings everything from ${from} to ${to}, while the server runs`, { skip }, async () => {
        const source = await emptyPlace(from);
        const store = await filled(source);
        const file = join(dir, "backup");
        const head = await backup(source, file);
        assert.equal(head.seq, 251);
        assert.equal(statSync(file).mode & 0o777, 0o600);
        await store.append(batchAfter(await store.head())); // comes after the backup and is not in it
        const target = await emptyPlace(to);
        assert.deepEqual({ ...(await restore(file, target)), hash: 0 }, { ...head, hash: 0 });
        const reader = await openReader(target);
        const restored = await everything(reader);
        await reader.close();
        const again = await openReader(source);
        const original = (await everything(again)) as { rows: unknown[] };
        await again.close();
        assert.equal(original.rows.pop() !== undefined && original.rows.length, 251);
        assert.deepEqual(restored, original);
        await store.close();
        const writer = await openStore(target);
        await writer.append(batchAfter(await writer.head(), { op: "op_after_restore" }));
        await writer.close();
      });
    }
  }

  for (const kind of kinds) {
    const skip = kind === "postgres" && server === undefined ? "no PostgreSQL here" : false;
    it(`goes only into an empty store: ${kind}`, { skip }, async () => {
      const source = await emptyPlace("sqlite");
      await (await filled(source)).close();
      const file = join(dir, "backup");
      await backup(source, file);
      const target = await emptyPlace(kind);
      const store = await openStore(target);
      await store.append(batchAfter(await store.head(), { op: "op_mine" }));
      await store.close();
      await assert.rejects(restore(file, target), /holds a journal already/);
      const reader = await openReader(target);
      assert.equal((await reader.head()).seq, 1);
      await reader.close();
    });

    it(`[S34] restores nothing of a file in which one byte was flipped, and names the place: ${kind}`, {
      skip,
    }, async () => {
      const source = await emptyPlace("sqlite");
      await (await filled(source)).close();
      const file = join(dir, "backup");
      await backup(source, file);
      const bytes = readFileSync(file);
      bytes[300_000]! ^= 1;
      writeFileSync(file, bytes);
      const target = await emptyPlace(kind);
      await assert.rejects(
        restore(file, target),
        /damaged: what stands from byte 262\d\d\d on is not what was written/,
      );
      const store = await openStore(target);
      assert.equal((await store.head()).seq, 0);
      assert.deepEqual(await store.jobs({ accounts: [], limit: 1 }), []);
      await store.close();
    });
  }

  it("shows nothing of its contents without the key", async () => {
    const source = await emptyPlace("sqlite");
    await (await filled(source)).close();
    const file = join(dir, "backup");
    await backup(source, file);
    const text = readFileSync(file, "latin1");
    for (const word of ["job_77", "lease_7", "SQLite", "journal", "ssssssss"]) assert.ok(!text.includes(word), word);
    const target = await emptyPlace("sqlite");
    await assert.rejects(restore(file, target, { opensWith: randomBytes(32) }), /sealed with the key .*--key-file/);
    assert.deepEqual(
      readdirSync(dir).filter((name) => name.startsWith("backup-scratch")),
      [],
    );
  });

  it("takes a plain backup of an older version only where the owner says so", async () => {
    const source = await emptyPlace("sqlite");
    await (await filled(source)).close();
    const file = join(dir, "plain");
    const db = new DatabaseSync(join(dir, "store-0", "store.sqlite"));
    db.prepare("VACUUM INTO ?").run(file);
    db.close();
    await assert.rejects(restore(file, await emptyPlace("sqlite")), /plain backup .*--unsealed/);
    assert.equal((await restore(file, await emptyPlace("sqlite"), { unsealed: true })).seq, 251);
  });

  it("never writes over a file, and leaves nothing half-written", async () => {
    const file = join(dir, "backup");
    writeFileSync(file, "precious");
    const source = await emptyPlace("sqlite");
    await (await filled(source)).close();
    await assert.rejects(backup(source, file), /is there already/);
    assert.equal(readFileSync(file, "utf8"), "precious");
    await assert.rejects(backup({ dir: join(dir, "nowhere") }, join(dir, "other")), /There is no store/);
    assert.throws(() => statSync(join(dir, "other.partial")));
  });

  it("refuses to restore what is not a backup", async () => {
    const file = join(dir, "notes");
    writeFileSync(file, "just some text, longer than the header of a database file\n".repeat(20));
    await assert.rejects(restore(file, { dir: join(dir, "s") }), /is not a backup of Tessera/);
    const other = new DatabaseSync(join(dir, "other"));
    other.exec("CREATE TABLE t (x)");
    other.close();
    await assert.rejects(
      restore(join(dir, "other"), { dir: join(dir, "s") }, { unsealed: true }),
      /not a Tessera store/,
    );
    await assert.rejects(restore(join(dir, "absent"), { dir: join(dir, "s") }), /no backup/);
  });
});
