import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { Slices } from "../slices.ts";
import { sampleGauges } from "./gauges.ts";

/** Counts how often others had their turn. */
class CountedSlices extends Slices {
  turns = 0;

  override get isOver(): boolean {
    return true;
  }

  override next(): Promise<void> {
    this.turns++;
    return super.next();
  }
}

describe("what stands in a minute", () => {
  it("is read with a pause before each reason, so that charts are answered meanwhile", async () => {
    const control = await TestControl.start(undefined, fleetOf(1, 8));
    const tenancy = new Tenancy(control);
    await tenancy.account("acme");
    const ana = await tenancy.user("ana", "member", "acme");
    for (const gpus of [8, 4, 2, 1]) await tenancy.job("acme", ana.id, { gpus }); // the first takes all
    const groups = [...control.state.waiting.groups].length;
    assert.equal(groups, 3);
    const slices = new CountedSlices();
    const standing = await sampleGauges(control.state, control.now(), slices);
    const parts = ["fleet", "held", "quota"].length;
    assert.equal(slices.turns, parts + groups);
    const acme = control.state.accountByPath.get("acme")!.id;
    const waiting = standing.filter(({ name, account }) => name === "waiting" && account === acme);
    assert.equal(
      waiting.reduce((sum, { value }) => sum + value, 0),
      7,
    );
  });
});
