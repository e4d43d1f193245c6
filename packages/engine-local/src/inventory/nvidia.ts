import { type ExecFileException, execFile } from "node:child_process";
import { existsSync } from "node:fs";

/** A GPU as `nvidia-smi` describes it. */
export interface FoundGpu {
  readonly uuid: string;
  readonly model: string;
  readonly memoryMiB: number;
  /** The node in /dev through which a process reaches it. */
  readonly device: string;
}

/**
 * Reads the output of `nvidia-smi -q -x`. Only four elements matter and their nesting is fixed by the tool, so no
 * XML parser is needed; a GPU in which one of them is missing is an error, because a fleet is never shown in part.
 */
export function parseNvidiaSmi(xml: string): FoundGpu[] {
  if (!xml.includes("<nvidia_smi_log>")) throw new Error("nvidia-smi -q -x: the output has no <nvidia_smi_log>");
  const blocks = [...xml.matchAll(/<gpu id="([^"]*)">([\s\S]*?)<\/gpu>/g)];
  const attached = Number(/<attached_gpus>\s*(\d+)\s*</.exec(xml)?.[1] ?? blocks.length);
  if (attached !== blocks.length) {
    throw new Error(`nvidia-smi -q -x: says ${attached} GPUs are attached but describes ${blocks.length}`);
  }
  return blocks.map(([, id = "", block = ""]) => {
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
      model: modelOf(fields.product_name!),
      memoryMiB: Number(fields.fb_memory_usage),
      device: `/dev/nvidia${fields.minor_number}`,
    };
  });
}

/**
 * The short name of a product, as people write it in a job: `NVIDIA H100 80GB HBM3` is `H100-80GB`. The form factor
 * and the memory type are left out; the size stays, because two sizes of one model are not the same offer.
 */
export function modelOf(product: string): string {
  const words = product
    .replace(/[^A-Za-z0-9.]+/g, " ")
    .trim()
    .split(" ")
    .filter((word) => !noise.test(word));
  return words.length === 0 ? "unknown" : words.join("-");
}

const noise = /^(NVIDIA|Tesla|Quadro|GeForce|Graphics|Device|HBM\d*e?|SXM\d*|PCIe|Generation|DRIVE)$/i;

/** The GPUs of this machine; none where there is no NVIDIA driver. A driver that does not answer is an error. */
export async function findGpus(): Promise<FoundGpu[]> {
  const answer = await new Promise<{ xml: string } | { error: ExecFileException }>((resolve) => {
    execFile("nvidia-smi", ["-q", "-x"], { timeout: 30_000, maxBuffer: 64 << 20 }, (error, stdout) => {
      resolve(error === null ? { xml: stdout } : { error });
    });
  });
  if ("xml" in answer) return parseNvidiaSmi(answer.xml);
  if (answer.error.code === "ENOENT") return [];
  // The tool alone (in an image, say) is no GPU; a driver that is there and fails is an outage, not an empty fleet.
  if (!existsSync("/dev/nvidiactl") && !existsSync("/proc/driver/nvidia/version")) return [];
  throw new Error("nvidia-smi -q -x failed although an NVIDIA driver is loaded: the GPUs cannot be listed", {
    cause: answer.error,
  });
}
