import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Limits } from "@tessera/engine";
import type { ControlGroup } from "./group.ts";
import type { Hierarchy } from "./hierarchies.ts";

type Setting = ControlGroup["settings"][number];

/** A device that the job must not open. */
export interface DeviceNumber {
  readonly major: number;
  /** `*` = all of them. */
  readonly minor: number | "*";
}

const periodUs = 100_000;
/** The kernel takes no quota below a millisecond. */
const quotaUsMin = 1_000;

/** What all jobs have a limit on together, so that each must be in a group. */
const shared = ["memory", "cpu", "pids"];

/**
 * The groups of one lease: one for each hierarchy that carries a limit it asked for or a limit on all jobs, and one that
 * can end the whole tree at once.
 */
export function planGroups(
  hierarchies: readonly Hierarchy[],
  name: string,
  limits: Limits,
  closedDevices: readonly DeviceNumber[],
): ControlGroup[] {
  const groups = hierarchies.map((hierarchy) => {
    const has = (controller: string) => hierarchy.controllers.includes(controller);
    const settings: Setting[] = [];
    const held: string[] = [];
    const add = (limit: string, more: readonly Setting[]) => {
      settings.push(...more);
      held.push(limit);
    };
    if (limits.memoryMiB > 0 && has("memory")) add("memory", memorySettings(hierarchy, limits.memoryMiB * 2 ** 20));
    if (limits.cpusMilli > 0 && has("cpu")) add("cpu", cpuSettings(hierarchy, limits.cpusMilli));
    if (limits.processesMax > 0 && has("pids"))
      add("processes", [{ file: "pids.max", value: String(limits.processesMax) }]);
    if (closedDevices.length > 0 && hierarchy.version === 1 && has("devices")) {
      add(
        "gpu",
        closedDevices.map(({ major, minor }) => ({ file: "devices.deny", value: `c ${major}:${minor} rwm` })),
      );
    }
    const group: ControlGroup = {
      folder: join(hierarchy.folder, name),
      settings,
      limits: held,
      ends: hierarchy.killFile ? "kill-file" : hierarchy.version === 1 && has("freezer") ? "freezer" : "no",
      ...(held.includes("memory") ? { oomFile: hierarchy.version === 2 ? "memory.events" : "memory.oom_control" } : {}),
    };
    return { group, isNeeded: held.length > 0 || shared.some(has) };
  });
  const ends = (how: ControlGroup["ends"]) => groups.find(({ group }) => group.ends === how)?.group;
  const ender = ends("kill-file") ?? ends("freezer");
  return groups.filter(({ group, isNeeded }) => isNeeded || group === ender).map(({ group }) => group);
}

function memorySettings({ version, folder }: Hierarchy, bytes: number): Setting[] {
  const value = String(bytes);
  if (version === 2) {
    return [
      { file: "memory.max", value },
      { file: "memory.swap.max", value: "0", optional: true },
      // A job that lost one process to its limit is broken; better all of it goes than a part hangs.
      { file: "memory.oom.group", value: "1", optional: true },
    ];
  }
  const swap = existsSync(join(folder, "memory.memsw.limit_in_bytes"));
  return [{ file: "memory.limit_in_bytes", value }, ...(swap ? [{ file: "memory.memsw.limit_in_bytes", value }] : [])];
}

function cpuSettings({ version }: Hierarchy, cpusMilli: number): Setting[] {
  const quotaUs = Math.max(quotaUsMin, (cpusMilli * periodUs) / 1000);
  if (version === 2) return [{ file: "cpu.max", value: `${quotaUs} ${periodUs}` }];
  return [
    { file: "cpu.cfs_period_us", value: String(periodUs) },
    { file: "cpu.cfs_quota_us", value: String(quotaUs) },
  ];
}
