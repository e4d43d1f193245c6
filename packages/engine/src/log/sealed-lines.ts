import type { FileHandle } from "node:fs/promises";
import { frameBytesMax, type LogSeal, lengthBytes, type SealedLog } from "./seal.ts";

/** How much of a file is read at once. */
const blockBytes = 256 * 1024;

/** What seals this file; undefined where it is plain. */
export async function sealOf(file: FileHandle, name: string, seal: LogSeal): Promise<SealedLog | undefined> {
  const header = Buffer.alloc(seal.headerBytes);
  const { bytesRead } = await file.read(header, 0, header.length, 0);
  return seal.isSealed(header.subarray(0, bytesRead)) ? seal.resume(header, name) : undefined;
}

/** The lines of each whole frame from `from` on, and where the next frame begins. */
export async function* framesFrom(
  file: FileHandle,
  sealed: SealedLog,
  from: number,
): AsyncGenerator<{ readonly lines: readonly string[]; readonly next: number }> {
  let at = from;
  let block = Buffer.alloc(0);
  for (;;) {
    const length = block.length < lengthBytes ? 0 : block.readUInt32BE(0);
    if (length > frameBytesMax) throw new Error(`what stands from byte ${at} on is not what was written`);
    const whole = length + 2 * lengthBytes;
    if (block.length < lengthBytes || block.length < whole) {
      const more = Buffer.allocUnsafe(Math.max(blockBytes, whole - block.length));
      const { bytesRead } = await file.read(more, 0, more.length, at + block.length);
      if (bytesRead === 0) return; // the rest of a frame may still be written
      block = Buffer.concat([block, more.subarray(0, bytesRead)]);
      continue;
    }
    const lines = linesOf(sealed.open(at, block.subarray(lengthBytes, lengthBytes + length)));
    block = block.subarray(whole);
    at += whole;
    yield { lines, next: at };
  }
}

/** The frame in which the last `wanted` lines begin and how many of its lines come before; fewer lines where the file has no more. */
export async function tailOf(
  file: FileHandle,
  sealed: SealedLog,
  size: number,
  headerBytes: number,
  wanted: number,
): Promise<{ readonly offset: number; readonly skip: number; readonly lines: number }> {
  let lines = 0;
  let end = size;
  while (end > headerBytes && lines < wanted) {
    const length = (await bytesAt(file, end - lengthBytes, lengthBytes)).readUInt32BE(0);
    const begin = end - length - 2 * lengthBytes;
    if (length > frameBytesMax || begin < headerBytes) return { offset: 0, skip: 0, lines }; // its end is torn: all of it
    const frame = await bytesAt(file, begin + lengthBytes, length);
    lines += linesOf(sealed.open(begin, frame)).length;
    end = begin;
  }
  return { offset: end, skip: Math.max(0, lines - wanted), lines };
}

async function bytesAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, at);
  return bytes;
}

/** A frame holds whole lines. */
function linesOf(plain: Buffer): string[] {
  return plain.toString("utf8").split("\n").slice(0, -1);
}
