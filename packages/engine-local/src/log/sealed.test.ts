import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { logSealFor, logSealOf, rewrap, type WrappingKey } from "@tessera/content";
import type { LogQuery } from "@tessera/engine";
import { LogWriter, readLog } from "@tessera/engine/log";

const canary = "canary-77ab";
const newKey = (): WrappingKey => ({ id: randomBytes(8).toString("hex"), key: randomBytes(32) });

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "tessera-log-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function read(folder: string, keys: readonly WrappingKey[], query: LogQuery = {}, ended = AbortSignal.abort()) {
  const find = async (id: string) => keys.find((key) => key.id === id);
  const texts: string[] = [];
  const lines = readLog(folder, 0, query, ended, (start) => logSealFor(start, find, "lease-1"));
  for await (const line of lines) texts.push(line.text);
  return texts;
}

it("a sealed log shows no line, and is read whole, from its end, since a time and while it grows", async (t) => {
  const folder = folderOf(t);
  const key = newKey();
  const writer = new LogWriter(folder, 400_000, 4, logSealOf([key], "lease-1"));
  const gone = new AbortController();
  const following = read(folder, [key], { follow: true }, gone.signal);
  const expected: string[] = [];
  for (let line = 0; line < 2_000; line += 1) {
    expected.push(`line ${line} ${canary}`);
    writer.write("stdout", line, [expected.at(-1)!]);
    if (line % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  writer.write("stdout", 2_000, ["a", "b", "c"]);
  expected.push("a", "b", "c");
  writer.close();
  gone.abort();
  assert.deepEqual(await following, expected);
  assert.deepEqual(await read(folder, [key], { tail: 2 }), ["b", "c"]);
  assert.deepEqual(await read(folder, [key], { tail: 1_500 }), expected.slice(-1_500));
  assert.deepEqual(await read(folder, [key], { sinceAt: 1_999 }), expected.slice(-4));
  for (const name of readdirSync(folder)) assert.ok(!readFileSync(join(folder, name), "latin1").includes(canary));
});

it("a log goes on after a crash in the middle of a frame, and after plain files of an earlier version", async (t) => {
  const folder = folderOf(t);
  const key = newKey();
  new LogWriter(folder, 1_000_000, 4).write("stdout", 1, ["plain"]);
  const first = new LogWriter(folder, 1_000_000, 4, logSealOf([key], "lease-1"));
  first.write("stdout", 2, ["one"]);
  first.write("stdout", 3, ["torn"]);
  first.close();
  truncateSync(join(folder, "1.log"), readFileSync(join(folder, "1.log")).length - 3);
  const second = new LogWriter(folder, 1_000_000, 4, logSealOf([key], "lease-1"));
  second.write("stdout", 4, ["two"]);
  second.close();
  assert.deepEqual(await read(folder, [key]), ["plain", "one", "two"]);
});

it("a log is wrapped by another key while it is written, and opens as nothing else", async (t) => {
  const folder = folderOf(t);
  const [old, next] = [newKey(), newKey()];
  const writer = new LogWriter(folder, 1_000_000, 4, logSealOf([old], "lease-1"));
  writer.write("stdout", 1, ["one"]);
  rewrap(join(folder, "0.log"), [old, next], next);
  writer.write("stdout", 2, ["two"]);
  writer.close();
  assert.deepEqual(await read(folder, [next]), ["one", "two"]);
  assert.match((await read(folder, [old])).join(), /cannot be read: its data key [0-9a-f]{16} was destroyed/);
  appendFileSync(join(folder, "0.log"), readFileSync(join(folder, "0.log")).subarray(-40));
  renameSync(join(folder, "0.log"), join(folder, "3.log"));
  assert.match((await read(folder, [next])).join(), /it is the log of another job/);
});
