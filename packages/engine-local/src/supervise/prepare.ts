import { chown, lstat, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { JobKeys } from "@tessera/content";
import type { ReportWhat } from "@tessera/core";
import { makeGroup } from "../limit/group.ts";
import { setQuota } from "../limit/quota.ts";
import { unpackCode } from "./code.ts";
import { unpackMounted } from "./mounted.ts";
import type { MemberNetwork } from "./network/member-network.ts";
import { filesAllowed } from "./room.ts";
import { isUnenforced, type RunSheet } from "./sheet.ts";
import { removeGroups } from "./tree.ts";

/** On folders that are still empty, or were given the same limits before: what is made in them inherits. */
async function setQuotas({ order: { limits }, workFolder, checkpointFolder }: RunSheet): Promise<void> {
  const { scratchMiB, checkpointMiB } = limits;
  for (const [folder, mib] of [
    [dirname(workFolder), scratchMiB] as const,
    [checkpointFolder, checkpointMiB] as const,
  ]) {
    const fault = mib === undefined ? undefined : await setQuota(folder, mib * 1024, filesAllowed(mib));
    if (fault !== undefined) throw new Error(`the limit on its folders cannot be set: ${fault}`);
  }
}

/** Sets up all that can be set up before the job may run. A limit that does not hold is refused where that was asked. */
export async function prepare(
  sheet: RunSheet,
  network: Pick<MemberNetwork, "open">,
  keys?: JobKeys,
  signal?: AbortSignal,
): Promise<ReportWhat> {
  const open = sheet.asked.filter((limit) => isUnenforced(sheet.enforcement[limit]));
  if (sheet.order.strict && open.length > 0) {
    const named = open.map((limit) => `${limit}: ${sheet.enforcement[limit] ?? "none"}`).join("; ");
    return { kind: "refused", reason: `strict, and not every limit can be enforced here (${named})` };
  }
  try {
    const { workFolder, temporaryFolder, outFolder, checkpointFolder, homeFolder, cacheFolder } = sheet;
    // The folder above the checkpoint stays ours: a job of an earlier attempt could else have put a link in its place.
    await mkdir(dirname(checkpointFolder), { recursive: true, mode: 0o711 });
    await mkdir(dirname(workFolder), { recursive: true, mode: 0o700 });
    await mkdir(checkpointFolder, { recursive: true, mode: 0o700 });
    if (sheet.quota) await setQuotas(sheet);
    await mkdir(workFolder, { recursive: true, mode: 0o700 });
    await unpackCode(sheet, keys, signal);
    await unpackMounted(sheet, keys, signal);
    const folders = [workFolder, temporaryFolder, outFolder, checkpointFolder, homeFolder, cacheFolder];
    for (const path of [dirname(workFolder), ...folders]) {
      await mkdir(path, { recursive: true, mode: 0o700 });
      if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is not a folder`);
      if (sheet.owner !== undefined) await chown(path, sheet.owner, sheet.owner);
    }
    // The job reads what lies here and must not write: we would follow a link that it had laid.
    await mkdir(sheet.doorFolder, { recursive: true, mode: 0o750 });
    if (sheet.owner !== undefined) await chown(sheet.doorFolder, process.getuid!(), sheet.owner);
    for (const group of sheet.groups) makeGroup(group);
    await network.open();
  } catch (error) {
    await removeGroups(sheet.groups);
    return { kind: "refused", reason: `the member cannot be made ready: ${(error as Error).message}` };
  }
  const { devices, order } = sheet;
  const parts = order.part === undefined || devices === undefined ? {} : { devices };
  return { kind: "prepared", engineId: `${process.pid}@${sheet.bootId}`, enforcement: sheet.enforcement, ...parts };
}
