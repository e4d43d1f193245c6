import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it, type TestContext } from "node:test";
import { checkChain } from "../../journal/chain.ts";
import { lineOf } from "../../journal/line.ts";
import { auditOf, batchAfter, jobOf, usageOf, versionBeforeJobKeys, withoutJobKeys } from "../../testing/batches.ts";
import { describeStore } from "../../testing/store-suite.ts";
import { sealEmpty } from "../backup/unpack.ts";
import type { Projected, Store } from "../port.ts";
import { fileIn } from "../sqlite/connect.ts";
import { sealStore } from "../sqlite/rewrite.ts";
import { fillFile, openFrozenSqliteReader, openSqliteReader, openSqliteStore } from "../sqlite/store.ts";
import { Cipher, NameCipher, NotOpened } from "./cipher.ts";
import type { StoreKey } from "./keys.ts";
import { plain, type Sealing, sealedColumns, sealingOf } from "./sealing.ts";

const bytesOf = ({ key }: StoreKey) => Buffer.from(key, "base64");
const first: StoreKey = { id: "00000000000000a1", key: Buffer.alloc(32, 1).toString("base64") };
const second: StoreKey = { id: "00000000000000b2", key: Buffer.alloc(32, 2).toString("base64") };

describeStore("sealed sqlite", async () => {
  const dir = mkdtempSync(join(tmpdir(), "tessera-sealed-"));
  const keys = [first];
  await sealEmpty({ dir }, first.id);
  const tamper = async (statement: string) => {
    const db = new DatabaseSync(fileIn(dir));
    try {
      db.exec(statement);
    } finally {
      db.close();
    }
  };
  return {
    config: { dir, keys },
    open: () => openSqliteStore(dir, { keys }),
    read: () => openSqliteReader(dir, keys),
    freeze: async () => openFrozenSqliteReader(dir, keys),
    tamper,
    makeNewer: () => tamper("PRAGMA user_version = 999"),
    makeOlder: () => tamper(`${withoutJobKeys("")}; PRAGMA user_version = ${versionBeforeJobKeys}`),
    remove: async () => rmSync(dir, { recursive: true, force: true }),
  };
});

const canary = "canary-7f3a";

/** Writes the canary wherever a tenant can write something. */
async function writeCanaries(store: Store, small = true): Promise<void> {
  const head = await store.head();
  const account = `${canary}-org/${canary}-team`;
  const projected: Partial<Projected> = {
    jobs: [jobOf({ id: `job_${head.seq}`, account, name: `${canary}-name`, doc: `{"run":"${canary}"}` })],
    usage: [usageOf({ account })],
    audit: [auditOf({ seq: head.seq + 1, account, target: `${canary}-target`, detail: `${canary}-detail` })],
    books: [
      ...[bookOf(head.seq + 1, 0, "floor", account), bookOf(head.seq + 1, 1, "invoice", `${canary}-org-1`)],
      ...[bookOf(head.seq + 1, 2, "usage", "lease-1")],
    ],
  };
  const line = `{"command":"${canary}"}`;
  const events = Array.from({ length: small ? 1 : 1_000 }, () => line);
  const privates = [{ kind: "person", key: `acc_1/${canary}-key`, value: Buffer.from(`${canary} value`) }];
  await store.append(batchAfter(head, { events, projected, privates }));
  const seq = head.seq + 1;
  await store.writeSnapshot({ seq, schema: 1, hash: Buffer.alloc(32, 7), bytes: Buffer.from(`${canary} state`) });
}

function bookOf(seq: number, index: number, kind: string, key: string) {
  return { seq, index, kind, key, tenant: `${canary}-org`, fromAt: 1, toAt: 2, doc: `{"account":"${canary}"}` };
}

function filesWithCanary(dir: string): string[] {
  return readdirSync(dir).filter((name) => readFileSync(join(dir, name), "latin1").includes(canary));
}

async function everythingIn(dir: string, keys: readonly StoreKey[]) {
  const reader = await openSqliteReader(dir, keys);
  const projected: Projected[] = [];
  for await (const page of reader.projected()) projected.push(page);
  const chain = await checkChain(reader);
  const snapshot = await reader.latestSnapshot();
  const all = {
    head: await reader.head(),
    rows: (await reader.rows(1, 100)).map(lineOf),
    lines: (await reader.eventLines(1, 100)).map((row) => ({ ...row })),
    snapshot: [snapshot?.hash, snapshot?.bytes].map((bytes) => Buffer.from(bytes ?? []).toString("hex")),
    privates: [...(await reader.privates("person"))].map(([key, value]) => [key, Buffer.from(value).toString()]),
    byAccount: await reader.jobs({ accounts: [`${canary}-org`], limit: 9 }),
    byName: await reader.jobs({ accounts: [], name: `${canary}-name`, limit: 9 }),
    audit: await reader.audit({ accounts: [`${canary}-org/${canary}-team`], target: `${canary}-target`, limit: 9 }),
    invoices: await reader.books({ kind: "invoice", key: `${canary}-org-1`, tenant: `${canary}-org` }),
    usage: await reader.usage([`${canary}-org`], 0, Number.MAX_SAFE_INTEGER),
  };
  await reader.close();
  assert.ok(chain.sound);
  return { ...all, projected };
}

/** The parts of it that write, each for itself. */
function boundOf(sealing: Sealing): Sealing {
  return {
    ...plain,
    by: sealing.by,
    row: (row) => sealing.row(row),
    snapshot: (snapshot) => sealing.snapshot(snapshot),
    column: (table, column, value) => sealing.column(table, column, value),
    bookKey: (kind, key) => sealing.bookKey(kind, key),
    privateKey: (kind, key) => sealing.privateKey(kind, key),
    private: (row) => sealing.private(row),
  };
}

function folderFor(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "tessera-sealed-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

describe("a sealed store", () => {
  it("shows nothing that a tenant wrote in any of its files, also while it is written to", async (t) => {
    const dir = folderFor(t);
    await sealEmpty({ dir }, first.id);
    const store = await openSqliteStore(dir, { keys: [first] });
    await writeCanaries(store);
    await writeCanaries(store, false); // committed by a thread of its own
    assert.deepEqual(filesWithCanary(dir), []);
    await store.close();
    assert.deepEqual(filesWithCanary(dir), []);
    const { byAccount, byName, audit, invoices, usage, privates } = await everythingIn(dir, [first]);
    assert.deepEqual(
      [byAccount, byName, audit, invoices, usage].map((rows) => rows.length),
      [2, 2, 2, 2, 2],
    );
    assert.deepEqual(privates, [[`acc_1/${canary}-key`, `${canary} value`]]);
  });

  it("is sealed, sealed by another key and opened again with every hash and every answer as before", async (t) => {
    const dir = folderFor(t);
    const store = await openSqliteStore(dir);
    await writeCanaries(store);
    await store.close();
    assert.deepEqual(filesWithCanary(dir), ["store.sqlite"]);
    const before = await everythingIn(dir, []);
    const keys = [first, second];
    await sealStore({ dir, keys }, first.id);
    assert.deepEqual(filesWithCanary(dir), []);
    assert.deepEqual(await everythingIn(dir, [first]), before);
    await assert.rejects(openSqliteReader(dir, [second]), /encrypted with the journal key 00000000000000a1/);
    await sealStore({ dir, keys }, second.id);
    assert.deepEqual(await everythingIn(dir, [second]), before);
    await sealStore({ dir, keys }, undefined);
    assert.deepEqual(await everythingIn(dir, []), before);
  });

  it("would be seen through if any one of its seals were left out", async (t) => {
    const dir = folderFor(t);
    const store = await openSqliteStore(dir);
    await writeCanaries(store);
    await store.close();
    const reader = await openSqliteReader(dir);
    const shownWith = async (sealing: Sealing) => {
      const to = join(folderFor(t), "store.sqlite");
      await fillFile(to, reader, sealing);
      return readFileSync(to, "latin1").includes(canary);
    };
    const whole = sealingOf(first.id, [first], dir);
    assert.equal(await shownWith(boundOf(whole)), false);
    for (const left of ["row", "snapshot", "bookKey", "private"] as const)
      assert.ok(await shownWith({ ...boundOf(whole), [left]: plain[left] }), left);
    for (const [table, columns] of Object.entries(sealedColumns))
      for (const left of Object.keys(columns)) {
        const column: Sealing["column"] = (its, name, value) =>
          its === table && name === left ? value : whole.column(its, name, value);
        assert.ok(await shownWith({ ...boundOf(whole), column }), `${table} ${left}`);
      }
    await reader.close();
  });

  it("names a row that was changed or moved under its seal", async (t) => {
    const dir = folderFor(t);
    await sealEmpty({ dir }, first.id);
    const store = await openSqliteStore(dir, { keys: [first] });
    for (let n = 0; n < 3; n += 1) await writeCanaries(store);
    await store.close();
    const db = new DatabaseSync(fileIn(dir));
    db.exec("DROP TRIGGER journal_is_not_updated");
    db.exec("UPDATE journal SET events = (SELECT events FROM journal WHERE seq = 3) WHERE seq = 2");
    db.close();
    const reader = await openSqliteReader(dir, [first]);
    const check = await checkChain(reader);
    assert.deepEqual([check.sound, "seq" in check && check.seq], [false, 2]);
    await assert.rejects(reader.eventLines(1, 10), NotOpened);
    await reader.close();
  });
});

describe("the ciphers of a store", () => {
  it("open what they sealed in its place, and nothing else", () => {
    const cipher = new Cipher(bytesOf(first));
    const sealed = cipher.seal("row 1", Buffer.from("a"), Buffer.from("b"));
    assert.equal(new Cipher(bytesOf(first)).open("row 1", sealed).toString(), "ab");
    assert.throws(() => cipher.open("row 2", sealed), NotOpened);
    assert.throws(() => new Cipher(bytesOf(second)).open("row 1", sealed), NotOpened);
    assert.notDeepEqual(cipher.seal("row 1", Buffer.from("ab")), sealed);
    for (let i = 0; i < sealed.length; i += 1) {
      const changed = Buffer.from(sealed);
      changed[i]! ^= 1;
      assert.throws(() => cipher.open("row 1", changed), NotOpened, `byte ${i}`);
    }
  });

  it("give equal names the same form in one place and another in another", () => {
    const names = new NameCipher(bytesOf(first));
    const sealed = names.seal("job", "train");
    assert.equal(new NameCipher(bytesOf(first)).seal("job", "train"), sealed);
    assert.equal(new NameCipher(bytesOf(first)).open("job", sealed), "train");
    assert.notEqual(names.seal("account", "train"), sealed);
    assert.throws(() => names.open("account", sealed), NotOpened);
    assert.throws(() => new NameCipher(bytesOf(second)).open("job", sealed), NotOpened);
    assert.throws(() => names.open("job", `${sealed.slice(0, -2)}AA`), NotOpened);
  });
});
