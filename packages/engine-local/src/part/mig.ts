import { setTimeout as sleep } from "node:timers/promises";
import {
  type GpuInstance,
  parseComputeInstances,
  parseGpuInstances,
  parseMigDevices,
  parseMigMode,
  parseMigUuids,
} from "./mig-text.ts";
import { complaintOf, type Said, type Smi } from "./smi.ts";

/** An instance that is there as it was asked for, with the compute instance that takes all of it. */
export interface MigInstance extends GpuInstance {
  readonly ci: number;
  readonly uuid: string;
}

/** What stands in the way of a cut, in words for the tenant: no names of other jobs. */
export class CutRefused extends Error {}

/** `nvidia-smi` ends so when there is nothing of what it was asked to list or to destroy. */
const notFound = 6;

/** The driver lets go of a process that was killed only a moment after its end. */
const letGoMsMax = 2_000;
const letGoEveryMs = 100;

export async function migMode(smi: Smi, gpu: string): Promise<ReturnType<typeof parseMigMode>> {
  const said = await smi(["--query-gpu=mig.mode.current,mig.mode.pending", "--format=csv,noheader", "-i", gpu]);
  if (said.code !== 0) throw new CutRefused(`the MIG mode of ${gpu} cannot be read: ${complaintOf(said)}`);
  return parseMigMode(said.text);
}

/** Every GPU instance of a GPU; none where MIG is off. */
export async function listInstances(smi: Smi, gpu: string): Promise<GpuInstance[]> {
  const said = await smi(["mig", "-lgi", "-i", gpu]);
  if (said.code === notFound) return [];
  if (said.code !== 0) throw new CutRefused(`the MIG instances of ${gpu} cannot be listed: ${complaintOf(said)}`);
  return parseGpuInstances(said.text);
}

/** Switches MIG mode and reads it back. Answers whether that changed anything. */
export async function setMigMode(smi: Smi, gpu: string, mode: "on" | "off"): Promise<boolean> {
  const before = await migMode(smi, gpu);
  if (before === mode || (mode === "off" && before === "none")) return false;
  if (before === "none") throw new CutRefused(`GPU ${gpu} has no MIG`);
  const said = await whileInUse(() => smi(["-i", gpu, "-mig", mode === "on" ? "1" : "0"]));
  const after = await migMode(smi, gpu);
  if (after === mode) return true;
  const why = after === "pending" ? "the change waits for a reset of the GPU" : complaintOf(said);
  throw new CutRefused(`MIG mode of ${gpu} cannot be switched ${mode}: ${why}`);
}

/** Destroys one instance with what is in it, and looks whether it is gone. */
export async function destroyInstance(smi: Smi, gpu: string, gi: number): Promise<void> {
  const said = await whileInUse(async () => {
    const compute = await smi(["mig", "-dci", "-gi", String(gi), "-i", gpu]);
    if (compute.code !== 0 && compute.code !== notFound) return compute;
    return smi(["mig", "-dgi", "-gi", String(gi), "-i", gpu]);
  });
  if ((await listInstances(smi, gpu)).some((each) => each.gi === gi))
    throw new CutRefused(`a MIG instance of ${gpu} cannot be destroyed: ${complaintOf(said)}`);
}

/**
 * Makes one instance at its start slot; the driver's own choice of slots would spoil layouts. What is made is read back
 * from every list that names it, and whatever was made of an instance that is not right is destroyed again.
 */
export async function createInstance(
  smi: Smi,
  gpu: string,
  { profile, start }: Pick<GpuInstance, "profile" | "start">,
): Promise<MigInstance> {
  const before = new Set((await listInstances(smi, gpu)).map(({ gi }) => gi));
  const said = await smi(["mig", "-cgi", `${profile}:${start}`, "-C", "-i", gpu]);
  const made = (await listInstances(smi, gpu)).filter(({ gi }) => !before.has(gi));
  const [only] = made;
  const whole = made.length === 1 && only?.profile === profile && only.start === start ? only : undefined;
  const found = whole === undefined ? undefined : await identify(smi, gpu, whole);
  if (said.code === 0 && found !== undefined) return found;
  for (const { gi } of made) await destroyInstance(smi, gpu, gi);
  const why = said.code === 0 ? "what was made is not what was asked for" : complaintOf(said);
  throw new CutRefused(`${profile} cannot be made at slot ${start} of ${gpu}: ${why}`);
}

/** Its compute instance and its uuid; undefined where one of the lists does not name it. */
async function identify(smi: Smi, gpu: string, instance: GpuInstance): Promise<MigInstance | undefined> {
  const compute = parseComputeInstances((await smi(["mig", "-lci", "-i", gpu])).text);
  const own = compute.filter(({ gi }) => gi === instance.gi);
  const uuids = parseMigUuids((await smi(["-L"])).text, gpu);
  const devices = parseMigDevices((await smi(["-q", "-x", "-i", gpu])).text);
  const device = devices.find(({ gi, ci }) => gi === instance.gi && ci === own[0]?.ci);
  const uuid = device === undefined ? undefined : uuids.get(device.index);
  return own.length !== 1 || uuid === undefined ? undefined : { ...instance, ci: own[0]!.ci, uuid };
}

async function whileInUse(act: () => Promise<Said>): Promise<Said> {
  const until = performance.now() + letGoMsMax;
  for (;;) {
    const said = await act();
    if (!said.text.includes("In use by another client") || performance.now() > until) return said;
    await sleep(letGoEveryMs);
  }
}

/** Whether two instances need the same memory slice. */
export function overlaps(a: Pick<GpuInstance, "start" | "size">, b: Pick<GpuInstance, "start" | "size">): boolean {
  return a.start < b.start + b.size && b.start < a.start + a.size;
}
