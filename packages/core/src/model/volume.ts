import type { Instant } from "./units.ts";

/** A folder of the machines that jobs of an account and below can mount. */
export interface VolumeTerms {
  readonly path: string;
  readonly readOnly: boolean;
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
