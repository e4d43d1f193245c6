import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { ReportWhat } from "@tessera/core";
import type { ControlGroup } from "../limit/group.ts";
import { canaryProbe } from "../part/canary.ts";
import { capabilityFolder, capabilityMajor } from "../part/capabilities.ts";
import { loadProbe } from "../part/load-probe.ts";
import { mpsFolder } from "../part/mps/place.ts";
import { type PreparedPart, preparePart, releasePart } from "../part/part.ts";
import { ScrubFailed } from "../part/scrub.ts";
import { runSmi } from "../part/smi.ts";
import type { PartGround } from "../part/take.ts";
import type { RunSheet } from "./sheet.ts";

/** What became of the GPUs of a member: what to report, and the sheet to go on with where it has them. */
export interface TakenGpus {
  readonly reports: readonly ReportWhat[];
  readonly sheet?: RunSheet;
}

/** Makes the GPUs of the order ready: cut as it needs, cleared of what another tenant left (S4). */
export async function takeGpus(sheet: RunSheet, leaseFolder: string): Promise<TakenGpus> {
  try {
    const part = await preparePart(sheet.order, groundOf(sheet, leaseFolder));
    const reports: ReportWhat[] = [];
    if (part.scrubbed !== undefined) reports.push({ kind: "scrubbed", how: part.scrubbed });
    if (part.reshaped !== undefined) reports.push({ kind: "reshaped", how: part.reshaped });
    return { reports, sheet: withPart(sheet, part) };
  } catch (error) {
    const reason = (error as Error).message;
    await giveGpus(sheet, leaseFolder);
    if (error instanceof ScrubFailed) return { reports: [{ kind: "scrub-failed", reason }] };
    return { reports: [{ kind: "refused", reason: `its GPUs cannot be made ready: ${reason}` }] };
  }
}

/** Once nothing of the member is left. What cannot be given back now is cleared away when the GPU is next taken. */
export async function giveGpus(sheet: RunSheet, leaseFolder: string): Promise<void> {
  await releasePart(sheet.order, groundOf(sheet, leaseFolder)).catch(() => {});
}

function groundOf({ gpuMinors, gpuFolder, bootId, owner, closet }: RunSheet, leaseFolder: string): PartGround {
  return {
    smi: runSmi,
    folder: gpuFolder,
    leases: dirname(leaseFolder),
    bootId,
    gpuMinors,
    scrubber: canaryProbe(gpuFolder),
    measureLoad: loadProbe(owner !== undefined),
    mps: { folder: mpsFolder(gpuFolder), machine: { isRoot: owner !== undefined, means: closet.means } },
  };
}

/** The sheet with what is known only now: which instance it has, and that no other is open to it. */
export function withPart(sheet: RunSheet, part: PreparedPart): RunSheet {
  const { capabilities, devices, env, binds, shm, watch, enforcement } = part;
  const isCut = capabilities.length > 0;
  const fenced = sheet.groups.some(({ limits }) => limits.includes("gpu"));
  const shows = sheet.closet.capabilities !== undefined || (isCut && existsSync(capabilityFolder));
  const namespaced = sheet.contained && sheet.owner !== undefined && shows;
  const wall = fenced ? "devices-cgroup-v1" : namespaced ? "mount-namespace" : "environment";
  return {
    ...sheet,
    devices,
    partEnv: env,
    ...(watch !== undefined && { shared: watch }),
    enforcement: { ...sheet.enforcement, ...(isCut && { gpu: `mig, ${wall}` }), ...enforcement },
    groups: sheet.groups.map((group) => (group.limits.includes("gpu") ? withOpen(group, capabilities) : group)),
    closet: {
      ...sheet.closet,
      binds: [...sheet.closet.binds, ...binds],
      ...(shm !== undefined && { sharedShm: shm }),
      ...(namespaced && { capabilities }),
    },
  };
}

function withOpen(group: ControlGroup, capabilities: readonly number[]): ControlGroup {
  const major = capabilityMajor();
  const open = capabilities.map((minor) => ({ file: "devices.allow", value: `c ${major}:${minor} r` }));
  return major === undefined ? group : { ...group, settings: [...group.settings, ...open] };
}
