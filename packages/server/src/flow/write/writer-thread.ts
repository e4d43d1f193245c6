import { parentPort, workerData } from "node:worker_threads";
import { type Input, writeSnapshot } from "@tessera/core";
import { systemClock } from "@tessera/engine";
import { parseLines } from "../../journal/lines.ts";
import { openStore } from "../../store/index.ts";
import { CommitOutage } from "../../store/port.ts";
import { fillBooks } from "../project/fill-books.ts";
import { Inbox } from "./inbox.ts";
import { recover } from "./recover.ts";
import { Underway } from "./underway.ts";
import { requestOf, type WriteRequest, Writer, type Written } from "./writer.ts";
import type { FromWriter, ToWriter, WriterConfig } from "./writer-messages.ts";

/**
 * The thread that holds core and journal. The embedded store is synchronous and each of its commits waits for the
 * disk; on this thread that blocks nothing else, and requests that arrive meanwhile make the next batch.
 */
const port = parentPort!;
const send = (message: FromWriter): void => port.postMessage(message);

interface Numbered extends WriteRequest {
  /** Absent for what the writer asks of itself. */
  readonly number?: number;
}

/** A batch larger than this would make its first caller wait too long for the others. */
const batchMax = 1_000;
const roomCheckMs = 1_000;

async function main(config: WriterConfig): Promise<void> {
  const store = await openStore(config.store);
  const { state, head, snapshotSeq, eventsReplayed } = await recover(store);
  if (await fillBooks(store, state)) console.error(`tessera: made the books from ${head.seq} rows of the journal`);
  const writer = new Writer({ ...config, store, state, head, eventsReplayed, clock: systemClock });
  const inbox = new Inbox<Numbered | "close">();
  let roomLookedAt = 0;
  let callOff: (() => void) | undefined;
  let timerAt = Number.POSITIVE_INFINITY;

  store.onLost((reason) => fail(new Error(reason), "", true));
  port.on("message", (message: ToWriter) => {
    if (message.kind === "close") {
      inbox.add(["close"]);
    } else if (message.kind === "privates") {
      store.writePrivates(message.writes).catch((error) => fail(error, "", true));
    } else {
      const privates = new Map(message.privates);
      const lines = message.inputs.split("\n");
      const inputs = parseLines<Input>(message.inputs);
      const requestAt = (line: string, i: number): Numbered => {
        return { input: inputs[i]!, line, privates: privates.get(i) ?? [], number: message.first + i };
      };
      inbox.add(lines.map(requestAt));
    }
  });
  await writer.lookForRoom();
  send({ kind: "ready", snapshot: writeSnapshot(state), seq: head.seq, snapshotSeq, eventsReplayed });

  const wakeAtNextTimer = (): void => {
    const nextAt = writer.nextAt ?? Number.POSITIVE_INFINITY;
    if (nextAt === timerAt) return;
    callOff?.();
    timerAt = nextAt;
    callOff =
      nextAt === Number.POSITIVE_INFINITY
        ? undefined
        : systemClock.at(nextAt, () => {
            timerAt = Number.POSITIVE_INFINITY;
            inbox.add([requestOf({ kind: "tick", v: 1 })]);
          });
  };

  const underway = new Underway();
  for (;;) {
    wakeAtNextTimer();
    const batch = await inbox.take(batchMax);
    const now = systemClock.now();
    if (now - roomLookedAt > roomCheckMs) {
      roomLookedAt = now;
      const had = writer.hasRoom;
      if ((await writer.lookForRoom()) !== had) send({ kind: "room", room: writer.hasRoom });
    }
    const requests = batch.filter((each) => each !== "close");
    if (requests.length > 0) {
      try {
        // While a batch is being made durable the next is decided, if there is one.
        const numbers = requests.map((request) => request.number);
        await underway.add(writer.write(requests).then((written) => answer(numbers, written)));
        if (inbox.isEmpty) await underway.done();
        await writer.snapshotIfDue();
      } catch (error) {
        const input = requests.find((request) => request.input.kind === "command")?.input;
        fail(error, input?.kind === "command" ? input.op : "", !(error instanceof CommitOutage) || error.known);
        return;
      }
    }
    if (requests.length < batch.length) {
      callOff?.();
      await underway.done();
      await writer.snapshot();
      await store.close();
      send({ kind: "closed" });
      port.close();
      return;
    }
  }
}

/** The batch is durable: answers the requests in it. */
function answer(numbers: readonly Numbered["number"][], { seq, at, events, answers }: Written): void {
  const asked = numbers.flatMap((number, i) => (number === undefined ? [] : [[number, answers[i]!] as const]));
  send({
    kind: "written",
    seq,
    at,
    events,
    requests: asked.map(([number]) => number),
    answers: JSON.stringify(asked.map(([, answer]) => answer)),
  });
}

/** Memory may now be ahead of the journal: nothing is answered any more, and the process ends and recovers. */
function fail(error: unknown, op: string, known: boolean): void {
  const message =
    error instanceof Error
      ? `${error.message}${error.cause instanceof Error ? `: ${error.cause.message}` : ""}`
      : String(error);
  send({ kind: "failed", message, op, known });
}

main(workerData as WriterConfig).catch((error) => fail(error, "", true));
