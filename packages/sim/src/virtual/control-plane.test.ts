import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type JobId, parseJob, plainTerms, type UserId, writeSnapshot } from "@tessera/core";
import { declareNodes, SimulatedClock, SimulatedEngine, SimulatedFleet } from "@tessera/engine-simulated";
import { VirtualControlPlane } from "./control-plane.ts";

describe("VirtualControlPlane", () => {
  it("carries jobs from submission to their end in virtual time, and its replica equals the writer's state [S26]", async () => {
    const clock = new SimulatedClock(1_000_000);
    const control = new VirtualControlPlane(clock);
    const fleet = new SimulatedFleet({ clock, nodes: declareNodes({ count: 2, gpusEach: 8, model: "H100" }) });
    const ended: string[] = [];
    control.follow({
      before: (event) => void (event.kind === "job-ended" && ended.push(`${event.outcome} ${event.at}`)),
    });
    await control.drive(new SimulatedEngine(fleet));
    const answers = [
      control.ask({ kind: "node.register", nodes: fleet.nodes() }),
      control.ask({ kind: "account.create", id: "acc_1" as never, path: "lab", terms: plainTerms }),
      control.ask({
        kind: "job.submit",
        id: "job_1" as JobId,
        account: "lab",
        user: "usr_1" as UserId,
        spec: parseJob({ run: "sleep 1h", nodes: 2, gpus: 8, max_time: "2h" }, { after: [] }) as never,
        endedBefore: [],
      }),
    ];
    assert.ok(await control.settle());
    assert.deepEqual(
      (await Promise.all(answers)).map((answer) => "at" in answer),
      [true, true, true],
    );
    assert.equal(control.state.leases.size, 2);
    assert.ok(await control.advanceTo(1_000_000 + 7_200_000));
    // Ready after 5 ms and started after 5 more.
    assert.deepEqual(ended, [`succeeded ${1_000_000 + 3_600_010}`]);
    assert.equal(writeSnapshot(control.state), writeSnapshot(control.written));
    assert.equal(fleet.ran.length, 2);
  });

  it("lets the core's own timers take effect when they are due", async () => {
    const clock = new SimulatedClock(1_000_000);
    const control = new VirtualControlPlane(clock);
    const fleet = new SimulatedFleet({ clock, nodes: declareNodes({ count: 1, gpusEach: 1, model: "H100" }) });
    await control.drive(new SimulatedEngine(fleet));
    const spec = parseJob({ run: "sleep 1", gpus: 1 }, { after: [], notBeforeAt: 1_060_000 });
    void control.ask({ kind: "node.register", nodes: fleet.nodes() });
    void control.ask({ kind: "account.create", id: "acc_1" as never, path: "lab", terms: plainTerms });
    const [id, user] = ["job_1" as JobId, "usr_1" as UserId];
    void control.ask({ kind: "job.submit", id, account: "lab", user, spec: spec as never, endedBefore: [] });
    await control.settle();
    await control.advanceTo(1_059_999);
    assert.equal(control.state.leases.size, 0);
    await control.advanceTo(1_060_001);
    assert.equal(control.state.jobById.get(id)?.placedAt, 1_060_000);
  });

  it("[T10] says so when it does not come to rest", async () => {
    const control = new VirtualControlPlane(new SimulatedClock(1_000_000));
    let users = 0;
    const another = () => void control.ask({ kind: "user.create", user: `usr_${++users}` as UserId });
    control.follow({ after: another });
    another();
    assert.equal(await control.settle(), false);
  });
});
