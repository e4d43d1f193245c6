import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type AccountId,
  type Command,
  isRefusal,
  type OperationId,
  plainTerms,
  type UserId,
  writeSnapshot,
} from "@tessera/core";
import { checkChain } from "../../journal/chain.ts";
import { MemoryPlace, openMemoryStore } from "../../store/index.ts";
import { CommitOutage, type Store } from "../../store/port.ts";
import { verify } from "../project/verify.ts";
import { recover } from "./recover.ts";
import { requestOf, Writer } from "./writer.ts";

const clock = { now: () => 1_000_000, at: () => () => {} };
let operations = 0;

function request(command: Command, key?: string) {
  const op = `op_${++operations}` as OperationId;
  const actor = { user: "usr_a" as UserId };
  const idempotency = key === undefined ? undefined : { key, bodyHash: JSON.stringify(command) };
  return requestOf({ kind: "command", v: 1, op, actor, request: op, command, idempotency });
}

const account = (path: string) =>
  request({ kind: "account.create", id: `acc_${path}` as AccountId, path, terms: plainTerms });

async function open(store: Store, options: Partial<{ freeBytesMin: number }> = {}): Promise<Writer> {
  const { state, head } = await recover(store);
  return new Writer({ store, state, head, clock, snapshotEveryEvents: 3, freeBytesMin: 0, ...options });
}

describe("the writer", () => {
  it("[S14] has what it acknowledged after a restart, from the journal alone and from a snapshot", async () => {
    const place = new MemoryPlace();
    const store = await openMemoryStore(place);
    const writer = await open(store);
    await writer.write([account("a"), account("b")]);
    await writer.write([account("c"), account("d")]);
    await writer.snapshotIfDue();
    await writer.write([account("e")]);
    const before = writeSnapshot(writer.state);
    const again = await recover(store);
    assert.equal(writeSnapshot(again.state), before);
    assert.equal(again.snapshotSeq, 2);
    assert.equal(again.eventsReplayed, 1);
    assert.deepEqual([again.head.seq, again.head.events], [writer.head.seq, writer.head.events]);
  });

  it("decides a batch while the one before is on its way, and commits both in order", async () => {
    const store = await openMemoryStore(new MemoryPlace());
    const writer = await open(store);
    const writing = [writer.write([account("a")]), writer.write([account("b")]), writer.write([account("b")])];
    assert.equal((await store.head()).seq, 0);
    const [first, second, refused] = await Promise.all(writing);
    assert.deepEqual([first!.seq, second!.seq, refused!.seq], [1, 2, 2]);
    assert.equal(writeSnapshot((await recover(store)).state), writeSnapshot(writer.state));
  });

  it("[S14] answers nothing of what was decided after a batch that could not be committed", async () => {
    const store = await openMemoryStore(new MemoryPlace());
    const writer = await open(store);
    const append = store.append.bind(store);
    let commits = 0;
    store.append = (batch) => (commits++ === 0 ? Promise.reject(new Error("the disk is gone")) : append(batch));
    const writing = [writer.write([account("a")]), writer.write([account("b")]), writer.write([account("b")])];
    for (const { status } of await Promise.allSettled(writing)) assert.equal(status, "rejected");
    assert.equal((await store.head()).seq, 0);
  });

  it("writes nothing for what is refused, and answers each caller in turn", async () => {
    const store = await openMemoryStore(new MemoryPlace());
    const writer = await open(store);
    const { answers } = await writer.write([account("a"), account("a"), account("b")]);
    assert.equal(isRefusal(answers[0]), false);
    assert.equal(isRefusal(answers[1]) && answers[1].refused, "already-exists");
    assert.equal(isRefusal(answers[2]), false);
    const [row] = await store.rows(1, 10);
    assert.equal(row!.eventCount, 2);
    const none = await writer.write([account("a")]);
    assert.equal(none.events.length, 0);
    assert.equal((await store.head()).seq, 1);
  });

  it("[S14] leaves no snapshot of what could not be committed", async () => {
    const store = await openMemoryStore(new MemoryPlace());
    const writer = await open(store);
    store.append = () => Promise.reject(new Error("the disk is gone"));
    const writing = writer.write([account("a"), account("b"), account("c")]);
    await assert.rejects(writer.snapshotIfDue(), /the disk is gone/);
    await assert.rejects(writing, /the disk is gone/);
    assert.equal(await store.latestSnapshot(), undefined);
  });

  it("[S15] answers a repeated key after a restart with the same result", async () => {
    const store = await openMemoryStore(new MemoryPlace());
    const command = { kind: "user.create", user: "usr_b" as UserId } as const;
    await (await open(store)).write([request(command, "k")]);
    const { answers } = await (await open(store)).write([request(command, "k")]);
    assert.deepEqual(answers[0], { result: "usr_b", repeated: true, at: 1_000_000 });
  });

  it("[S24] leaves an audit record in the same commit as each change", async () => {
    const store = await openMemoryStore(new MemoryPlace());
    await (await open(store)).write([account("a"), account("b")]);
    const records = await store.audit({ accounts: [], limit: 10 });
    assert.deepEqual(records.map((record) => [record.action, record.target, record.seq]).sort(), [
      ["account.create", "a", 1],
      ["account.create", "b", 1],
    ]);
  });

  it("takes nothing new below the free-space watermark, while the rest goes on", async () => {
    const place = new MemoryPlace();
    const store = await openMemoryStore(place);
    const writer = await open(store, { freeBytesMin: 1_000 });
    await writer.write([account("a")]);
    store.freeBytes = async () => 999;
    assert.equal(await writer.lookForRoom(), false);
    const edit = request({ kind: "account.edit", path: "a", terms: plainTerms });
    const { answers } = await writer.write([account("b"), edit]);
    assert.equal(isRefusal(answers[0]) && answers[0].refused, "no-space");
    assert.equal(isRefusal(answers[1]), false);
    store.freeBytes = async () => 1_000;
    assert.equal(await writer.lookForRoom(), true);
    assert.equal(isRefusal((await writer.write([account("b")])).answers[0]), false);
  });

  it("passes a failed commit on, so that the process can end", async () => {
    const store = await openMemoryStore(new MemoryPlace());
    const writer = await open(store);
    store.append = async () => {
      throw new CommitOutage("the disk is gone", false, undefined);
    };
    await assert.rejects(writer.write([account("a")]), CommitOutage);
  });

  it("[S12] keeps a chain that verifies, and names the row in which a byte was changed", async () => {
    const store = await openMemoryStore(new MemoryPlace());
    const writer = await open(store);
    for (const path of ["a", "b", "c"]) await writer.write([account(path)]);
    assert.equal((await checkChain(store)).sound, true);
    const verdict = await verify(store);
    assert.equal(verdict.sound, true, verdict.fault);
    const read = store.rows.bind(store);
    store.rows = async (from, limit) =>
      (await read(from, limit)).map((row) => {
        if (row.seq !== 2) return row;
        const events = Uint8Array.from(row.events);
        events[10]! ^= 1;
        return { ...row, events };
      });
    assert.equal((await verify(store)).badSeq, 2);
  });
});
