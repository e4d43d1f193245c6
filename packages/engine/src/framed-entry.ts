import type { Socket } from "node:net";
import { Writable } from "node:stream";
import { Channel } from "./channel.ts";
import type { Entry, EntryEnd } from "./entry.ts";
import { type Frame, frameOf, jsonFrame, jsonIn, kinds } from "./frames.ts";

const pieceBytes = 64 * 1024;

function writePieces(socket: Socket, bytes: Buffer, done: () => void): void {
  const rest = bytes.subarray(pieceBytes);
  socket.write(frameOf(kinds.input, bytes.subarray(0, pieceBytes)), () =>
    rest.length === 0 || socket.destroyed ? done() : writePieces(socket, rest, done),
  );
}

/** The near side of an entry whose far side is behind a socket. */
export class FramedEntry implements Entry {
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
