import type { Role } from "./access.ts";
import type { Trust } from "./account.ts";
import type { AccountNo } from "./ids.ts";
import type { Instant } from "./units.ts";

export type DataAccess = "read" | "write";

/** Which jobs may mount a volume: all that is said must hold; what is absent holds for any. */
export interface DataGrant {
  readonly access: DataAccess;
  /** Jobs of these accounts and below; absent = of the volume's own. */
  readonly accounts?: readonly AccountNo[];
  /** The user has one of these roles at the account of the job. */
  readonly roles?: readonly Role[];
  /** How far the job's tenant is trusted. */
  readonly trust?: readonly Trust[];
  /** The job stays in one of these regions. */
  readonly regions?: readonly string[];
  /** The job says that it is for one of these. */
  readonly purposes?: readonly string[];
}

/** A folder of the machines that jobs can mount: those of its account and below, or those that its grants name. */
export interface VolumeTerms {
  readonly path: string;
  readonly readOnly: boolean;
  /** Any of them is enough; absent = the account and those below. */
  readonly grants?: readonly DataGrant[];
}

export interface Volume extends VolumeTerms {
  readonly createdAt: Instant;
}

/** Folders of the kernel, which no volume shows. */
export const kernelFolders: ReadonlySet<string> = new Set("boot dev proc run sys".split(" "));

/** Folders that the system and the engine need as they are: nothing is mounted there. */
export const systemFolders: ReadonlySet<string> = new Set(
  "bin boot dev etc lib lib32 lib64 libx32 nix proc root run sbin sys tmp usr var".split(" "),
);

/** An absolute path in its plain form, without `.`, `..`, doubled or trailing slashes; undefined for anything else. */
export function plainPath(path: string): string | undefined {
  if (!path.startsWith("/") || path.length > 500 || path.includes("\0")) return undefined;
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  return names.includes("..") || names.length === 0 ? undefined : `/${names.join("/")}`;
}
