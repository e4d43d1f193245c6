import { connect, type Socket } from "node:net";
import { Readable, Writable } from "node:stream";
import { type Entry, type EntryAsk, type EntryEnd, EntryRefused } from "@tessera/engine";
import { leaseFile } from "../lease/folder.ts";
import { type Frame, frameOf, framesOf, jsonFrame, jsonIn, kinds } from "./frames.ts";
import { socketAt } from "./place.ts";

/** What a supervisor can be asked at its entrance. */
export type EntranceAsk = EntryAsk | { readonly kind: "ports" };

/** A supervisor opens at once, or says why not; only a machine that stands still takes longer. */
const answerMsMax = 30_000;

/** Asks the supervisor of a lease for a way in. */
export async function openEntry(leaseFolder: string, ask: EntryAsk): Promise<Entry> {
  const { socket, frames } = await knock(leaseFolder, ask);
  return new OpenEntry(socket, frames);
}

/** The ports that the member listens on. */
export async function readPorts(leaseFolder: string): Promise<readonly number[]> {
  const { socket, opened } = await knock(leaseFolder, { kind: "ports" });
  socket.destroy();
  return jsonIn<{ readonly ports: readonly number[] }>(opened).ports;
}

async function knock(leaseFolder: string, ask: EntranceAsk) {
  const socket = await reach(leaseFolder);
  const impatience = setTimeout(() => socket.destroy(), answerMsMax).unref();
  try {
    socket.write(jsonFrame(kinds.ask, ask));
    const frames = framesOf(socket);
    const { value: opened } = await frames.next();
    if (opened === undefined) throw new EntryRefused("the job has ended, or its supervisor does not answer");
    if (opened.kind !== kinds.opened) throw new EntryRefused(jsonIn<{ readonly reason: string }>(opened).reason);
    return { socket, frames, opened };
  } catch (error) {
    socket.destroy();
    throw error instanceof EntryRefused
      ? error
      : new EntryRefused("the connection to the supervisor broke", { cause: error });
  } finally {
    clearTimeout(impatience);
  }
}

function reach(leaseFolder: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: unknown) =>
      reject(
        new EntryRefused("nothing runs that could be entered: the job has ended, or was started by an older version", {
          cause,
        }),
      );
    try {
      const { path, release } = socketAt(leaseFolder, leaseFile.entrance);
      const socket = connect({ path });
      socket.once("connect", () => {
        release();
        resolve(socket);
      });
      socket.once("error", (error) => {
        release();
        refuse(error);
      });
    } catch (error) {
      refuse(error); // the folder of the lease is gone
    }
  });
}

const pieceBytes = 64 * 1024;

function writePieces(socket: Socket, bytes: Buffer, done: () => void): void {
  const rest = bytes.subarray(pieceBytes);
  socket.write(frameOf(kinds.input, bytes.subarray(0, pieceBytes)), () =>
    rest.length === 0 || socket.destroyed ? done() : writePieces(socket, rest, done),
  );
}

/** A readable that the pump fills no faster than it is read. */
class Channel extends Readable {
  #wanted: () => void = () => {};

  override _read(): void {
    this.#wanted();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#wanted();
    done(error);
  }

  async feed(bytes: Buffer): Promise<void> {
    if (this.destroyed || this.push(bytes)) return;
    await new Promise<void>((resolve) => {
      this.#wanted = resolve;
    });
  }

  finish(): void {
    if (!this.destroyed && !this.readableEnded) this.push(null);
  }
}

class OpenEntry implements Entry {
  readonly input: Writable;
  readonly output = new Channel();
  readonly errors = new Channel();
  readonly ended: Promise<EntryEnd>;
  readonly #socket: Socket;

  constructor(socket: Socket, frames: AsyncGenerator<Frame>) {
    this.#socket = socket;
    socket.on("error", () => {}); // seen as an end without a last frame
    this.input = new Writable({
      // Done when the kernel has it, so that a slow reader in the member slows the sender down.
      write: (bytes: Buffer, _encoding, done) => writePieces(socket, bytes, () => done()),
      final: (done) => void socket.write(frameOf(kinds.inputEnd), () => done()),
    });
    this.input.on("error", () => {});
    this.ended = this.#pump(frames);
  }

  resize(size: { readonly columns: number; readonly rows: number }): void {
    if (!this.#socket.destroyed) this.#socket.write(jsonFrame(kinds.resize, size));
  }

  close(): void {
    this.#socket.destroy();
    // A consumer that has stopped reading must not keep the pump waiting.
    this.output.destroy();
    this.errors.destroy();
  }

  async #pump(frames: AsyncGenerator<Frame>): Promise<EntryEnd> {
    let end: EntryEnd = { broken: "the connection into the job broke" };
    try {
      for await (const frame of frames) {
        if (frame.kind === kinds.output) await this.output.feed(frame.bytes);
        else if (frame.kind === kinds.errors) await this.errors.feed(frame.bytes);
        else if (frame.kind === kinds.outputEnd) this.output.finish();
        else if (frame.kind === kinds.errorsEnd) this.errors.finish();
        else if (frame.kind === kinds.end) {
          end = jsonIn<EntryEnd>(frame);
          break;
        }
      }
    } catch {
      // the socket was closed on either side
    }
    this.output.finish();
    this.errors.finish();
    this.#socket.destroy();
    this.input.destroy();
    return end;
  }
}
