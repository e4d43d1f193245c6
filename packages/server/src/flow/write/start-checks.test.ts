import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Command, OperationId } from "@tessera/core";
import { openStore, StoreDamaged } from "../../store/index.ts";
import type { Store } from "../../store/port.ts";
import { rewriteStore } from "../../store/sqlite/rewrite.ts";
import { fleetOf } from "../../testing/control.ts";
import { projections, verify } from "../project/verify.ts";
import { recover, recoverChecked } from "./recover.ts";
import { requestOf, Writer } from "./writer.ts";

describe("what a start checks", () => {
  let dir: string;
  let said: string[];
  const say = (text: string) => void said.push(text);
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "tessera-start-"));
    said = [];
    await writeSome();
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  /** A few rows, a snapshot, and a few more, as a server that was stopped would leave them. */
  async function writeSome(): Promise<void> {
    const store = await openStore({ dir });
    const writer = await writerOn(store);
    await put(writer, { kind: "node.register", nodes: fleetOf(1, 2) });
    await put(writer, { kind: "epoch.begin", reason: "a" });
    await writer.snapshot();
    await put(writer, { kind: "epoch.begin", reason: "b" });
    await store.writePrivates([{ kind: "person", key: "usr_1", value: Buffer.from("Ada") }]);
    await store.close();
  }
  async function writerOn(store: Store): Promise<Writer> {
    const { state, head } = await recover(store);
    const clock = { now: () => 1_000, at: () => () => {} };
    return new Writer({ store, state, head, clock, snapshotEveryEvents: 1e9, freeBytesMin: 0 });
  }
  let operations = 0;
  async function put(writer: Writer, command: Command): Promise<void> {
    const op = `op_${++operations}` as OperationId;
    await writer.write([requestOf({ kind: "command", v: 1, op, actor: { user: "system" }, request: op, command })]);
  }
  function tamper(statement: string): void {
    const db = new DatabaseSync(join(dir, "store.sqlite"));
    db.exec(`DROP TRIGGER IF EXISTS journal_is_not_updated; ${statement}`);
    db.close();
  }
  async function start(despiteDamage = false) {
    const store = await openStore({ dir }, { say });
    try {
      return await recoverChecked(store, { despiteDamage, say });
    } finally {
      await store.close();
    }
  }

  it("passes a whole store without a word", async () => {
    assert.equal((await start()).damage, undefined);
    assert.deepEqual(said, []);
  });

  it("refuses a journal row that was changed, also before the snapshot, and goes on when told to", async () => {
    tamper("UPDATE journal SET events = CAST(replace(CAST(events AS TEXT), 'H100', 'H200') AS BLOB) WHERE seq = 1");
    await assert.rejects(start(), (error: Error) => {
      assert.ok(error instanceof StoreDamaged);
      assert.match(error.message, /damaged at row 1: .*not those it was sealed with.*restore.*--despite-damage/);
      return true;
    });
    assert.match((await start(true)).damage ?? "", /damaged at row 1/);
    assert.match(said[0]!, /^--despite-damage: The journal is damaged at row 1/);
  });

  it("refuses a journal row that cannot be replayed, whatever it is told", async () => {
    tamper("UPDATE journal SET events = CAST('[{' AS BLOB) WHERE seq = 3");
    await assert.rejects(start(), /damaged at row 3/);
    await assert.rejects(start(true), /damaged at row 3.*cannot be replayed/);
  });

  for (const [what, statement] of [
    ["bytes", "UPDATE snapshot SET bytes = CAST(replace(CAST(bytes AS TEXT), 'H100', 'H200') AS BLOB)"],
    ["row number", "UPDATE snapshot SET seq = 1"],
    ["row number beyond the journal", "UPDATE snapshot SET seq = 99"],
  ] as const) {
    it(`makes the state from the journal when the ${what} of the snapshot changed, and says so`, async () => {
      const { state } = await start();
      tamper(statement);
      const again = await start();
      assert.match(said[0]!, /the snapshot of row \d+ is .*; the state is made from all 3 rows of the journal instead/);
      assert.equal(again.state.epoch, state.epoch);
      assert.deepEqual([...again.state.fleet.models], [...state.fleet.models]);
      said = [];
      await start();
      assert.deepEqual(said, []);
    });
  }

  it("refuses private rows that were changed, and names them", async () => {
    tamper("UPDATE private SET value = CAST('Eve' AS BLOB)");
    await assert.rejects(start(), /private rows are damaged: person usr_1/);
  });

  it("refuses a store whose tables are damaged, which is then written anew from its journal", async () => {
    const file = join(dir, "store.sqlite");
    const whole = await stateOf();
    const db = new DatabaseSync(file);
    const { rootpage } = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'audit'").get()!;
    const { page_size } = db.prepare("PRAGMA page_size").get()!;
    db.close();
    const bytes = readFileSync(file);
    bytes.fill(0, (Number(rootpage) - 1) * Number(page_size), Number(rootpage) * Number(page_size));
    writeFileSync(file, bytes);
    await assert.rejects(start(), /The store is damaged: the table audit.*tess admin rebuild/);
    const old = await rewriteStore({ dir }, projections);
    assert.ok(existsSync(old));
    await start();
    assert.deepEqual(said, []);
    assert.equal(await stateOf(), whole);
  });

  async function stateOf(): Promise<string> {
    const store = await openStore({ dir });
    const { sound, stateHash, fault } = await verify(store);
    await store.close();
    assert.ok(sound, fault);
    return stateHash;
  }

  it("leaves the contents of projections to verify, which names the part", async () => {
    tamper("UPDATE audit SET detail = 'z'");
    await start();
    const store = await openStore({ dir });
    assert.match((await verify(store)).fault ?? "", /the audit projection differs from the journal/);
    await store.close();
  });
});
