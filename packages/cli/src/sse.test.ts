import assert from "node:assert/strict";
import test from "node:test";
import { readMessages } from "./sse.ts";

async function read(...parts: string[]) {
  const messages = [];
  for await (const message of readMessages(
    (async function* () {
      yield* parts;
    })(),
  )) {
    messages.push(message);
  }
  return messages;
}

test("messages are put together however the network cut them", async () => {
  assert.deepEqual(await read("event: put\nid: 7\nda", 'ta: {"a":1}\n', "\nevent: delete\r\ndata: x\r\n\r\n"), [
    { event: "put", data: '{"a":1}', id: "7" },
    { event: "delete", data: "x", id: undefined },
  ]);
});

test("comments are heartbeats, several data lines are one text, an unfinished message is dropped", async () => {
  assert.deepEqual(await read(": still here\n\ndata: one\ndata: two\n\ndata: half"), [
    { event: "message", data: "one\ntwo", id: undefined },
  ]);
});
