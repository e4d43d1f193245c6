import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type JobId, plainPolicy } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy } from "../../testing/tenancy.ts";
import { limitsOf } from "./limits.ts";

describe("the limits of a member", () => {
  it("are all set: as asked for, else its part of the node, else small ones for a member without GPUs", async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 4));
    const { memoryMiB, cpusMilli } = control.state.fleet.nodes[0]!.facts;
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    const ada = await tenancy.user("ada", "member", "lab");
    const server = await serveApi(control);
    const limits = async (body: object) => {
      const { json } = await server.call(ada.token, "POST", "/v1/jobs", { run: "true", ...body });
      const job = control.state.jobById.get(json.id as JobId)!;
      return limitsOf(control.state, job, job.leases[0]!);
    };
    try {
      const one = await limits({ gpus: 1 });
      assert.deepEqual([one.cpusMilli, one.memoryMiB], [cpusMilli / 4, memoryMiB / 4]);
      const { processesMax, logMiB, scratchMiB, checkpointMiB } = one;
      assert.deepEqual([processesMax, logMiB, scratchMiB, checkpointMiB], [4_096, 1_024, 102_400, 1_048_576]);
      const asked = await limits({ gpus: 1, cpus: 0.5, memory: "3GiB", scratch: "1GiB" });
      assert.deepEqual([asked.cpusMilli, asked.memoryMiB, asked.scratchMiB], [500, 3_072, 1_024]);
      const none = await limits({});
      assert.deepEqual([none.cpusMilli, none.memoryMiB], [1_000, 2_048]);
      await control.must({
        kind: "policy.set",
        policy: { ...plainPolicy, max: { processesPerMember: 100, logMiBPerMember: 5, scratchMiBPerMember: 7 } },
      });
      const { processesMax: processes, logMiB: log, scratchMiB: scratch } = await limits({});
      assert.deepEqual([processes, log, scratch], [100, 5, 7]);
    } finally {
      await server.close();
    }
  });
});
