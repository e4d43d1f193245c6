import { environmentOf as environmentAt } from "@tessera/engine";
import { donePath } from "./done.ts";
import { standardPath } from "./job.ts";
import { markVariable } from "./processes.ts";
import type { RunSheet } from "./sheet.ts";

/** The environment of a member on this machine. */
export function environmentOf(
  sheet: RunSheet,
  secrets: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  const { order, network } = sheet;
  return environmentAt(
    order,
    {
      path: standardPath,
      home: sheet.homePath,
      temporary: sheet.temporaryPath,
      cache: sheet.cachePath,
      work: sheet.workPath,
      out: sheet.outPath,
      checkpoint: sheet.checkpointPath,
      done: donePath(sheet),
      masterAddress: network.masterAddress,
      masterPort: network.masterPort,
      addresses: network.addresses,
      choosesGpus: true,
      ...(sheet.devices !== undefined && { devices: sheet.devices }),
      // Where members meet; these two would look for it by the name of the machine.
      ...(network.wall !== undefined && { usual: { GLOO_SOCKET_IFNAME: "eth0", TP_SOCKET_IFNAME: "eth0" } }),
      fixed: { [markVariable]: sheet.mark, ...sheet.partEnv },
    },
    secrets,
  );
}
