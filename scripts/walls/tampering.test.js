import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer } from "../places/server.js";
import { proveTampering } from "./tampering.js";

test("[S12] tess-verify names every way to change the history of a server", { timeout: 120_000 }, async () => {
  const place = { name: "here", root: process.getuid() === 0, command: (words) => words };
  const { held, seen, results } = await proveTampering({ openServer, place, say: () => {} });
  assert.ok(held, seen);
  assert.ok(results.length > 14, `${results.length} attacks`);
});
