import type { LeaseOrder } from "@tessera/engine";
import type { Closet } from "../limit/closet.ts";
import type { ControlGroup } from "../limit/group.ts";
import type { NetworkSheet } from "../limit/network/networks.ts";
import type { SharedGpu } from "../part/shared.ts";

/**
 * Everything that a supervisor needs for one lease, decided by the engine and written beside the lease. Secret values
 * are not in it: they come through a pipe and stay in memory [S28].
 */
export interface RunSheet {
  readonly order: Omit<LeaseOrder, "secrets">;
  readonly bootId: string;
  /** The minor number of the device behind each of its GPUs that has one. */
  readonly gpuMinors: { readonly [uuid: string]: number };
  /** Where supervisors meet that change the same GPU. */
  readonly gpuFolder: string;
  /** What it may name of its GPUs, once that is made; absent = the GPUs of the order. */
  readonly devices?: readonly string[];
  /** What the environment has for its part of a GPU. */
  readonly partEnv?: { readonly [name: string]: string };
  /** What is watched while it runs on a GPU that is shared without being cut. */
  readonly shared?: SharedGpu;
  /** Unique on this machine, also where two engines know the same lease: names its groups and marks its processes. */
  readonly mark: string;
  /** How each limit will be enforced if everything below can be set up. */
  readonly enforcement: { readonly [limit: string]: string };
  /** Limits that were asked for; a strict order is refused when one of them is not enforced. */
  readonly asked: readonly string[];
  readonly groups: readonly ControlGroup[];
  /** How it meets its gang, and what it reaches beyond. */
  readonly network: NetworkSheet;
  /** The most that each single process may allocate, where no group holds them together. */
  readonly dataKiBMax?: number;
  /** Words before the closet: how it enters its network. */
  readonly networkWords: readonly string[];
  /** What drops rights and closes the job in. */
  readonly closet: Closet;
  /** The closet makes a PID namespace: the job cannot leave the tree of its processes. */
  readonly contained: boolean;
  /** A compiled system call filter, handed to the closet as descriptor 3. */
  readonly seccompFile?: string;
  /** The file system holds the limits on folders; absent = they are watched. */
  readonly quota?: true;
  /** The unprivileged user to which the directories of the job belong. */
  readonly owner?: number;
  /** On this machine. */
  readonly workFolder: string;
  readonly temporaryFolder: string;
  readonly outFolder: string;
  readonly checkpointFolder: string;
  readonly homeFolder: string;
  /** Shared by all jobs of the tenant here. */
  readonly cacheFolder: string;
  /** As the job sees them. */
  readonly workPath: string;
  readonly outPath: string;
  readonly checkpointPath: string;
  readonly homePath: string;
  readonly cachePath: string;
  readonly temporaryPath: string;
  /** Where the contents of tenants are kept; absent = nothing is. */
  readonly contentFolder?: string;
  /**
   * Where scripts for the init to start are laid (`session N` runs the file `N`): ours to write, the job's to read.
   * Here, and as the job sees it.
   */
  readonly doorFolder: string;
  /** Outputs of other jobs that it mounts, and where each is unpacked. */
  readonly mountedTrees: readonly { readonly tree: string; readonly folder: string }[];
  readonly doorPath: string;
  readonly logFolder: string;
  readonly hintFile: string;
  readonly logBytesMax: number;
  readonly logFilesMax: number;
}

/** True where the limit does not hold for the member as a whole: many processes can pass what holds for each of them. */
export function isUnenforced(how: string | undefined): boolean {
  return how === undefined || how.startsWith("none") || how.startsWith("prlimit");
}
