import { type ExecFileException, execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { gpuModelOf } from "@tessera/engine";
import { smiProgram } from "../part/smi.ts";

/** A GPU as `nvidia-smi` describes it. */
export interface FoundGpu {
  readonly uuid: string;
  readonly model: string;
  readonly memoryMiB: number;
  /** Its address on the bus, as the tool spells it. */
  readonly pci: string;
  /** The node in /dev through which a process reaches it. */
  readonly device: string;
}

/**
 * Reads the output of `nvidia-smi -q -x`. Only four elements matter and their nesting is fixed by the tool, so no
 * XML parser is needed; a GPU in which one of them is missing is an error, because a fleet is never shown in part. MIG
 * devices come before the memory of the GPU itself and have the same elements: they are left out.
 */
export function parseNvidiaSmi(xml: string): FoundGpu[] {
  if (!xml.includes("<nvidia_smi_log>")) throw new Error("nvidia-smi -q -x: the output has no <nvidia_smi_log>");
  const blocks = [...xml.matchAll(/<gpu id="([^"]*)">([\s\S]*?)<\/gpu>/g)];
  const attached = Number(/<attached_gpus>\s*(\d+)\s*</.exec(xml)?.[1] ?? blocks.length);
  if (attached !== blocks.length) {
    throw new Error(`nvidia-smi -q -x: says ${attached} GPUs are attached but describes ${blocks.length}`);
  }
  return blocks.map(([, id = "", described = ""]) => {
    const block = described.replace(/<mig_devices>[\s\S]*?<\/mig_devices>/, "");
    const fields = {
      uuid: /<uuid>\s*(GPU-[^\s<]+)\s*<\/uuid>/.exec(block)?.[1],
      product_name: /<product_name>([^<]+)<\/product_name>/.exec(block)?.[1]?.trim(),
      minor_number: /<minor_number>\s*(\d+)\s*</.exec(block)?.[1],
      fb_memory_usage: /<fb_memory_usage>\s*<total>\s*(\d+) MiB\s*</.exec(block)?.[1],
    };
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) throw new Error(`nvidia-smi -q -x: GPU ${id} has no usable <${name}>`);
    }
    return {
      uuid: fields.uuid!,
      model: gpuModelOf(fields.product_name!),
      memoryMiB: Number(fields.fb_memory_usage),
      pci: id,
      device: `/dev/nvidia${fields.minor_number}`,
    };
  });
}

/** The GPUs of this machine; none where there is no NVIDIA driver. A driver that does not answer is an error. */
export async function findGpus(): Promise<FoundGpu[]> {
  const answer = await new Promise<{ xml: string } | { error: ExecFileException }>((resolve) => {
    execFile(smiProgram(), ["-q", "-x"], { timeout: 30_000, maxBuffer: 64 << 20 }, (error, stdout) => {
      resolve(error === null ? { xml: stdout } : { error });
    });
  });
  if ("xml" in answer) return parseNvidiaSmi(answer.xml);
  if (answer.error.code === "ENOENT") return [];
  // The tool alone (in an image, say) is no GPU; a driver that is there and fails is an outage, not an empty fleet.
  if (!hasDriver()) return [];
  throw new Error("nvidia-smi -q -x failed although an NVIDIA driver is loaded: the GPUs cannot be listed", {
    cause: answer.error,
  });
}

/** Whether an NVIDIA driver is loaded on this machine. */
export function hasDriver(): boolean {
  return existsSync("/dev/nvidiactl") || existsSync("/proc/driver/nvidia/version");
}
