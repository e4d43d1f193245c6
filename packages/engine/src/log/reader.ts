import { type FSWatcher, watch } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { LogLine, LogQuery } from "../port.ts";
import type { LogSeal, SealedLog } from "./seal.ts";
import { framesFrom, sealOf, tailOf } from "./sealed-lines.ts";
import { logName, logNumbers, streamLetters } from "./writer.ts";

const blockBytes = 256 * 1024;
/** A watch can fail silently; a follower then sees new lines this much later. */
const lookEveryMs = 1_000;

const streamByLetter = new Map(
  Object.entries(streamLetters).map(([stream, letter]) => [letter as string, stream as LogLine["stream"]]),
);

/**
 * The log of one member, from its files alone: a reader that stops reading blocks nothing. Once `ended` is aborted
 * nothing more can be written.
 */
export async function* readLog(
  folder: string,
  rank: number,
  query: LogQuery,
  ended: AbortSignal,
  sealNow?: SealFor,
): AsyncIterable<LogLine> {
  const place = await startOf(folder, query.tail, sealNow);
  const changes =
    query.follow === true
      ? new Changes(folder, [ended, ...(query.signal === undefined ? [] : [query.signal])])
      : undefined;
  try {
    for (;;) {
      if (isAborted(query.signal)) return;
      const gone = ended.aborted; // asked before reading: what was written until then is still read
      let read = false;
      for await (const text of newLines(folder, place, gone, sealNow)) {
        read = true;
        const line = parseLine(text, rank);
        if (line !== undefined && line.at >= (query.sinceAt ?? 0)) yield line;
        if (isAborted(query.signal)) return;
      }
      if (changes === undefined || gone) return;
      if (!read) await changes.next();
    }
  } finally {
    changes?.close();
  }
}

/** What seals a log whose file begins so. */
export type SealFor = (start: Buffer) => Promise<LogSeal>;

/** More than any header has. */
const startBytes = 256;

async function startOfFile(file: FileHandle): Promise<Buffer> {
  const start = Buffer.alloc(startBytes);
  const { bytesRead } = await file.read(start, 0, startBytes, 0);
  return start.subarray(0, bytesRead);
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function parseLine(text: string, rank: number): LogLine | undefined {
  const match = /^(\d+) ([a-z]) ([\s\S]*)$/.exec(text);
  const stream = streamByLetter.get(match?.[2] ?? "");
  if (match === null || stream === undefined) return undefined; // torn by a full disk
  return { at: Number(match[1]), rank, stream, text: match[3]! };
}

interface LogPlace {
  number: number;
  /** Of the next line, or of the next frame where the file is sealed. */
  offset: number;
  /** So many lines of that frame are left out. */
  skip: number;
}

/** Where to begin: the oldest byte, or so far from the end that `tail` lines follow. */
async function startOf(folder: string, tail: number | undefined, sealNow?: SealFor): Promise<LogPlace> {
  const numbers = numbersOrNone(folder);
  if (tail === undefined) return { number: numbers[0] ?? 0, offset: 0, skip: 0 };
  let wanted = tail;
  for (const number of [...numbers].reverse()) {
    const file = await open(join(folder, logName(number)), "r");
    try {
      const { size } = await file.stat();
      if (wanted === 0) return { number, offset: size, skip: 0 };
      const seal = await sealNow?.(await startOfFile(file));
      const sealed = seal && (await sealOf(file, logName(number), seal).catch(() => null));
      if (sealed === null) return { number, offset: 0, skip: 0 }; // the reader says why
      if (seal !== undefined && sealed !== undefined) {
        const { offset, skip, lines } = await tailOf(file, sealed, size, seal.headerBytes, wanted);
        if (lines >= wanted) return { number, offset, skip };
        wanted -= lines;
        continue;
      }
      // The feed that ends line n from the end is the one before the line where the tail begins.
      const found = await feedFromEnd(file, size, wanted + 1);
      if (found.offset !== undefined) return { number, offset: found.offset + 1, skip: 0 };
      wanted -= found.feeds;
      if (wanted <= 0) return { number, offset: 0, skip: 0 };
    } finally {
      await file.close();
    }
  }
  return { number: numbers[0] ?? 0, offset: 0, skip: 0 };
}

async function feedFromEnd(file: FileHandle, size: number, count: number): Promise<{ offset?: number; feeds: number }> {
  let feeds = 0;
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - blockBytes);
    const block = Buffer.alloc(end - begin);
    await file.read(block, 0, block.length, begin);
    for (let at = block.lastIndexOf(10); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(10, at - 1)) {
      feeds += 1;
      if (feeds === count) return { offset: begin + at, feeds };
    }
    end = begin;
  }
  return { feeds };
}

/** The whole lines after `place`, through as many files as there are; moves `place` behind what it gave. */
async function* newLines(folder: string, place: LogPlace, gone: boolean, sealNow?: SealFor): AsyncIterable<string> {
  for (;;) {
    const numbers = numbersOrNone(folder); // listed before reading: a file that has a successor is complete
    const oldest = numbers[0];
    if (oldest === undefined) return;
    if (place.number < oldest) Object.assign(place, { number: oldest, offset: 0, skip: 0 }); // rotated away under a slow reader
    yield* linesOfFile(join(folder, logName(place.number)), place, gone, sealNow);
    if ((numbers.at(-1) ?? 0) <= place.number) return;
    Object.assign(place, { number: place.number + 1, offset: 0, skip: 0 });
  }
}

async function* linesOfFile(
  path: string,
  place: LogPlace,
  gone: boolean,
  sealNow: SealFor | undefined,
): AsyncIterable<string> {
  const file = await open(path, "r").catch(() => undefined);
  if (file === undefined) return;
  try {
    if (sealNow !== undefined) {
      try {
        const seal = await sealNow(await startOfFile(file));
        const sealed = await sealOf(file, logName(place.number), seal);
        if (sealed !== undefined) return yield* linesOfFrames(file, sealed, place, seal.headerBytes);
      } catch (error) {
        place.offset = (await file.stat()).size;
        return yield `${Date.now()} ${streamLetters.tessera} this part of the log cannot be read: ${(error as Error).message}`;
      }
    }
    let rest = Buffer.alloc(0);
    let position = place.offset;
    for (;;) {
      const block = Buffer.allocUnsafe(blockBytes);
      const { bytesRead } = await file.read(block, 0, blockBytes, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      const bytes = Buffer.concat([rest, block.subarray(0, bytesRead)]);
      let from = 0;
      for (let feed = bytes.indexOf(10); feed >= 0; feed = bytes.indexOf(10, from)) {
        const line = bytes.toString("utf8", from, feed);
        place.offset += feed + 1 - from;
        from = feed + 1;
        yield line;
      }
      rest = bytes.subarray(from);
    }
    if (gone && rest.length > 0) {
      place.offset += rest.length;
      yield rest.toString("utf8");
    }
  } finally {
    await file.close();
  }
}

async function* linesOfFrames(
  file: FileHandle,
  sealed: SealedLog,
  place: LogPlace,
  headerBytes: number,
): AsyncIterable<string> {
  for await (const { lines, next } of framesFrom(file, sealed, Math.max(place.offset, headerBytes))) {
    const { skip } = place;
    Object.assign(place, { offset: next, skip: 0 });
    yield* skip === 0 ? lines : lines.slice(skip);
  }
}

function numbersOrNone(folder: string): number[] {
  try {
    return logNumbers(folder);
  } catch {
    return [];
  }
}

/** Wakes a follower when the folder changes or one of the signals comes, at the latest after a second. */
class Changes {
  #watcher: FSWatcher | undefined;
  readonly #folder: string;
  readonly #signals: readonly AbortSignal[];
  #changed = false;
  #wake: () => void = () => {};

  constructor(folder: string, signals: readonly AbortSignal[]) {
    this.#folder = folder;
    this.#signals = signals;
    for (const signal of signals) signal.addEventListener("abort", this.#note);
    this.#watch();
  }

  readonly #note = () => {
    this.#changed = true;
    this.#wake();
  };

  async next(): Promise<void> {
    if (this.#watcher === undefined && (await stat(this.#folder).catch(() => undefined)) !== undefined) this.#watch();
    if (!this.#changed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, lookEveryMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#changed = false;
  }

  close(): void {
    this.#watcher?.close();
    for (const signal of this.#signals) signal.removeEventListener("abort", this.#note);
  }

  #watch(): void {
    try {
      this.#watcher = watch(this.#folder, this.#note);
      this.#watcher.on("error", () => {});
    } catch {
      this.#watcher = undefined; // not there yet, or no watch left: the timer does
    }
  }
}
