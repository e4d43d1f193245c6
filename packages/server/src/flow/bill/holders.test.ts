import assert from "node:assert/strict";
import { it } from "node:test";
import { type Charge, hour, type Usage } from "@tessera/core";
import { divideAmongHolders } from "./holders.ts";

const usage = (job: string, account: string) =>
  ({ job, account, model: "H100", topology: "", fromAt: 0, toAt: hour, unitsEach: 2, gpus: ["g"] }) as unknown as Usage;
const charge = (kind: Charge["kind"], account: string, units: number) =>
  ({
    kind,
    account,
    model: "H100",
    topology: "",
    fromAt: 0,
    toAt: hour,
    quantity: BigInt(units * hour),
    micros: 8n,
  }) as unknown as Charge;

it("divides a floor among the time that no charge of its own has paid for, and leaves the rest to nobody", () => {
  const charges = [charge("reserved", "lab", 4), charge("burst", "lab/a", 2)];
  const parts = divideAmongHolders(
    charges,
    [usage("burst", "lab/a"), usage("covered", "lab/b")],
    { fromAt: 0, toAt: hour },
    ({ job }) => job,
  );
  assert.deepEqual(
    parts.map(({ charge: { kind }, key, micros }) => [kind, key, micros]),
    [
      ["burst", "burst", 8n],
      ["reserved", "covered", 4n],
      ["reserved", undefined, 4n],
    ],
  );
});
