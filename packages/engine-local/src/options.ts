import type { EngineKeys } from "@tessera/content";
import type { Clock } from "@tessera/engine";
import type { Keep } from "./lease/retention.ts";
import type { UserRange } from "./limit/tenants.ts";

export interface LocalEngineOptions {
  /** Where the engine keeps what it must not forget; one folder per machine. */
  readonly dir: string;
  /** The folder of `@tessera/content`, from which code is unpacked and in which results are kept. */
  readonly content?: string;
  /** Folders that no job may see, such as the data folder of the control plane; those of the engine are hidden anyway. One may not be there yet. */
  readonly hide?: readonly string[];
  readonly clock?: Clock;
  /** Declared nodes, as `parseVirtual` reads them, instead of what the machine has. */
  readonly virtual?: string;
  readonly nodeName?: string;
  /** How much of the output of each member is kept, in how many files. */
  readonly logBytesMax?: number;
  readonly logFilesMax?: number;
  /** The user ids that tenants get when this process is root; they must belong to no other user. */
  readonly tenantUsers?: UserRange;
  /** The owner lets tenants run as one user where there is no right to become another. */
  readonly tenantsShareUser?: boolean;
  /** The devices behind the GPUs, by UUID, where they are not the ones that `nvidia-smi` names. */
  readonly gpuDevices?: { readonly [uuid: string]: string };
  readonly keep?: Partial<Keep>;
  /** What logs and content are sealed with; absent = they are plain. */
  readonly keys?: EngineKeys;
  /** A folder of further checks of GPUs, with thresholds: see `checks/`. */
  readonly checks?: string;
  /** The address of a DCGM exporter on this machine, which is then asked what the GPUs do. */
  readonly dcgm?: string;
  /** Where the kernel's messages are read instead of /dev/kmsg, such as a log that is replayed. */
  readonly kernelLog?: string;
}
