import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Counters, inactiveLinks } from "./counters.ts";

const uuid = "GPU-7e5c2f8d-0000-0000-0000-000000000001";
const well: Readonly<Record<string, string>> = {
  "ecc.errors.uncorrected.volatile.sram": "0",
  "ecc.errors.uncorrected.volatile.dram": "0",
  "ecc.errors.corrected.volatile.sram": "3",
  "ecc.errors.corrected.volatile.dram": "120",
  "remapped_rows.pending": "No",
  "remapped_rows.failure": "No",
  "remapped_rows.uncorrectable": "0",
  "clocks_event_reasons.hw_thermal_slowdown": "Not Active",
  "clocks_event_reasons.hw_power_brake_slowdown": "Not Active",
  "pcie.link.width.current": "16",
  "pcie.link.width.max": "16",
};

/** A driver that says this; undefined = it lists no GPU. */
function watch(says: () => Readonly<Record<string, string>> | undefined) {
  const counters = new Counters(async ([query = ""]) => {
    if (!query.startsWith("--query-gpu=")) return "";
    const values = says();
    const [, ...fields] = query.slice("--query-gpu=".length).split(",");
    return values === undefined ? "" : `${uuid}, ${fields.map((field) => values[field] ?? "[N/A]").join(", ")}\n`;
  });
  return async () => (await counters.read([uuid])).map(({ source, code }) => `${source} ${code}`);
}

describe("counters of the driver", () => {
  it("are no finding while they are as they should be, or not known", async () => {
    assert.deepEqual(await watch(() => well)(), []);
    assert.deepEqual(await watch(() => ({}))(), []);
  });

  it("are findings above their limits", async () => {
    for (const [field, value, code] of [
      ["ecc.errors.uncorrected.volatile.sram", "1", "ecc sram-uncorrected"],
      ["ecc.errors.uncorrected.volatile.dram", "2", "ecc dram-uncorrected"],
      ["ecc.errors.corrected.volatile.sram", "10001", "ecc sram-corrected"],
      ["remapped_rows.pending", "Yes", "remap pending"],
      ["remapped_rows.failure", "Yes", "remap failed"],
      ["remapped_rows.uncorrectable", "513", "remap exhausted"],
    ] as const)
      assert.deepEqual(await watch(() => ({ ...well, [field]: value }))(), [code]);
  });

  it("are told once, again when they have grown, and again after they were well", async () => {
    let errors = "1";
    const read = watch(() => ({ ...well, "ecc.errors.uncorrected.volatile.dram": errors }));
    assert.equal((await read()).length, 1);
    assert.equal((await read()).length, 0);
    errors = "2";
    assert.equal((await read()).length, 1);
    errors = "0";
    assert.equal((await read()).length, 0);
    errors = "2";
    assert.equal((await read()).length, 1);
  });

  it("that change with the load must be wrong three times in a row", async () => {
    let width = "8";
    const read = watch(() => ({ ...well, "pcie.link.width.current": width }));
    const found = [await read(), await read()];
    width = "16";
    found.push(await read());
    width = "8";
    found.push(await read(), await read());
    assert.deepEqual(found.flat(), []);
    assert.deepEqual(await read(), ["pcie width"]);
  });

  it("miss a GPU that was there", async () => {
    let says: Readonly<Record<string, string>> | undefined = well;
    const read = watch(() => says);
    await read();
    says = undefined;
    assert.deepEqual([await read(), await read()], [["bus lost"], []]);
  });
});

it("links of NVLink that are down are found, unless the GPU uses none", () => {
  const text = `GPU 0: NVIDIA H200 (UUID: ${uuid})
	 Link 0: 26.562 GB/s
	 Link 1: <inactive>
GPU 1: NVIDIA H200 (UUID: GPU-2)
	 Link 0: <inactive>
	 Link 1: <inactive>
`;
  assert.deepEqual(
    [...inactiveLinks(text)],
    [
      [uuid, ["1"]],
      ["GPU-2", []],
    ],
  );
});
