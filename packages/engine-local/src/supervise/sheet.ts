import type { LeaseOrder } from "@tessera/engine";
import type { ControlGroup } from "../limit/group.ts";

/**
 * Everything that a supervisor needs for one lease, decided by the engine and written beside the lease. Secret values
 * are not in it: they come through a pipe and stay in memory [S28].
 */
export interface RunSheet {
  readonly order: Omit<LeaseOrder, "secrets">;
  readonly bootId: string;
  /** How each limit will be enforced if everything below can be set up. */
  readonly enforcement: { readonly [limit: string]: string };
  /** Limits that were asked for; a strict order is refused when one of them is not enforced. */
  readonly asked: readonly string[];
  readonly groups: readonly ControlGroup[];
  /** Put before the shell that runs the job: drops rights and closes it in. */
  readonly wrapper: readonly string[];
  /** The wrapper makes a PID namespace: the job cannot leave the tree of its processes. */
  readonly contained: boolean;
  /** A compiled system call filter, handed to the wrapper as descriptor 3. */
  readonly seccompFile?: string;
  /** The unprivileged user to which the directories of the job belong. */
  readonly owner?: number;
  /** On this machine. */
  readonly workFolder: string;
  readonly temporaryFolder: string;
  /** As the job sees them. */
  readonly workPath: string;
  readonly temporaryPath: string;
  readonly logFolder: string;
  readonly hintFile: string;
  readonly logBytesMax: number;
  readonly logFilesMax: number;
}

/** True for a value of `enforcement` that stands for nothing. */
export function isUnenforced(how: string | undefined): boolean {
  return how === undefined || how.startsWith("none");
}
