import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { checkChain } from "../../journal/chain.ts";
import { batchAfter } from "../../testing/batches.ts";
import { StoreDamaged } from "../port.ts";
import { fileIn, headFileIn } from "./connect.ts";
import { openSqliteStore } from "./store.ts";

describe("a damaged SQLite store", () => {
  let dir: string;
  let said: string[];
  const say = (text: string) => void said.push(text);
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "tessera-store-"));
    said = [];
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const wal = () => `${fileIn(dir)}-wal`;
  const appender = fileURLToPath(new URL("../../testing/appender.js", import.meta.url));

  async function append(rows: number): Promise<void> {
    const store = await openSqliteStore(dir, { say });
    for (let i = 0; i < rows; i++) await store.append(batchAfter(await store.head()));
    await store.close();
  }

  /** Writes rows until a given one was acknowledged, and is killed then; returns the last one acknowledged. */
  async function appendAndKill(until: number): Promise<number> {
    const child = spawn(process.execPath, [appender, JSON.stringify({ dir })], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let acknowledged = 0;
    const lines = createInterface(child.stdout);
    lines.on("line", (line) => {
      acknowledged = Number(line);
      if (acknowledged === until) child.kill("SIGKILL");
    });
    await once(lines, "close");
    return acknowledged;
  }

  function flip(file: string, at: number): void {
    const bytes = readFileSync(file);
    bytes[at]! ^= 0x10;
    writeFileSync(file, bytes);
  }

  it("leaves nothing in the log when it was stopped", async () => {
    await append(20);
    assert.ok(!existsSync(wal()) || statSync(wal()).size === 0);
    assert.match(readFileSync(headFileIn(dir), "utf8"), /row 20, /);
  });

  it("is refused when a bit of its log changed, with both rows and what to do, and is left as it is", async () => {
    const acknowledged = await appendAndKill(60);
    flip(wal(), Math.floor(statSync(wal()).size / 2));
    const before = readFileSync(wal());
    await assert.rejects(openSqliteStore(dir), (error: Error) => {
      assert.ok(error instanceof StoreDamaged);
      const [, from, to, found, noted] =
        /lost rows (\d+) to (\d+): it ends at row (\d+) \(hash [0-9a-f]{16}\), but row (\d+) \(hash [0-9a-f]{16}\)/.exec(
          error.message,
        ) ?? assert.fail(error.message);
      assert.ok(Number(noted) >= acknowledged);
      assert.equal(noted, to);
      assert.equal(Number(found) + 1, Number(from));
      assert.match(error.message, /Restore a backup \(tess admin restore\), or .*tess admin accept-loss/);
      return true;
    });
    assert.deepEqual(readFileSync(wal()), before);
  });

  it("is refused when its log was cut off or is gone", async () => {
    const acknowledged = await appendAndKill(40);
    truncateSync(wal(), Math.floor(statSync(wal()).size * 0.9));
    await assert.rejects(openSqliteStore(dir), StoreDamaged);
    rmSync(wal());
    await assert.rejects(openSqliteStore(dir), new RegExp(`row ${acknowledged}|row ${acknowledged + 1}`));
  });

  it("is refused when another store stands in its place", async () => {
    await append(5);
    const head = readFileSync(headFileIn(dir));
    rmSync(fileIn(dir));
    rmSync(headFileIn(dir));
    const store = await openSqliteStore(dir);
    for (let i = 0; i < 6; i++) await store.append(batchAfter(await store.head(), { op: `op_other_${i}` }));
    await store.close();
    writeFileSync(headFileIn(dir), head);
    await assert.rejects(openSqliteStore(dir), /is not the one that was written here: its row 5 has the hash/);
  });

  it("gives no false alarm however it is killed", async () => {
    for (const until of [1, 2, 7, 30, 90]) {
      const acknowledged = await appendAndKill(until + (await lastRow()));
      assert.ok((await lastRow()) >= acknowledged);
    }
    assert.deepEqual(said, []);
  });

  async function lastRow(): Promise<number> {
    const store = await openSqliteStore(dir, { say });
    assert.equal((await checkChain(store)).sound, true);
    const { seq } = await store.head();
    await store.close();
    return seq;
  }

  it("opens without the lost rows for somebody who decided so, and is refused until that is written", async () => {
    await appendAndKill(40);
    rmSync(wal());
    await (await openSqliteStore(dir, { acceptLoss: true })).close();
    await assert.rejects(openSqliteStore(dir), StoreDamaged);
    const store = await openSqliteStore(dir, { acceptLoss: true });
    await store.append(batchAfter(await store.head(), { op: "op_accepted" }));
    await store.close();
    await (await openSqliteStore(dir, { say })).close();
    assert.deepEqual(said, []);
  });

  it("gets a head file, with a word, when it comes from a version that kept none", async () => {
    await append(3);
    rmSync(headFileIn(dir));
    await append(1);
    assert.deepEqual(said, [`there was no head file ${headFileIn(dir)} yet; it was made for row 3`]);
    said = [];
    await append(1);
    assert.deepEqual(said, []);
  });

  it("tells a damaged head file from a short store, and repairs half of one", async () => {
    await append(3);
    flip(headFileIn(dir), 25);
    await append(1);
    assert.match(said[0]!, /one of the two copies in the head file .* is damaged; .* it was written again/);
    truncateSync(headFileIn(dir), 100);
    await assert.rejects(openSqliteStore(dir), /The head file .*store.head is damaged: neither of its two copies/);
  });
});
