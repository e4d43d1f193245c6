import assert from "node:assert/strict";
import test from "node:test";
import { addresses, creates } from "./addresses.ts";
import { type Route, routes } from "./routes.ts";

test("every route of wire has the same address here", () => {
  const theirs = Object.entries(routes).map(([id, { method, path }]) => [id, `${method} ${path}`]);
  assert.deepEqual({ ...addresses }, Object.fromEntries(theirs));
});

test("the routes that take an Idempotency-Key are those that wire marks", () => {
  const theirs = (Object.entries(routes) as [string, Route][]).filter(([, route]) => route.creates).map(([id]) => id);
  assert.deepEqual(Object.keys(creates).toSorted(), theirs.toSorted());
});
