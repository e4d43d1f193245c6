import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { linesOf } from "../../../packages/server/dist/journal/lines.js";
import { emptyJournal, headOf, sealRow } from "../../../packages/server/dist/journal/row.js";

const columns =
  "seq, at, op, epoch, inputs, events, event_count AS eventCount, events_before AS eventsBefore, salt, root, hash";

/** A copy of a store that a thief with every right on it changes. */
export class StolenStore {
  constructor(data, copy) {
    rmSync(copy, { recursive: true, force: true });
    cpSync(join(data, "store"), join(copy, "store"), { recursive: true });
    cpSync(join(data, "keys"), join(copy, "keys"), { recursive: true });
    this.open(copy);
  }

  /** The store itself, as its operator has it. */
  static of(data) {
    const store = Object.create(StolenStore.prototype);
    store.open(data);
    return store;
  }

  open(folder) {
    this.folder = folder;
    this.db = new DatabaseSync(join(folder, "store", "store.sqlite"));
    // Whoever can write the file can drop what guards it.
    for (const { name } of this.db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
      this.db.exec(`DROP TRIGGER ${name}`);
  }

  rows() {
    return this.db.prepare(`SELECT ${columns} FROM journal ORDER BY seq`).all();
  }

  /** The number of the row with an event of this kind. */
  rowWith(kind) {
    return this.rows().find((row) => linesOf(row.events).some((line) => line.includes(`"kind":"${kind}"`))).seq;
  }

  edit(seq, change) {
    const { events } = this.rows().find((row) => row.seq === seq);
    const text = Buffer.from(events).toString("utf8");
    const changed = change(text);
    if (changed === text) throw new Error(`row ${seq} was not changed: ${text}`);
    this.db.prepare("UPDATE journal SET events = ? WHERE seq = ?").run(Buffer.from(changed), seq);
  }

  delete(from, to = from) {
    this.db.prepare("DELETE FROM journal WHERE seq BETWEEN ? AND ?").run(from, to);
  }

  /** The contents of two rows change places. */
  swap(a, b) {
    const set = this.db.prepare("UPDATE journal SET seq = ? WHERE seq = ?");
    set.run(-1, a);
    set.run(a, b);
    set.run(b, -1);
  }

  /** Seals every row again, as if all had been written as they are now. */
  reseal() {
    const write = this.db.prepare(
      "UPDATE journal SET event_count = ?, events_before = ?, root = ?, hash = ? WHERE seq = ?",
    );
    let head = emptyJournal;
    for (const row of this.rows()) {
      const lines = (bytes) => ({ text: Buffer.from(bytes).toString("utf8"), count: linesOf(bytes).length });
      const draft = { ...row, inputs: lines(row.inputs), events: lines(row.events), eventsBefore: head.events };
      const sealed = sealRow(draft, head);
      write.run(sealed.eventCount, sealed.eventsBefore, sealed.root, sealed.hash, row.seq);
      head = headOf(sealed);
    }
    return head;
  }

  run(text, ...values) {
    this.db.prepare(text).run(...values);
  }

  close() {
    this.db.close();
  }
}
