import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { parseComputeInstances, parseGpuInstances, parseMigDevices, parseMigMode, parseMigUuids } from "./mig-text.ts";

const gpu = "GPU-bf767555-849c-8e75-0e2f-ea7356e7d1ab";

it("reads the lists of instances as a real driver prints them", () => {
  const instances = `+---------------------------------------------------------+
| GPU instances:                                          |
| GPU   Name               Profile  Instance   Placement  |
|                            ID       ID       Start:Size |
|=========================================================|
|   0  MIG 1g.18gb           19       13          6:1     |
+---------------------------------------------------------+
|   0  MIG 3g.71gb            9        1          0:4     |
+---------------------------------------------------------+`;
  assert.deepEqual(parseGpuInstances(instances), [
    { gi: 13, profile: "1g.18gb", start: 6, size: 1 },
    { gi: 1, profile: "3g.71gb", start: 0, size: 4 },
  ]);
  const compute = `| GPU     GPU       Name             Profile   Instance   Placement  |
|   0     13       MIG 1g.18gb          0         0          0:1     |
|   0      5       MIG 2g.35gb          1         0          0:2     |`;
  assert.deepEqual(parseComputeInstances(compute), [
    { gi: 13, ci: 0 },
    { gi: 5, ci: 0 },
  ]);
  assert.deepEqual(parseGpuInstances("No MIG-enabled devices found."), []);
});

it("reads the uuids of one GPU alone, in both forms that drivers print", () => {
  const list = `GPU 0: NVIDIA H200 (UUID: ${gpu})
  MIG 3g.71gb     Device  0: (UUID: MIG-57cf257a-cd09-5b75-85bc-845d6c2c8b45)
  MIG 1c.2g.35gb  Device  1: (UUID: MIG-GPU-bf767555-849c-8e75-0e2f-ea7356e7d1ab/5/0)
GPU 1: NVIDIA H200 (UUID: GPU-00000000-849c-8e75-0e2f-ea7356e7d1ab)
  MIG 1g.18gb     Device  0: (UUID: MIG-e90b3cfa-dc6d-544e-8d64-ab420ffb2541)`;
  assert.deepEqual(
    [...parseMigUuids(list, gpu)],
    [
      [0, "MIG-57cf257a-cd09-5b75-85bc-845d6c2c8b45"],
      [1, "MIG-GPU-bf767555-849c-8e75-0e2f-ea7356e7d1ab/5/0"],
    ],
  );
});

it("tells a mode that waits for a reset from one that holds", () => {
  assert.deepEqual(["Enabled, Enabled", "Disabled, Disabled", "Disabled, Enabled", "[N/A], [N/A]"].map(parseMigMode), [
    "on",
    "off",
    "pending",
    "none",
  ]);
});

const real = join(import.meta.dirname, "../../../../../shared/facts/h200-mig-nvidia-smi-q.xml");
it("reads which MIG device is which instance", { skip: !existsSync(real) && "the capture is not here" }, () => {
  assert.deepEqual(parseMigDevices(readFileSync(real, "utf8")), [
    { index: 0, gi: 1, ci: 0 },
    { index: 1, gi: 5, ci: 0 },
    { index: 2, gi: 13, ci: 0 },
  ]);
});
