import assert from "node:assert/strict";
import { it } from "node:test";
import { fuzz } from "./fuzz.js";

it("[S23] hostile requests get no server error, no hang and nothing of another tenant, and cost no data", async () => {
  const { report, examples, said } = await fuzz({ seconds: 4, seed: 20_260_101 });
  const { serverErrors, hangs, leaks, verified, jobRan, left, requests } = report;
  const told = `${JSON.stringify(examples, null, 1)}\n${said}`;
  assert.deepEqual(
    { serverErrors, hangs, leaks, verified, jobRan, left },
    { serverErrors: 0, hangs: 0, leaks: 0, verified: true, jobRan: true, left: 0 },
    told,
  );
  assert.ok(requests > 100, `${requests} requests`);
});
