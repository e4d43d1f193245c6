import { migModelOf } from "@tessera/core";
import { gpuModelOf } from "@tessera/engine";
import { type Answer, busIdOf, codes, fail, migDevices, migUuidOf, say } from "./answer.ts";
import { computeId, profileId } from "./instances.ts";
import type { FakeDriver, FakeGpu, FakeInstance } from "./state.ts";

/** `-L`. */
export function list({ gpus }: FakeDriver): Answer {
  return say(
    ...gpus.flatMap((gpu, index) => [
      `GPU ${index}: ${gpu.product} (UUID: ${gpu.uuid})`,
      ...migDevices(gpu).map(
        (each, device) => `  MIG ${each.profile.padEnd(11)} Device  ${device}: (UUID: ${migUuidOf(gpu, each)})`,
      ),
    ]),
  );
}

/** `mig -lgi` and `mig -lci`; the newest first, as it was recorded. */
export function listInstances(gpus: readonly (readonly [number, FakeGpu])[], what: "GPU" | "compute"): Answer {
  if (!gpus.some(([, { mig }]) => mig)) return say("No MIG-enabled devices found.");
  const rows = gpus.flatMap(([index, gpu]) => gpu.instances.map((each) => [index, each] as const).reverse());
  if (rows.length === 0) return fail(codes.notFound, "No GPU instances found: Not Found");
  if (what === "GPU") return say(...gpuTable(rows));
  const made = rows.filter(([, { compute }]) => compute);
  return made.length === 0 ? fail(codes.notFound, "No compute instances found: Not Found") : say(...computeTable(made));
}

type Rows = readonly (readonly [number, FakeInstance])[];

function gpuTable(rows: Rows): string[] {
  const line = `+${"-".repeat(57)}+`;
  return [
    line,
    "| GPU instances:                                          |",
    "| GPU   Name               Profile  Instance   Placement  |",
    "|                            ID       ID       Start:Size |",
    `|${"=".repeat(57)}|`,
    ...rows.flatMap(([gpu, each]) => {
      const { profile, gi, start, size } = each;
      const id = String(gi).padStart(2);
      return [
        `|   ${gpu}  MIG ${profile.padEnd(16)} ${profileId(each)}       ${id}          ${start}:${size}     |`,
        line,
      ];
    }),
  ];
}

function computeTable(rows: Rows): string[] {
  const line = `+${"-".repeat(68)}+`;
  return [
    line,
    "| Compute instances:                                                 |",
    "| GPU     GPU       Name             Profile   Instance   Placement  |",
    "|       Instance                       ID        ID       Start:Size |",
    "|         ID                                                         |",
    `|${"=".repeat(68)}|`,
    ...rows.flatMap(([gpu, each]) => {
      const { profile, gi } = each;
      const slices = computeId(each) + 1;
      const cells = `${String(gi).padStart(2)}       MIG ${profile.padEnd(16)} ${computeId(each)}         0          0:${slices}     `;
      return [`|   ${gpu}     ${cells}|`, line];
    }),
  ];
}

/** `-q -x`: the elements that are read here, nested as the tool does. */
export function describe({ gpus, processes }: FakeDriver, meant: readonly FakeGpu[]): Answer {
  const blocks = meant.map((gpu) => {
    const mode = gpu.mig ? "Enabled" : "Disabled";
    const own = processes.filter((each) => each.gpu === gpu.uuid);
    const used = own.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
    return `
	<gpu id="${busIdOf(gpu)}">
		<product_name>${gpu.product}</product_name>
		<mig_mode>
			<current_mig>${mode}</current_mig>
			<pending_mig>${mode}</pending_mig>
		</mig_mode>
		<mig_devices>${
      gpu.mig
        ? migDevices(gpu)
            .map((each, index) => migDevice(gpu, each, index, own))
            .join("")
        : "None"
    }
		</mig_devices>
		<uuid>${gpu.uuid}</uuid>
		<minor_number>${gpu.minor}</minor_number>
		<fb_memory_usage>
			<total>${gpu.memoryMiB} MiB</total>
			<reserved>616 MiB</reserved>
			<used>${used} MiB</used>
			<free>${gpu.memoryMiB - used} MiB</free>
		</fb_memory_usage>
		<bar1_memory_usage>
			<total>262144 MiB</total>
		</bar1_memory_usage>
		<processes>${own.map(processInfo).join("")}
		</processes>
	</gpu>`;
  });
  return say(`<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v13.dtd">
<nvidia_smi_log>
	<driver_version>580.159.04</driver_version>
	<attached_gpus>${meant.length === gpus.length ? gpus.length : meant.length}</attached_gpus>${blocks.join("")}
</nvidia_smi_log>`);
}

function migDevice(gpu: FakeGpu, each: FakeInstance, index: number, processes: FakeDriver["processes"]): string {
  const model = migModelOf(gpuModelOf(gpu.product), gpu.memoryMiB);
  const total = model?.profileByName.get(each.profile)?.memoryMiB ?? 0;
  const used = processes.filter(({ gi }) => gi === each.gi).reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
  return `
		<mig_device>
			<index>${index}</index>
			<gpu_instance_id>${each.gi}</gpu_instance_id>
			<compute_instance_id>0</compute_instance_id>
			<fb_memory_usage>
				<total>${total} MiB</total>
				<reserved>0 MiB</reserved>
				<used>${used} MiB</used>
				<free>${total - used} MiB</free>
			</fb_memory_usage>
		</mig_device>`;
}

function processInfo({ pid, gi, memoryMiB, name }: FakeDriver["processes"][number]): string {
  return `
			<process_info>
				<gpu_instance_id>${gi ?? "N/A"}</gpu_instance_id>
				<compute_instance_id>${gi === undefined ? "N/A" : 0}</compute_instance_id>
				<pid>${pid}</pid>
				<type>C</type>
				<process_name>${name}</process_name>
				<used_memory>${memoryMiB} MiB</used_memory>
			</process_info>`;
}
