import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { gpuModelOf } from "@tessera/engine";
import { parseNvidiaSmi } from "./nvidia.ts";

const gpu = (index: number, product: string, memoryMiB: number) => `
	<gpu id="00000000:0${index}:00.0">
		<product_name>${product}</product_name>
		<mig_mode>
			<current_mig>Disabled</current_mig>
		</mig_mode>
		<uuid>GPU-5e6f0000-0000-0000-0000-00000000000${index}</uuid>
		<minor_number>${index}</minor_number>
		<fb_memory_usage>
			<total>${memoryMiB} MiB</total>
			<reserved>616 MiB</reserved>
		</fb_memory_usage>
		<bar1_memory_usage>
			<total>262144 MiB</total>
		</bar1_memory_usage>
	</gpu>`;

const smi = (...gpus: string[]) => `<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v13.dtd">
<nvidia_smi_log>
	<driver_version>580.00.00</driver_version>
	<attached_gpus>${gpus.length}</attached_gpus>${gpus.join("")}
</nvidia_smi_log>`;

it("reads each GPU of nvidia-smi with its UUID, model, memory, address and device", () => {
  assert.deepEqual(parseNvidiaSmi(smi(gpu(0, "NVIDIA H200", 143_771), gpu(3, "NVIDIA H100 80GB HBM3", 81_559))), [
    {
      uuid: "GPU-5e6f0000-0000-0000-0000-000000000000",
      model: "H200",
      memoryMiB: 143_771,
      pci: "00000000:00:00.0",
      device: "/dev/nvidia0",
    },
    {
      uuid: "GPU-5e6f0000-0000-0000-0000-000000000003",
      model: "H100-80GB",
      memoryMiB: 81_559,
      pci: "00000000:03:00.0",
      device: "/dev/nvidia3",
    },
  ]);
  assert.deepEqual(parseNvidiaSmi(smi()), []);
});

it("never shows a part of the GPUs", () => {
  assert.throws(() => parseNvidiaSmi("No devices were found"), /nvidia_smi_log/);
  assert.throws(() => parseNvidiaSmi(smi(gpu(0, "NVIDIA H200", 1), "")), /2 GPUs are attached but describes 1/);
  assert.throws(
    () => parseNvidiaSmi(smi(gpu(0, "NVIDIA H200", 1).replace(/<uuid>.*<\/uuid>/, ""))),
    /no usable <uuid>/,
  );
});

it("names a model as people ask for it", () => {
  const names = {
    "NVIDIA H200": "H200",
    "NVIDIA H100 80GB HBM3": "H100-80GB",
    "NVIDIA H100 PCIe": "H100",
    "NVIDIA A100-SXM4-80GB": "A100-80GB",
    "NVIDIA A100-PCIE-40GB": "A100-40GB",
    "Tesla V100-SXM2-32GB": "V100-32GB",
    "NVIDIA L40S": "L40S",
    "NVIDIA GeForce RTX 4090": "RTX-4090",
    "NVIDIA RTX 6000 Ada Generation": "RTX-6000-Ada",
    "NVIDIA B200": "B200",
  };
  for (const [product, model] of Object.entries(names)) assert.equal(gpuModelOf(product), model);
});

const facts = join(import.meta.dirname, "../../../../../shared/facts");
const real = join(facts, "h200-nvidia-smi-q.xml");
const cut = join(facts, "h200-mig-nvidia-smi-q.xml");
it("reads what a real machine with an H200 says", { skip: !existsSync(real) && "the capture is not here" }, () => {
  const [only, ...others] = parseNvidiaSmi(readFileSync(real, "utf8"));
  assert.equal(others.length, 0);
  assert.equal(only?.model, "H200");
  assert.equal(only?.memoryMiB, 143_771);
  assert.equal(only?.device, "/dev/nvidia0");
});

it("reads the same of a GPU that is cut by MIG", { skip: !existsSync(cut) && "the capture is not here" }, () => {
  const [only, ...others] = parseNvidiaSmi(readFileSync(cut, "utf8"));
  assert.equal(others.length, 0);
  assert.deepEqual([only?.model, only?.memoryMiB, only?.device], ["H200", 143_771, "/dev/nvidia0"]);
});
