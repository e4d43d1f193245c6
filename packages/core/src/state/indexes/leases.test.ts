import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeaseId } from "../../model/ids.ts";
import { World } from "../../testing/world.ts";

describe("leases by id", () => {
  it("finds each member of a gang, and nothing by an id that is almost one", () => {
    const w = new World().nodes(["n", "H100:8"]).account("a");
    w.submit("gang", "a", { gpus: 1, members: 5 });
    const { leases } = w.state;
    assert.equal(leases.size, 5);
    for (const lease of leases.values()) assert.equal(leases.get(lease.id), lease);
    for (const name of [
      "job_gang-1-5",
      "job_gang-2-0",
      "job_gang-1-",
      "job_gang-1-00",
      "job_gang",
      "-1-0",
      "",
      "x-y-z",
    ])
      assert.equal(leases.has(name as LeaseId), false, name);
  });
});
