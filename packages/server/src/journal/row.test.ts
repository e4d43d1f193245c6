import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkChain } from "./chain.ts";
import type { JournalHead, JournalRow } from "./format.ts";
import { joinLines, linesOf } from "./lines.ts";
import { emptyRoot } from "./merkle.ts";
import { checkProof, checkRow, draftAfter, emptyJournal, headOf, proveEvent, sealRow } from "./row.ts";

const salt = Buffer.from("000102030405060708090a0b0c0d0e0f", "hex");

function eventsOf(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `{"kind":"job-held","n":${i},"name":"größe"}`);
}

function rowAfter(head: JournalHead, eventCount: number): JournalRow {
  const draft = draftAfter(head, {
    at: 1_700_000_000_000 + head.seq,
    op: `op_${head.seq + 1}`,
    epoch: 3,
    inputs: joinLines([`{"kind":"tick","v":1}`, `{"kind":"command","v":1}`]),
    events: joinLines(eventsOf(eventCount)),
    salt,
  });
  return sealRow(draft, head);
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at]! ^= 1;
  return copy;
}

describe("a journal row", () => {
  it("[S12] seals the same bytes into the same hash for ever", () => {
    const row = rowAfter(emptyJournal, 3);
    assert.equal(
      Buffer.from(row.root).toString("hex"),
      "3e562f5ce8378a3820a08cf0e6535cf0edf052b327d8459b5a57d74034ffcde4",
    );
    assert.equal(
      Buffer.from(row.hash).toString("hex"),
      "39f268b338a6a621da6143ea2b7065006dbc272595e8c526f0178404d7423980",
    );
    assert.equal(
      Buffer.from(emptyRoot).toString("hex"),
      "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925",
    );
  });

  it("gives its inputs and events back as they came", () => {
    const row = rowAfter(emptyJournal, 5);
    assert.deepEqual(linesOf(row.events), eventsOf(5));
    assert.deepEqual(linesOf(row.inputs), [`{"kind":"tick","v":1}`, `{"kind":"command","v":1}`]);
    assert.deepEqual(linesOf(rowAfter(emptyJournal, 0).events), []);
  });

  it("refuses a line that holds a line end, since it would come back as two", () => {
    const whole = { at: 0, op: "o", epoch: 0, inputs: joinLines(["1"]), events: joinLines(["2"]), salt };
    const torn = joinLines(["a\nb"]);
    for (const part of [{ inputs: torn }, { events: torn }]) {
      assert.throws(() => sealRow(draftAfter(emptyJournal, { ...whole, ...part }), emptyJournal), /they make 2/);
    }
  });

  it("[S12] is sound after its head, with any number of events", () => {
    let head = emptyJournal;
    for (const count of [0, 1, 2, 3, 4, 5, 7, 8, 9, 200]) {
      const row = rowAfter(head, count);
      assert.equal(checkRow(row, head), undefined);
      assert.equal(row.eventsBefore, head.events);
      head = headOf(row);
    }
    assert.equal(head.events, 239);
  });

  it("[S12] shows any flipped byte and any changed number, and says where", () => {
    const head = headOf(rowAfter(emptyJournal, 2));
    const row = rowAfter(head, 4);
    const changed: [Partial<JournalRow>, RegExp][] = [
      [{ seq: 3 }, /gap: row 3 follows row 1/],
      [{ at: row.at + 1 }, /row 2: broken chain/],
      [{ op: "op_9" }, /row 2: broken chain/],
      [{ epoch: 4 }, /row 2: broken chain/],
      [{ epoch: 2 }, /row 2: epoch 2 is below 3/],
      [{ inputs: flipped(row.inputs, 3) }, /row 2: broken chain/],
      [{ events: flipped(row.events, 3) }, /row 2: its events/],
      [{ events: row.events.subarray(0, row.events.lastIndexOf(10)) }, /counts 4 events but holds 3/],
      [{ eventCount: 3 }, /counts 3 events but holds 4/],
      [{ eventsBefore: 1 }, /says 1 events came before it, but there were 2/],
      [{ salt: flipped(row.salt, 0) }, /row 2: its events/],
      [{ salt: row.salt.subarray(1) }, /row 2: a number is out of range, or a salt/],
      [{ at: -1 }, /row 2: a number is out of range/],
      [{ root: flipped(row.root, 31) }, /row 2: its events/],
      [{ hash: flipped(row.hash, 31) }, /row 2: broken chain/],
    ];
    for (const [change, fault] of changed) assert.match(checkRow({ ...row, ...change }, head) ?? "sound", fault);
    assert.match(checkRow(row, { ...head, hash: flipped(head.hash, 0) }) ?? "sound", /row 2: broken chain/);
    const silent = rowAfter(head, 0);
    assert.match(checkRow({ ...silent, salt: flipped(silent.salt, 0) }, head) ?? "sound", /row 2: broken chain/);
  });

  it("[S12] proves each of its events alone, and nothing that is not in it", () => {
    for (const count of [1, 2, 3, 5, 8, 13]) {
      const head = headOf(rowAfter(emptyJournal, 1));
      const row = rowAfter(head, count);
      for (let index = 0; index < count; index++) {
        const proof = proveEvent(row, head.hash, index);
        assert.equal(proof.event, eventsOf(count)[index]);
        assert.ok(checkProof(proof, row.hash));
        assert.ok(!checkProof({ ...proof, event: `{"kind":"job-held","n":99}` }, row.hash));
        assert.ok(!checkProof({ ...proof, leafSalt: flipped(proof.leafSalt, 0) }, row.hash));
        assert.ok(!checkProof(proof, flipped(row.hash, 0)));
      }
    }
  });

  it("[S23] keeps its salt and the other events out of a proof", () => {
    const row = rowAfter(emptyJournal, 8);
    const proof = proveEvent(row, emptyJournal.hash, 3);
    const shown = Buffer.concat([
      Buffer.from(proof.event),
      proof.leafSalt,
      proof.cover,
      proof.previousHash,
      ...proof.path.map((sibling) => sibling.hash),
    ]);
    assert.equal(shown.indexOf(row.salt), -1);
    assert.equal(proof.path.length, 3);
    assert.equal(shown.indexOf(`"n":2`), -1);
  });
});

describe("the chain of a journal", () => {
  function journalOf(count: number): JournalRow[] {
    const rows: JournalRow[] = [];
    for (let head = emptyJournal; rows.length < count; head = headOf(rows.at(-1)!)) rows.push(rowAfter(head, 2));
    return rows;
  }
  const readerOf = (rows: readonly JournalRow[]) => ({
    rows: async (from: number, limit: number) => rows.filter((row) => row.seq >= from).slice(0, limit),
  });

  it("[S12] is checked page by page to its head", async () => {
    const rows = journalOf(7);
    assert.deepEqual(await checkChain(readerOf(rows), 3), { sound: true, head: headOf(rows[6]!) });
    assert.deepEqual(await checkChain(readerOf([]), 3), { sound: true, head: emptyJournal });
  });

  it("[S12] names the first bad sequence number", async () => {
    const rows = journalOf(7);
    const bad = rows.with(4, { ...rows[4]!, events: flipped(rows[4]!.events, 1) });
    const found = await checkChain(readerOf(bad), 3);
    assert.deepEqual(found, { sound: false, seq: 5, fault: "row 5: its events are not those it was sealed with" });
    const short = rows.toSpliced(2, 1);
    assert.deepEqual(await checkChain(readerOf(short), 3), { sound: false, seq: 3, fault: "gap: row 4 follows row 2" });
  });
});
