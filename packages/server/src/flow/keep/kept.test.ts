import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type KeptOutput, type LeaseId, plainTerms, type Report, type ReportWhat, type UserId } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { KeptOutputs } from "./kept.ts";

const mebibyte = 2 ** 20;
const day = 24 * 60 * 60 * 1000;
const tree = (letter: string) => letter.repeat(64);
const output = (letter: string, mib: number): KeptOutput => ({
  name: "out",
  tree: tree(letter),
  files: 1,
  bytes: mib * mebibyte,
});

describe("outputs of ended jobs", () => {
  const start = async () => {
    const control = await TestControl.start(undefined, fleetOf(2, 8));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab", { ...plainTerms, limits: { outputsMiBMax: 10, outputsKeptMs: 2 * day } });
    await tenancy.account("lab/vision", { ...plainTerms, limits: { outputsMiBMax: 6 } });
    await tenancy.account("mill");
    const user = (await tenancy.user("ada", "member", "lab")).id as UserId;
    const kept = new KeptOutputs(control);
    control.follow(kept);
    await kept.load(control.now());
    /** Runs a job to its end; what it leaves passes the limits as a driver lets it. */
    const run = async (account: string, ...outputs: KeptOutput[]) => {
      const id = await tenancy.job(account, user, {});
      await control.run(id);
      const { leases } = control.state.jobById.get(id as never)!;
      const [lease] = leases;
      const report: Report = {
        lease: lease!.id as LeaseId,
        sequence: lease!.reportSequence + 1,
        bootId: "",
        at: control.now(),
        what: { kind: "exited", ran: true, code: 0, outputs },
      };
      const admitted = kept.admit(report);
      await control.report(lease!.id, admitted.what);
      return (admitted.what as Extract<ReportWhat, { kind: "exited" }>).outputs ?? [];
    };
    return { control, kept, run };
  };
  const roomOf = async (kept: KeptOutputs, control: TestControl, account: string) => {
    const no = control.state.accountByPath.get(account)!.no;
    return (await kept.orderFor({ account: no, spec: {} } as never)).outputs!.bytesMax / mebibyte;
  };

  it("count in their account and those above, and what does not fit is left out with the reason", async () => {
    const { control, kept, run } = await start();
    assert.equal((await run("lab/vision", output("a", 5)))[0]!.tree, tree("a"));
    assert.deepEqual([await roomOf(kept, control, "lab/vision"), await roomOf(kept, control, "lab")], [1, 5]);
    const [second] = await run("lab/vision", output("b", 2));
    assert.deepEqual([second!.tree, second!.files, second!.left?.files], [undefined, 0, 1]);
    assert.match(second!.left!.why, /the outputs of lab\/vision may hold 6MiB/);
    await run("lab", output("c", 5));
    assert.deepEqual([await roomOf(kept, control, "lab/vision"), await roomOf(kept, control, "lab")], [0, 0]);
    assert.equal(await roomOf(kept, control, "mill"), 100 * 1024, "another tenant has the usual room");
  });

  it("are known again after a restart, and go when their time is over", async () => {
    const { control, kept, run } = await start();
    await run("lab/vision", output("a", 5));
    const lab = control.state.accountByPath.get("lab")!.id;
    const again = new KeptOutputs(control);
    await again.load(control.now());
    assert.deepEqual([...again.treesOf(lab)], [tree("a")]);
    assert.deepEqual([...again.treesOf(control.state.accountByPath.get("mill")!.id)], []);
    assert.equal(await roomOf(again, control, "lab"), 5);
    kept.expire(control.now() + day);
    assert.deepEqual([...kept.treesOf(lab)], [tree("a")]);
    kept.expire(control.now() + 3 * day);
    assert.deepEqual([...kept.treesOf(lab)], []);
    assert.equal(await roomOf(kept, control, "lab"), 10);
  });
});
