import { type MigProfile, type MigUse, migModelOf, uncut, withInstance } from "@tessera/core";
import { gpuModelOf } from "@tessera/engine";
import { type Answer, codes, fail } from "./answer.ts";
import type { FakeDriver, FakeGpu, FakeInstance } from "./state.ts";

/** `mig -cgi A,B -C`: one after the other; what was made before a failure stays. */
export function createInstances(driver: FakeDriver, index: number, names: readonly string[], compute: boolean): Answer {
  const gpu = driver.gpus[index]!;
  if (!gpu.mig) return fail(codes.notFound, "No MIG-enabled devices found.");
  const lines: string[] = [];
  for (const name of names) {
    const made = place(gpu, name);
    if (made === undefined) {
      const why = "Insufficient Resources";
      lines.push(`Unable to create a GPU instance on GPU  ${index} using profile ${name}: ${why}`);
      return fail(codes.insufficient, ...lines, `Failed to create GPU instances: ${why}`);
    }
    gpu.instances.push(made);
    const id = String(made.gi).padStart(2);
    lines.push(
      `Successfully created GPU instance ID ${id} on GPU  ${index} using profile MIG ${made.profile} (ID ${profileId(made)})`,
    );
    if (!compute) continue;
    if (driver.faults.compute) {
      const why = "Insufficient Resources";
      lines.push(
        `Unable to create a compute instance on GPU  ${index} GPU instance ID ${id} using profile ${computeId(made)}: ${why}`,
      );
      return fail(codes.insufficient, ...lines, `Failed to create compute instances: ${why}`);
    }
    made.compute = true;
    lines.push(
      `Successfully created compute instance ID  0 on GPU  ${index} GPU instance ID ${id} using profile MIG ${made.profile} (ID  ${computeId(made)})`,
    );
  }
  return { code: 0, lines };
}

function place(gpu: FakeGpu, name: string): FakeInstance | undefined {
  const [profileName = "", slot] = name.split(":");
  const model = migModelOf(gpuModelOf(gpu.product), gpu.memoryMiB);
  const profile = model?.profileByName.get(profileName);
  if (model === undefined || profile === undefined) return undefined;
  const use = gpu.instances.reduce<MigUse>(
    (sum, { profile, start }) => withInstance(model, sum, model.profileByName.get(profile)!, start),
    uncut,
  );
  // Without a slot the driver chooses, and not well: it takes small ones from the end, leaving gaps.
  const starts = slot === undefined ? [...profile.starts].sort(byGap) : [Number(slot)];
  const start = starts.find((each) => fits(() => withInstance(model, use, profile, each)));
  if (start === undefined || !profile.starts.includes(start)) return undefined;
  return { gi: idOf(profile, start), profile: profileName, start, size: profile.memorySlices, compute: false };
}

const byGap = (a: number, b: number) => (a % 2) - (b % 2) || b - a;

function fits(place: () => MigUse): boolean {
  try {
    place();
    return true;
  } catch {
    return false;
  }
}

/** As the driver numbers them: by size, then by place. */
function idOf({ computeSlices, memorySlices }: MigProfile, start: number): number {
  if (memorySlices === 8) return 0;
  if (memorySlices === 4) return 1 + start / 4;
  if (computeSlices === 2) return 3 + start / 2;
  return memorySlices === 1 ? 7 + start : 15 + start / 2;
}

export function profileId({ profile }: FakeInstance): string {
  const ids: { readonly [slices: string]: number } = { "1g": 19, "2g": 14, "3g": 9, "4g": 5, "7g": 0 };
  return String(ids[profile.split(".")[0]!] ?? 15).padStart(2);
}

export function computeId({ profile }: FakeInstance): number {
  return Number.parseInt(profile, 10) - 1;
}

/** `mig -dci` and `mig -dgi`, of one instance or of all. */
export function destroyInstances(driver: FakeDriver, index: number, what: "compute" | "GPU", gi?: number): Answer {
  const gpu = driver.gpus[index]!;
  const meant = gpu.instances.filter((each) => gi === undefined || each.gi === gi);
  const there = what === "compute" ? meant.filter(({ compute }) => compute) : meant;
  if (there.length === 0) {
    const kind = meant.length === 0 ? "GPU instances" : `${what} instances`;
    return fail(codes.notFound, `No ${kind} found: Not Found`);
  }
  const lines: string[] = [];
  for (const instance of there) {
    const id = String(instance.gi).padStart(2);
    const name =
      what === "compute"
        ? `compute instance ID  0 from GPU  ${index} GPU instance ID ${id}`
        : `GPU instance ID ${id} from GPU  ${index}`;
    const used = driver.processes.some(({ gpu: uuid, gi: of }) => uuid === gpu.uuid && of === instance.gi);
    if (used || (what === "GPU" && instance.compute)) {
      const why = "In use by another client";
      return fail(
        codes.inUse,
        ...lines,
        `Unable to destroy ${name}: ${why}`,
        `Failed to destroy ${what} instances: ${why}`,
      );
    }
    if (what === "compute") instance.compute = false;
    else gpu.instances = gpu.instances.filter((each) => each !== instance);
    lines.push(`Successfully destroyed ${name}`);
  }
  return { code: 0, lines };
}
