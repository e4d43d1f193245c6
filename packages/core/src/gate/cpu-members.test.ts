import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { plainPolicy } from "../model/policy.ts";
import { withUsualShare } from "../submit/usual-share.ts";
import { World } from "../testing/world.ts";
import { reasonFor } from "../why/reason-for.ts";

describe("a tenant's members without GPUs", () => {
  it("[C6] are bounded by the owner's number, over all its accounts, and by the tenant's own", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab").account("lab/a").account("art");
    w.must({ kind: "policy.set", policy: { ...plainPolicy, max: { cpuMembersPerTenant: 3 } } });
    w.submit("a", "lab", { gpus: 0 });
    w.submit("b", "lab/a", { gpus: 0, members: 2 });
    w.submit("c", "lab", { gpus: 0 });
    w.submit("d", "lab", { gpus: 1 });
    w.submit("e", "art", { gpus: 0 });
    assert.deepEqual(
      ["a", "b", "c", "d", "e"].map((id) => w.stateOf(id)),
      ["starting", "starting", "waiting", "starting", "starting"],
    );
    const reason = reasonFor(w.state, w.job("c"), w.now);
    assert.deepEqual([reason.kind, reason.values], ["quota", { cause: "cpu-members", account: "lab", membersMax: 3 }]);
    w.run("a").exit("a", 0);
    assert.equal(w.stateOf("c"), "starting");
    const { terms } = w.state.accountByPath.get("lab")!;
    w.submit("f", "lab", { gpus: 0 });
    assert.equal(w.stateOf("f"), "waiting");
    w.must({ kind: "account.edit", path: "lab", terms: { ...terms, limits: { cpuMembersMax: 4 } } });
    assert.equal(w.stateOf("f"), "starting");
  });

  it("[C6] ask for the owner's usual cores and memory where their job names none, and for less on small nodes", () => {
    const w = new World().nodes(["n0", "H100:2"]).account("lab");
    w.submit("a", "lab", { gpus: 0 });
    const { spec } = w.job("a");
    const share = (given: object, policy = plainPolicy) => {
      const { cpusMilli, memoryMiB, usual } = withUsualShare({ ...spec, ...given }, policy, w.state.fleet);
      return [cpusMilli, memoryMiB, usual];
    };
    assert.deepEqual(share({}), [100, 2_048, { cpus: true, memory: true }]);
    assert.deepEqual(share({ cpusMilli: 50 }), [50, 2_048, { memory: true }]);
    assert.deepEqual(share({ cpusMilli: 50, memoryMiB: 10 }), [50, 10, undefined]);
    const more = { ...plainPolicy, max: { cpuMemberCpusMilli: 1_000_000, cpuMemberMemoryMiB: 1_000_000 } };
    assert.deepEqual(share({}, more).slice(0, 2), [64_000 / 8, 512_000 / 8]);
    assert.deepEqual(share({ gpus: [{ model: "*", count: 1, unitsEach: 21_000 }] }), [0, 0, undefined]);
  });
});
