import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { it } from "node:test";
import { Channel, type State } from "./channel.ts";

it("a session that has ended is told in the words of the server", async (t) => {
  const detail = "This session was ended by its user.";
  const server = createServer((_, answer) => {
    answer.writeHead(401, { "content-type": "application/problem+json" });
    // The words come after the status, as they do over a network.
    setTimeout(() => answer.end(JSON.stringify({ status: 401, detail })), 20);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { fetch } = globalThis;
  t.mock.method(globalThis, "fetch", (address: string, init?: RequestInit) => fetch(new URL(address, base), init));
  const state = await new Promise<State>((tell) => new Channel(() => ({}), tell).want(true));
  assert.deepEqual(state, { is: "ended", why: detail });
});
