import type { JobFile } from "@tessera/wire";
import { isGlob, matchesGlob } from "@tessera/wire/glob";

/** A file and where it goes, relative to the destination. */
export interface Chosen {
  readonly file: JobFile;
  readonly to: string;
}

/**
 * The files that a path means. One file goes under its own name; of a folder all that lies below, under its name; of a
 * pattern what it matches, from where its first star stands. The same path in two outputs is the first one's.
 */
export function choose(
  files: readonly JobFile[],
  path: string,
): { readonly chosen: Chosen[]; readonly single: boolean } {
  const seen = new Set<string>();
  const fresh = files.filter(({ path: each }) => !seen.has(each) && seen.add(each));
  const exact = fresh.find((file) => file.path === path);
  if (exact !== undefined) return { chosen: [{ file: exact, to: nameOf(path) }], single: true };
  const inside = fresh.filter((file) => path === "" || file.path.startsWith(`${path}/`));
  if (inside.length > 0) {
    const cut = path === "" ? 0 : path.length - nameOf(path).length;
    return { chosen: inside.map((file) => ({ file, to: file.path.slice(cut) })), single: false };
  }
  if (!isGlob(path)) return { chosen: [], single: false };
  const parts = path.split("/");
  const fixed = parts.slice(0, parts.findIndex(isGlob)).join("/");
  const cut = fixed === "" ? 0 : fixed.length + 1;
  const matching = fresh.filter((file) => matchesGlob(file.path, path));
  return { chosen: matching.map((file) => ({ file, to: file.path.slice(cut) })), single: false };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
