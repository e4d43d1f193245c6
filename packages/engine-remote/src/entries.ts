import type { Duplex, Readable } from "node:stream";
import { PassThrough } from "node:stream";
import type { LeaseId } from "@tessera/core";
import type { Engine, Entry, EntryAsk, TerminalSize } from "@tessera/engine";
import { type Frame, frameOf, framesOf, jsonFrame, jsonIn, kinds, send } from "@tessera/engine/framed";
import { sentFailure } from "@tessera/engine/remote";
import { fields, mustBe, whole } from "./checks/check.ts";
import { entryAsk, leaseId } from "./checks/order.ts";

/** What the near side sends first. */
export interface EntryCall {
  readonly lease: LeaseId;
  readonly ask: EntryAsk;
}

const entryCall = fields({ lease: leaseId, ask: entryAsk });
const terminalSize = fields({ columns: whole(10_000), rows: whole(10_000) });
const switched = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tessera-entry\r\n\r\n";

/** The far side of an entry: opens it, and passes on what goes in and what comes out until either side ends. */
export async function serveEntry(engine: Engine, socket: Duplex, head: Buffer): Promise<void> {
  socket.on("error", () => {}); // seen as its end
  socket.write(switched);
  const incoming = new PassThrough();
  incoming.write(head);
  socket.pipe(incoming);
  socket.once("close", () => incoming.destroy());
  const frames = framesOf(incoming);
  let entry: Entry | undefined;
  try {
    const { value: first } = await frames.next();
    if (first === undefined) return;
    const call = jsonIn<EntryCall>(first);
    mustBe(entryCall, call, "entry");
    entry = await engine.open(call.lease, call.ask);
    await send(socket, jsonFrame(kinds.opened, {}));
    void passIn(frames, entry);
    await Promise.all([
      passOut(entry.output, socket, kinds.output, kinds.outputEnd),
      passOut(entry.errors, socket, kinds.errors, kinds.errorsEnd),
    ]);
    await send(socket, jsonFrame(kinds.end, await entry.ended));
    socket.end();
  } catch (error) {
    const kind = entry === undefined ? kinds.refused : kinds.end;
    const { message } = sentFailure(error);
    await send(socket, jsonFrame(kind, entry === undefined ? { reason: message } : { broken: message }));
    socket.end();
  } finally {
    socket.once("close", () => entry?.close());
    if (socket.destroyed) entry?.close();
  }
}

async function passIn(frames: AsyncGenerator<Frame>, entry: Entry): Promise<void> {
  try {
    for await (const frame of frames) {
      if (frame.kind === kinds.input) await send(entry.input, frame.bytes);
      else if (frame.kind === kinds.inputEnd) entry.input.end();
      else if (frame.kind === kinds.resize) {
        const size = jsonIn<TerminalSize>(frame);
        mustBe(terminalSize, size, "size");
        entry.resize(size);
      }
    }
  } catch {
    // the socket was closed, or spoke another language
  }
  entry.close();
}

async function passOut(stream: Readable, socket: Duplex, kind: number, end: number): Promise<void> {
  for await (const part of stream as AsyncIterable<Buffer>) if (!(await send(socket, frameOf(kind, part)))) return;
  await send(socket, frameOf(end));
}
