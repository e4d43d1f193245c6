import { createHash } from "node:crypto";
import { join } from "node:path";
import type { LeaseOrder } from "@tessera/engine";
import { shown } from "../../limit/closet.ts";
import type { Machine } from "../../limit/machine.ts";

/** Where the MPS server of one GPU and one trust group is, and how it is reached. */
export interface MpsPlace {
  readonly gpu: string;
  /** Ours alone: no tenant can look into it, and each job is shown its own pipe only. */
  readonly folder: string;
  readonly pipe: string;
  readonly log: string;
  /** One small file for each member that uses the server. */
  readonly members: string;
  /** Shared memory through which the server and its clients meet. */
  readonly shm: string;
  /** Under which name daemon and jobs know the pipe: the same for all, and short, since names of sockets are. */
  readonly pipeShown: string;
  /** Words before each program of MPS, which show it the pipe and the shared memory under these names. */
  readonly around: readonly string[];
}

/** Where all servers are, beside what else is known of GPUs. */
export function mpsFolder(gpuFolder: string): string {
  return join(gpuFolder, "mps");
}

/** Tenants that may share a server: those of one trust group, else each by itself. */
export function groupOf({ tenant, tenantTerms }: Pick<LeaseOrder, "tenant" | "tenantTerms">): string {
  const group = tenantTerms?.trust === "trusted" ? tenantTerms.trustGroup : undefined;
  return group === undefined ? `tenant ${tenant}` : `group ${group}`;
}

/** Below here lie the shared memories of all servers; the machine's own is the only memory that is a folder. */
const shmRoot = "/dev/shm/tessera-mps";

export function placeOf(mpsFolder: string, gpu: string, group: string, machine: MpsMachine): MpsPlace {
  const key = createHash("sha256").update(`${mpsFolder}\n${gpu}\n${group}`).digest("hex").slice(0, 24);
  return placeAt(mpsFolder, key, gpu, machine);
}

/** What decides how a server is reached. */
export type MpsMachine = Pick<Machine, "isRoot" | "means">;

export function placeAt(mpsFolder: string, key: string, gpu: string, machine: MpsMachine): MpsPlace {
  const folder = join(mpsFolder, key);
  const pipe = join(folder, "pipe");
  const own = isApart(machine);
  const shm = own ? join(shmRoot, key) : "/dev/shm";
  const pipeShown = own ? shown.mps : pipe;
  return {
    gpu,
    folder,
    pipe,
    log: join(folder, "log"),
    members: join(folder, "members"),
    shm,
    pipeShown,
    around: own
      ? ["unshare", "--mount", "--propagation", "private", "--", "/bin/sh", "-c", show, "tess", pipe, pipeShown, shm]
      : [],
  };
}

const show = 'mount --bind "$1" "$2" && mount --bind "$3" /dev/shm && shift 3 && exec "$@"';

/** Whether jobs of different tenants can be shown different pipes. */
export function isApart({ isRoot, means }: MpsMachine): boolean {
  return isRoot && (means === "bwrap" || means === "unshare");
}
