import assert from "node:assert/strict";
import { type Command, isRefusal, type JobId, parseJob, type RawJob, type UserId } from "@tessera/core";
import { declareNodes, SimulatedClock, SimulatedEngine, SimulatedFleet } from "@tessera/engine-simulated";
import { openMemoryStore } from "@tessera/server";
import { testPrices } from "@tessera/server/testing/tenancy";
import { VirtualControlPlane } from "./control-plane.ts";

/** A control plane in virtual time over `nodes` nodes of 8 priced GPUs. */
export async function pricedFleet(start: number, nodes: number) {
  const clock = new SimulatedClock(start);
  const store = openMemoryStore();
  const control = new VirtualControlPlane(clock, store);
  const fleet = new SimulatedFleet({ clock, nodes: declareNodes({ count: nodes, gpusEach: 8, model: "H100" }) });
  await control.drive(new SimulatedEngine(fleet));
  const now = () => clock.now();
  const ask = (command: Command) => control.ask(command);
  const must = async (command: Command) => {
    const asked = ask(command);
    assert.ok(await control.settle());
    const done = await asked;
    assert.ok(!isRefusal(done), JSON.stringify(done));
  };
  const submit = async (id: string, account: string, raw: Partial<RawJob>) => {
    const spec = parseJob({ run: "sleep infinity", ...raw }, { after: [] });
    assert.ok(!isRefusal(spec), JSON.stringify(spec));
    const user = "usr_1" as UserId;
    await must({ kind: "job.submit", id: id as JobId, account, user, spec, endedBefore: [] });
  };
  const pass = async (instant: number) =>
    assert.ok((await control.advanceTo(instant)) && (await control.settle()), "it comes to rest");
  await must({ kind: "node.register", nodes: fleet.nodes() });
  await must({ kind: "price.add", version: testPrices });
  return { clock, store, control, state: control.state, now, ask, must, submit, pass };
}
