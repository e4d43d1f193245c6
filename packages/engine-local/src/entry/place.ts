import { closeSync, openSync } from "node:fs";
import { join } from "node:path";

/** The kernel takes no longer name for a socket. */
const socketNameBytesMax = 107;

/** A name of a socket in `folder` that is short enough; `release` once it listens or is connected. */
export function socketAt(folder: string, name: string): { readonly path: string; release(): void } {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= socketNameBytesMax || process.platform !== "linux") return { path, release() {} };
  const descriptor = openSync(folder, "r");
  return { path: `/proc/self/fd/${descriptor}/${name}`, release: () => closeSync(descriptor) };
}
