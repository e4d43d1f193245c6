import assert from "node:assert/strict";
import test from "node:test";
import { callAll } from "./call.ts";

test("a list is read to its end, with its path on every page", async (t) => {
  const asked: string[] = [];
  const pages = [{ items: [{ name: "a" }], next: "c1" }, { items: [], next: "c2" }, { items: [{ name: "b" }] }];
  t.mock.method(globalThis, "fetch", async (address: string) => {
    asked.push(address);
    return Response.json(pages[asked.length - 1]);
  });
  const found = await callAll("listSecrets", {}, { at: { account: "lab/nlp" } });
  assert.deepEqual(
    found.map(({ name }) => name),
    ["a", "b"],
  );
  assert.deepEqual(asked, [
    "/v1/accounts/lab%2Fnlp/secrets?limit=1000",
    "/v1/accounts/lab%2Fnlp/secrets?limit=1000&cursor=c1",
    "/v1/accounts/lab%2Fnlp/secrets?limit=1000&cursor=c2",
  ]);
});
