import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import type { Dice } from "../prove/dice.ts";

/** What was done to a file, in words. */
export type Harm = string;

/** Damages the file at a random place: mostly one bit, sometimes more, sometimes its end. */
export function harm(file: string, dice: Dice, within?: readonly number[]): Harm {
  const bytes = readFileSync(file);
  if (bytes.length === 0) return "nothing: it is empty";
  const at = within === undefined ? dice.whole(0, bytes.length - 1) : dice.pick(within);
  const kind = dice.whole(1, 10);
  if (kind <= 5 || (within !== undefined && kind > 8)) return flip(file, bytes, at, 1 << dice.whole(0, 7));
  if (kind === 6) return overwrite(file, bytes, at, dice.whole(2, 32), () => dice.whole(0, 255));
  if (kind === 7) return overwrite(file, bytes, at - (at % 512), 512, () => 0);
  if (kind === 8) return overwrite(file, bytes, at - (at % 4096), 4096, () => 0);
  truncateSync(file, at);
  return `cut off at ${at} of ${bytes.length}`;
}

function flip(file: string, bytes: Buffer, at: number, bit: number): Harm {
  bytes[at]! ^= bit;
  writeFileSync(file, bytes);
  return `byte ${at} changed by ${bit}`;
}

function overwrite(file: string, bytes: Buffer, from: number, count: number, value: () => number): Harm {
  const to = Math.min(from + count, bytes.length);
  const before = Buffer.from(bytes.subarray(from, to));
  for (let at = from; at < to; at++) bytes[at] = value();
  writeFileSync(file, bytes);
  return before.equals(bytes.subarray(from, to)) ? "nothing: the same bytes" : `bytes ${from} to ${to} written over`;
}
