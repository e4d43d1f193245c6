import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import type { LogQuery } from "../port.ts";
import { readLog } from "./reader.ts";
import { LogWriter, logNumbers } from "./writer.ts";

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tessera-log-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function read(folder: string, query: LogQuery, ended = AbortSignal.abort()): Promise<string[]> {
  const texts: string[] = [];
  for await (const line of readLog(folder, 0, query, ended)) texts.push(line.text);
  return texts;
}

it("keeps the newest output within its size and drops the oldest file", async (t) => {
  const folder = folderOf(t);
  const writer = new LogWriter(folder, 8_000, 4);
  for (let line = 0; line < 1_000; line += 1) writer.write("stdout", line, [`line ${line}`]);
  writer.close();
  const texts = await read(folder, {});
  assert.equal(logNumbers(folder).length, 4);
  assert.equal(texts.at(-1), "line 999");
  assert.ok(texts.length > 300 && texts.length < 1_000, `${texts.length} lines are kept`);
  const first = Number(texts[0]!.split(" ")[1]);
  assert.deepEqual(
    texts,
    Array.from({ length: 1_000 - first }, (_, index) => `line ${first + index}`),
  );
  assert.deepEqual(await read(folder, { tail: 300 }), texts.slice(-300));
  assert.deepEqual(await read(folder, { tail: 5_000 }), texts);
  assert.deepEqual(await read(folder, { tail: 0 }), []);
  assert.deepEqual(await read(folder, { sinceAt: 990 }), texts.slice(-10));
});

it("follows across rotations, in order, and ends when the member is gone", async (t) => {
  const folder = folderOf(t);
  const writer = new LogWriter(folder, 400_000, 4);
  const gone = new AbortController();
  const following = read(folder, { follow: true }, gone.signal);
  const expected: string[] = [];
  for (let line = 0; line < 2_000; line += 1) {
    const text = `line ${line} ${"x".repeat(50)}`;
    expected.push(text);
    writer.write("stderr", Date.now(), [text]);
    if (line % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  writer.close();
  gone.abort();
  assert.deepEqual(await following, expected);
});

it("a reader that was overtaken by the rotation goes on with what is there", async (t) => {
  const folder = folderOf(t);
  const writer = new LogWriter(folder, 1_000, 2);
  writer.write("stdout", 1, ["first"]);
  const lines = readLog(folder, 0, { follow: true }, AbortSignal.timeout(50))[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value?.text, "first");
  for (let line = 0; line < 200; line += 1) writer.write("stdout", 2, [`line ${line}`]);
  writer.close();
  const rest: string[] = [];
  for (let next = await lines.next(); next.done !== true; next = await lines.next()) rest.push(next.value.text);
  assert.equal(rest.at(-1), "line 199");
});

it("skips a line that a full disk tore, and keeps time, stream and rank of the others", async (t) => {
  const folder = folderOf(t);
  const writer = new LogWriter(folder, 1_000_000, 2);
  writer.write("tessera", 5, ["note"]);
  appendFileSync(join(folder, "0.log"), "17\n");
  writer.write("setup", 6, ["made ready"]);
  writer.close();
  const lines = [];
  for await (const line of readLog(folder, 3, {}, AbortSignal.abort())) lines.push(line);
  assert.deepEqual(lines, [
    { at: 5, rank: 3, stream: "tessera", text: "note" },
    { at: 6, rank: 3, stream: "setup", text: "made ready" },
  ]);
});
