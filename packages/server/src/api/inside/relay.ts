import { once } from "node:events";
import type { Readable } from "node:stream";
import type { Entry, EntryEnd } from "@tessera/engine";
import { channels, closeCodes, type ServerSays } from "@tessera/wire/entrance";
import type { WebSocket } from "ws";

/** What may wait to be sent to one client before the job has to wait. */
const unsentBytesMax = 256 * 1024;

export interface Relay {
  /** Ends it and tells the client why. */
  end(code: number, why: string): void;
  /** Settles when both sides are closed. */
  readonly over: Promise<void>;
  /** Keeps the path open; finds out that a client is gone even while nothing is read from it. */
  ping(): void;
}

/** Passes bytes between a client and a job. Neither side is read faster than the other one takes it. */
export function relay(client: WebSocket, entry: Entry, onInput: () => void): Relay {
  const say = (said: ServerSays) => {
    if (client.readyState === client.OPEN) client.send(JSON.stringify(said));
  };
  client.on("message", (data: Buffer, isBinary: boolean) => {
    onInput();
    if (!isBinary) return hear(entry, data);
    if (data[0] !== channels.input || data.length < 2 || entry.input.writableEnded || entry.input.destroyed) return;
    if (entry.input.write(data.subarray(1))) return;
    client.pause();
  });
  for (const event of ["drain", "close"]) entry.input.on(event, () => client.resume());
  client.on("error", () => {}); // its close follows
  client.on("close", () => entry.close());
  const passed = Promise.all([
    pass(client, entry.output, channels.output).then(() => say({ end: "output" })),
    pass(client, entry.errors, channels.errors).then(() => say({ end: "errors" })),
  ]);
  const over = (async () => {
    const end: EntryEnd = await entry.ended;
    await passed;
    say("code" in end ? { exit: end.code } : { broken: end.broken });
    client.close("code" in end ? closeCodes.done : closeCodes.broken);
    if (client.readyState !== client.CLOSED) await once(client, "close").catch(() => {});
  })();
  return {
    over,
    ping: () => client.ping(),
    end(code, why) {
      say({ broken: why });
      client.close(code, why.slice(0, 100));
      client.resume(); // to see its answer
      entry.close();
    },
  };
}

function hear(entry: Entry, data: Buffer): void {
  let said: { readonly end?: unknown; readonly resize?: { readonly columns?: unknown; readonly rows?: unknown } };
  try {
    said = JSON.parse(data.toString("utf8"));
  } catch {
    return; // not of our protocol
  }
  if (said?.end === "input") entry.input.end();
  const { columns, rows } = said?.resize ?? {};
  if (isEdge(columns) && isEdge(rows)) entry.resize({ columns, rows });
}

function isEdge(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 10_000;
}

async function pass(client: WebSocket, stream: Readable, channel: number): Promise<void> {
  try {
    for await (const part of stream) {
      if (client.readyState !== client.OPEN) return;
      const sent = new Promise<void>((resolve) => {
        client.send(Buffer.concat([Buffer.of(channel), part as Buffer]), { binary: true }, () => resolve());
      });
      if (client.bufferedAmount > unsentBytesMax) await sent;
    }
  } catch {
    // closed from either side
  }
}
