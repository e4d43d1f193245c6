import assert from "node:assert/strict";
import { it } from "node:test";
import { Messages } from "./event-stream.ts";

it("an event stream gives the same messages however its text is cut", () => {
  const text =
    ': beat\n\nevent: sync\nid: 1\ndata: {"items":[]}\n\nevent: put\ndata: a\ndata: b\n\nevent: put\ndata: cut';
  for (const size of [1, 2, 7, text.length]) {
    const heard: string[][] = [];
    const messages = new Messages((event, data) => heard.push([event, data]));
    for (let at = 0; at < text.length; at += size) messages.take(text.slice(at, at + size));
    assert.deepEqual(heard, [
      ["sync", '{"items":[]}'],
      ["put", "a\nb"],
    ]);
  }
});
