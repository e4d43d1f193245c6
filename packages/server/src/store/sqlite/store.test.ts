import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { checkChain } from "../../journal/chain.ts";
import type { JournalPlace } from "../../journal/format.ts";
import { placeAfter } from "../../journal/row.ts";
import { auditOf, batchAfter, versionBeforeJobKeys, withoutJobKeys } from "../../testing/batches.ts";
import { describeStore } from "../../testing/store-suite.ts";
import { CommitOutage } from "../port.ts";
import { fileIn } from "./connect.ts";
import { openFrozenSqliteReader, openSqliteReader, openSqliteStore } from "./store.ts";

describeStore("sqlite", async () => {
  const dir = mkdtempSync(join(tmpdir(), "tessera-store-"));
  const tamper = async (statement: string) => {
    const db = new DatabaseSync(fileIn(dir));
    try {
      db.exec(statement);
    } finally {
      db.close();
    }
  };
  return {
    config: { dir },
    open: () => openSqliteStore(dir),
    read: () => openSqliteReader(dir),
    freeze: async () => openFrozenSqliteReader(dir),
    tamper,
    makeNewer: () => tamper("PRAGMA user_version = 999"),
    makeOlder: () => tamper(`${withoutJobKeys("")}; PRAGMA user_version = ${versionBeforeJobKeys}`),
    remove: async () => rmSync(dir, { recursive: true, force: true }),
  };
});

describe("the SQLite store", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "tessera-store-"));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const appender = fileURLToPath(new URL("../../testing/appender.js", import.meta.url));
  const large = (bytes: number) => ({ events: [`{"text":"${"x".repeat(bytes)}"}`] });

  it("[S19] is refused to a second process, which is told where and who", async () => {
    const store = await openSqliteStore(dir);
    const { status, stderr } = spawnSync(process.execPath, [appender, JSON.stringify({ dir })], { encoding: "utf8" });
    assert.notEqual(status, 0);
    assert.ok(
      stderr.includes(`The store in ${dir} is held by another Tessera server (process ${process.pid})`),
      stderr,
    );
    assert.match(stderr, /Stop that one first, or start this one with another data directory/);
    await store.close();
  });

  it("can be read by its owner only", async () => {
    const inside = join(dir, "new");
    const store = await openSqliteStore(inside);
    await store.append(batchAfter(await store.head()));
    assert.equal(statSync(inside).mode & 0o777, 0o700);
    const files = readdirSync(inside).filter((name) => name.startsWith("store.sqlite"));
    assert.ok(files.length >= 2);
    for (const name of files) assert.equal(statSync(join(inside, name)).mode & 0o777, 0o600, name);
    await store.close();
  });

  it("commits large batches in a thread of their own, between small ones and as wholly", async () => {
    const store = await openSqliteStore(dir);
    const events = Array.from({ length: 1_000 }, (_, i) => `{"n":${i}}`);
    for (const sample of [{}, { events }, {}, { events }, { events }]) {
      const head = await store.head();
      const audit = [auditOf({ seq: head.seq + 1 })];
      const privates = [{ kind: "person", key: `p${head.seq}`, value: Buffer.from("x") }];
      await store.append(batchAfter(head, { ...sample, projected: { audit }, privates }));
    }
    assert.deepEqual(await checkChain(store), { sound: true, head: await store.head() });
    assert.equal((await store.audit({ accounts: [], limit: 10 })).length, 5);
    assert.equal((await store.privates("person")).size, 5);
    await store.close();
  });

  it("chains large batches that are handed over at once, and a small one after them", async () => {
    const store = await openSqliteStore(dir);
    const events = Array.from({ length: 1_000 }, (_, i) => `{"n":${i}}`);
    const appended: Promise<void>[] = [];
    let place: JournalPlace = await store.head();
    for (const sample of [{ events }, { events }, { events }, {}, { events }]) {
      const batch = batchAfter(place, { ...sample, projected: { audit: [auditOf({ seq: place.seq + 1 })] } });
      appended.push(store.append(batch));
      place = placeAfter(batch.row);
    }
    await Promise.all(appended);
    const { hash: _, ...reached } = await store.head();
    assert.deepEqual(reached, place);
    assert.deepEqual(await checkChain(store), { sound: true, head: await store.head() });
    assert.equal((await store.audit({ accounts: [], limit: 10 })).length, 5);
    await store.close();
  });

  it("keeps nothing of what was handed over after a large batch that failed", async () => {
    const store = await openSqliteStore(dir);
    const events = Array.from({ length: 1_000 }, (_, i) => `{"n":${i}}`);
    const first = batchAfter(await store.head(), { events, projected: { audit: [auditOf(), auditOf()] } });
    const second = batchAfter(placeAfter(first.row), { events });
    const third = batchAfter(placeAfter(second.row), { events });
    for (const { status, reason } of (await Promise.allSettled(
      [first, second, third].map((batch) => store.append(batch)),
    )) as PromiseRejectedResult[]) {
      assert.equal(status, "rejected");
      assert.ok(reason instanceof CommitOutage && reason.known, String(reason));
    }
    assert.equal((await store.head()).seq, 0);
    await store.append(batchAfter(await store.head(), { events }));
    assert.equal((await store.head()).seq, 1);
    await store.close();
  });

  it("keeps nothing of a large batch that cannot be committed, and commits the next", async () => {
    const store = await openSqliteStore(dir);
    const events = Array.from({ length: 1_000 }, (_, i) => `{"n":${i}}`);
    const head = await store.head();
    const good = batchAfter(head, { events });
    const gap = { ...good, row: { ...good.row, seq: 7 } };
    await assert.rejects(store.append(gap), (error: Error) => {
      assert.ok(error instanceof CommitOutage && error.known);
      assert.match(error.message, /Writing batch 7 to .* failed, nothing of it was kept: the journal is gapless/);
      return true;
    });
    await store.append(good);
    assert.equal((await store.head()).seq, 1);
    await store.close();
  });

  it("does not take a file of somebody else for its own", async () => {
    const db = new DatabaseSync(fileIn(dir));
    db.exec("CREATE TABLE recipes (x)");
    db.close();
    await assert.rejects(openSqliteStore(dir), /not a Tessera store/);
    writeFileSync(fileIn(dir), "some text that is longer than the header of a database file ".repeat(10));
    await assert.rejects(openSqliteStore(dir), /not a Tessera store/);
    rmSync(fileIn(dir));
    await (await openSqliteStore(dir)).close();
  });

  it("[F6] keeps nothing of a batch that finds the disk full, and goes on when there is room again", async (test) => {
    const disk = join(dir, "disk");
    mkdirSync(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], { stdio: "ignore" });
    } catch {
      return test.skip("mounting a small disk needs root");
    }
    try {
      writeFileSync(join(disk, "ballast"), Buffer.alloc(1_000_000));
      const store = await openSqliteStore(join(disk, "store"));
      let acknowledged = 0;
      const fill = async () => {
        for (;;) {
          await store.append(batchAfter(await store.head(), large(300_000)));
          acknowledged++;
        }
      };
      await assert.rejects(fill(), (error: Error) => {
        assert.ok(error instanceof CommitOutage && error.known);
        assert.match(error.message, /the disk is full/);
        return true;
      });
      assert.ok(acknowledged > 0);
      assert.ok(((await store.freeBytes()) ?? 0) < 1_000_000);
      assert.equal((await store.head()).seq, acknowledged);
      rmSync(join(disk, "ballast"));
      await store.append(batchAfter(await store.head()));
      assert.deepEqual(await checkChain(store), { sound: true, head: await store.head() });
      assert.equal((await store.head()).seq, acknowledged + 1);
      await store.close();
    } finally {
      execFileSync("umount", [disk]);
    }
  });

  it("[F6] calls a commit unknown that failed in writing, and is whole when it is opened again", async () => {
    // A limit on the size of files makes the write of the commit itself fail.
    const run = `ulimit -f 1500; exec "$0" "$@"`;
    const { status, stdout, stderr } = spawnSync(
      "sh",
      ["-c", run, process.execPath, appender, JSON.stringify({ dir })],
      { encoding: "utf8" },
    );
    assert.notEqual(status, 0);
    assert.match(stderr, /whether it was kept is unknown/);
    assert.match(stderr, /known: false/);
    const acknowledged = Number(stdout.trim().split("\n").at(-1));
    assert.ok(acknowledged > 0);
    const store = await openSqliteStore(dir);
    const { seq } = await store.head();
    assert.ok(seq === acknowledged || seq === acknowledged + 1, `acknowledged ${acknowledged}, found ${seq}`);
    assert.equal(await store.findOperation(`op_${seq}`), seq);
    assert.equal((await checkChain(store)).sound, true);
    assert.equal((await store.jobs({ accounts: [], limit: 100_000 })).length, seq);
    await store.close();
  });
});
