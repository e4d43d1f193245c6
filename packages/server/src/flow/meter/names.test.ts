import assert from "node:assert/strict";
import { it } from "node:test";
import { withNames } from "./usage.ts";

it("elements of an array are told apart by their index", async () => {
  const rows = ["job_a.3", "job_a.12", "job_b"].map((key) => ({ key, unitMs: "1" }));
  const nameOfLive = (id: string) => (id === "job_b" ? "train" : id === "job_a.3" ? "sweep" : undefined);
  const reader = { job: async () => ({ name: "sweep" }) };
  const named = await withNames(rows, reader, nameOfLive, ({ unitMs }) => unitMs);
  assert.deepEqual(
    named.map(({ name }) => name),
    ["sweep[3]", "sweep[12]", "train"],
  );
});
