import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, it } from "node:test";
import type { SeriesQuery, TelemetryReader } from "./port.ts";
import { readTelemetry } from "./reader.ts";
import { openTelemetry } from "./store.ts";
import { holder, hour, minute, row, rowsOver, start } from "./testing/rows.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "telemetry-layout-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const golden = new URL("../golden/layout-1.golden.jsonl", import.meta.url);
const [vision, speech] = [holder("1", "vision"), holder("2", "speech")];
const open = () => openTelemetry({ dir, warn: assert.fail });
const values = async (from: TelemetryReader, query: Partial<SeriesQuery>) =>
  Object.fromEntries(
    (
      await from.series({
        ...{ metric: "power", by: "none", from: start, to: start + 2 * hour, stepMs: hour, filter: {}, linesMax: 50 },
        ...query,
      })
    ).lines.map(({ key, values }) => [key, values]),
  );

/** The file as layout 1 left it: its schema, its mark, and a line for each chunk. */
function writeFirstLayout(): void {
  const [schema, marks, ...chunks] = readFileSync(golden, "utf8").trimEnd().split("\n");
  const db = new DatabaseSync(join(dir, "telemetry.sqlite"));
  for (const sql of JSON.parse(schema!).schema) db.exec(sql);
  for (const { level, at } of JSON.parse(marks!).marks) db.prepare("INSERT INTO mark VALUES (?, ?)").run(level, at);
  const insert = db.prepare("INSERT INTO chunk VALUES (NULL,?,?,?,?,?,?,?,?,?)");
  for (const line of chunks) {
    const { body, view, level, part, from_at: from, to_at: to, rows, bytes, crc } = JSON.parse(line);
    insert.run(view, level, part, from, to, rows, bytes, crc, Buffer.from(body, "base64"));
  }
  db.exec("PRAGMA user_version = 1");
  db.close();
}

/** Vision has node a at 600 W, speech node b at 300 W, for seventy minutes. */
async function assertSame(store: TelemetryReader) {
  assert.deepEqual(await values(store, {}), { "": [900, 900] });
  assert.deepEqual(await values(store, { by: "account" }), { acc_speech: [300, 300], acc_vision: [600, 600] });
  const accounts = new Set([vision.account]);
  assert.deepEqual(await values(store, { filter: { accounts } }), { "": [600, 600] });
  assert.deepEqual(await values(store, { by: "job", filter: { accounts } }), { job_1: [600, 600] });
  assert.deepEqual(await values(store, { by: "gpu", filter: { node: "local/node-b" } }), { "GPU-b0": [300, 300] });
  const raw = { from: start + 65 * minute, to: start + 66 * minute, stepMs: 10_000, filter: { accounts } };
  assert.deepEqual(await values(store, raw), { "": [600, 600, 600, 600, 600, 600] });
  const busy = await store.busy({ from: start, to: start + 70 * minute, by: "job", filter: { accounts } });
  assert.deepEqual(
    busy.map(({ key, busyMs }) => [key, busyMs]),
    [["job_1", 42 * minute]],
  );
}

it("answers from a folder of layout 1, and makes hours of its minutes", async () => {
  writeFirstLayout();
  await assertSame(readTelemetry(dir));
  const store = open();
  await assertSame(store);
  // The minutes of the second hour are of both layouts, and are joined.
  store.write([...rowsOver(start + 70 * minute, start + 125 * minute, "a0", vision, { powerMilliwatts: 600_000 })]);
  store.write([...rowsOver(start + 70 * minute, start + 125 * minute, "b0", speech, { powerMilliwatts: 300_000 })]);
  await store.close();
  const again = open();
  await assertSame(again);
  assert.deepEqual(await values(again, { by: "lease" }), { "job_1-1-0": [600, 600], "job_2-1-0": [300, 300] });
  await again.close();
  const db = new DatabaseSync(join(dir, "telemetry.sqlite"), { readOnly: true });
  const parts = db.prepare("SELECT DISTINCT part FROM chunk WHERE view = 'lease' AND level = 1 AND to_at > ?");
  for (const { part } of parts.all(start + hour)) assert.match(String(part), /^\d+\/\d+$/);
  db.close();
});

it("keeps a large fleet in parts, and joins them with those of when it was small", async () => {
  const store = open();
  const nodes = 140;
  const sample = (at: number, count: number) =>
    Array.from({ length: count * 8 }, (_, gpu) => ({
      ...row(at, `${gpu}`, gpu < 8 ? vision : speech, { powerMilliwatts: 100_000 }),
      ...{ node: `local/node-${Math.floor(gpu / 8)}`, spanMs: minute },
    }));
  for (let at = start + minute; at <= start + 63 * minute; at += minute) {
    store.write(sample(at, at <= start + 30 * minute ? 2 : nodes));
    if (at % (7 * minute) === 0) await store.flush();
  }
  await store.flush();
  const filter = { node: "local/node-1" };
  const first = { to: start + hour, filter };
  assert.deepEqual(await values(store, first), { "": [800] });
  const minutes = (await values(store, { ...first, stepMs: minute }))[""]!;
  assert.deepEqual(minutes, Array(60).fill(800));
  const late = { from: start + 31 * minute, to: start + 63 * minute, filter: { node: "local/node-139" } };
  assert.deepEqual((await values(store, { ...late, stepMs: minute }))[""]?.at(-1), 800);
  assert.deepEqual(await values(store, { to: start + hour, by: "account" }), {
    acc_speech: [(800 * 30 + 139 * 800 * 30) / 60],
    acc_vision: [800],
  });
  await store.close();
  const db = new DatabaseSync(join(dir, "telemetry.sqlite"), { readOnly: true });
  const parts = db.prepare("SELECT DISTINCT part FROM chunk WHERE view = 'gpu' AND level = 1 AND to_at <= ?");
  assert.deepEqual(
    parts.all(start + hour).map(({ part }) => part),
    ["0/2", "1/2"],
  );
  db.close();
});
