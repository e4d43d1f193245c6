import { statfs } from "node:fs/promises";

/** What a file system still has for users without privilege. */
export interface Free {
  readonly bytes: number;
  readonly inodes: number;
  /** Below what is kept back for the control plane: its store must be able to write when jobs fill the disk. */
  readonly isScarce: boolean;
}

const mebibyte = 2 ** 20;
/** A twentieth of the disk: enough for what a fast disk takes between two looks, and not half of a small one. */
const floorBytes = { min: 512 * mebibyte, max: 8192 * mebibyte };
const floorShare = 1 / 20;
const floorInodesShare = 1 / 20;

export async function freeAt(folder: string): Promise<Free> {
  const { bavail, bsize, blocks, ffree, files } = await statfs(folder);
  return freeOf({ bytes: bavail * bsize, bytesAll: blocks * bsize, inodes: ffree, inodesAll: files });
}

/** `inodesAll` is 0 where the file system makes them as it goes. */
export function freeOf(found: { bytes: number; bytesAll: number; inodes: number; inodesAll: number }): Free {
  const { bytes, bytesAll, inodes, inodesAll } = found;
  const wanted = Math.min(floorBytes.max, Math.max(floorBytes.min, bytesAll * floorShare));
  const isScarce = bytes < Math.min(wanted, bytesAll / 4) || (inodesAll > 0 && inodes < inodesAll * floorInodesShare);
  return { bytes, inodes: inodesAll > 0 ? inodes : Number.POSITIVE_INFINITY, isScarce };
}
