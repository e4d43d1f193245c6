import assert from "node:assert/strict";
import test from "node:test";
import { pickLines } from "./log-pick.ts";

test("the last of very many lines are kept, and no more bytes of them than a few MiB", async () => {
  async function* lines(count: number, text: string) {
    for (let at = 0; at < count; at++) yield { at, rank: 0, stream: "stdout", text } as const;
  }
  const atOf = async (count: number, text: string, tail: number) => {
    const kept: number[] = [];
    for await (const { at } of pickLines(lines(count, text), { find: "x" }, tail)) kept.push(at);
    return kept;
  };
  assert.deepEqual(await atOf(50_000, "x", 3), [49_997, 49_998, 49_999]);
  assert.deepEqual(await atOf(10, "y", 3), []);
  const large = await atOf(100, "x".repeat(1024 * 1024), 50);
  assert.deepEqual(large, [96, 97, 98, 99]);
});
