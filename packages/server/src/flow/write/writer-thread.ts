import { parentPort, workerData } from "node:worker_threads";
import { type Input, type Refusal, writeSnapshot } from "@tessera/core";
import { parseLines } from "../../journal/lines.ts";
import { openStore } from "../../store/index.ts";
import { CommitOutage } from "../../store/port.ts";
import { SteadyClock } from "../clock/steady-clock.ts";
import type { Done } from "../control.ts";
import { fillBooks } from "../project/fill-books.ts";
import { epochInput } from "./epoch.ts";
import { isFull, waitForRoom } from "./full-disk.ts";
import { Inbox } from "./inbox.ts";
import { recover, recoverChecked } from "./recover.ts";
import { Underway } from "./underway.ts";
import { addsSomething, type Begun, noRoomAtAll, requestOf, type WriteRequest, Writer } from "./writer.ts";
import type { FromWriter, ToWriter, WriterConfig } from "./writer-messages.ts";

/**
 * The thread that holds core and journal. The embedded store is synchronous and each of its commits waits for the
 * disk; on this thread that blocks nothing else, and requests that arrive meanwhile make the next batch.
 */
const port = parentPort!;
const send = (message: FromWriter): void => port.postMessage(message);
const say = (text: string): void => console.error(`tessera: ${text}`);

interface Numbered extends WriteRequest {
  /** Absent for what the writer asks of itself. */
  readonly number?: number;
}

/** A batch that was decided and is not durable yet. */
interface Unanswered extends Pick<Begun, "written" | "effective"> {
  readonly requests: readonly Numbered[];
}

/** A batch larger than this would make its first caller wait too long for the others. */
const batchMax = 1_000;
const roomCheckMs = 1_000;

async function main(config: WriterConfig): Promise<void> {
  const store = await openStore(config.store);
  const { state, head, snapshotSeq, eventsReplayed, damage } = await recoverChecked(store, { ...config, say });
  const clock = new SteadyClock(config.clock);
  clock.notBefore(state.clock);
  if (await fillBooks(store, state)) say(`made the books from ${head.seq} rows of the journal`);
  let writer = new Writer({ ...config, store, state, head, eventsReplayed, clock });
  const inbox = new Inbox<Numbered | "close">();
  const unanswered = new Set<Unanswered>();
  let underway = new Underway();
  let waitingForRoom = false;
  let closing = false;
  let roomLookedAt = 0;
  let callOff: (() => void) | undefined;
  let timerAt = Number.POSITIVE_INFINITY;

  store.onLost((reason) => fail(new Error(reason), "", true));
  port.on("message", (message: ToWriter) => {
    if (message.kind === "close") {
      closing = true;
      inbox.add(["close"]);
    } else if (message.kind === "privates") {
      // They may be lost. Should the store be unable to go on, the next batch says so.
      store.writePrivates(message.writes).catch((error: Error) => say(error.message));
    } else {
      const privates = new Map(message.privates);
      const lines = message.inputs.split("\n");
      if (waitingForRoom)
        return answerAll(
          lines.map((_, i) => message.first + i),
          noRoomAtAll,
        );
      const inputs = parseLines<Input>(message.inputs);
      const requestAt = (line: string, i: number): Numbered => {
        return { input: inputs[i]!, line, privates: privates.get(i) ?? [], number: message.first + i };
      };
      inbox.add(lines.map(requestAt));
    }
  });
  await writer.lookForRoom();
  send({ kind: "ready", snapshot: writeSnapshot(state), seq: head.seq, snapshotSeq, eventsReplayed });
  send({ kind: "room", room: writer.hasRoom });
  await store.keepReserve();
  if (damage !== undefined) inbox.add([requestOf(epochInput(`started despite damage: ${damage}`))]);

  const wakeAtNextTimer = (): void => {
    const nextAt = writer.nextAt ?? Number.POSITIVE_INFINITY;
    if (nextAt === timerAt) return;
    callOff?.();
    timerAt = nextAt;
    callOff =
      nextAt === Number.POSITIVE_INFINITY
        ? undefined
        : clock.at(nextAt, () => {
            timerAt = Number.POSITIVE_INFINITY;
            inbox.add([requestOf({ kind: "tick", v: 1 })]);
          });
  };

  const lookForRoom = async (): Promise<void> => {
    roomLookedAt = clock.now();
    const had = writer.hasRoom;
    if ((await writer.lookForRoom()) !== had) send({ kind: "room", room: writer.hasRoom });
    if (writer.hasRoom) await store.keepReserve();
  };

  /** Decides a batch and hands it over; while it is being made durable the next is decided, if there is one. */
  const write = async (requests: readonly Numbered[]): Promise<void> => {
    const { written, effective, durable } = writer.begin(requests);
    const batch = { requests, written, effective };
    unanswered.add(batch);
    await underway.add(durable.then(() => answer(batch)));
    if (inbox.isEmpty) await underway.done();
    await writer.snapshotIfDue().catch(tellIfFull);
  };

  const answer = (batch: Unanswered): void => {
    unanswered.delete(batch);
    const { requests, written } = batch;
    const asked = requests.flatMap(({ number }, i) =>
      number === undefined ? [] : [[number, written.answers[i]!] as const],
    );
    send({
      kind: "written",
      seq: written.seq,
      at: written.at,
      events: written.events,
      requests: asked.map(([number]) => number),
      answers: JSON.stringify(asked.map(([, answer]) => answer)),
    });
  };

  /** Answers without anything having been written. */
  const answerAll = (requests: readonly number[], with_: Done | Refusal): void => {
    const answers = JSON.stringify(requests.map(() => with_));
    send({ kind: "written", seq: writer.head.seq, at: writer.state.clock, events: "", requests, answers });
  };

  const refuse = (requests: readonly Numbered[]): void => {
    const asked = requests.flatMap(({ number }) => (number === undefined ? [] : [number]));
    if (asked.length > 0) answerAll(asked, noRoomAtAll);
  };
  const takeUnanswered = (): Numbered[] => {
    const requests = [...unanswered].flatMap((batch) => batch.requests);
    unanswered.clear();
    return requests;
  };

  /**
   * There was no room for a batch: memory is ahead of the journal. Goes back to what the journal holds as soon as it can
   * be written to again. With a reserve that is at once, and what ends or changes things is decided again; what is new
   * is refused. Without one everything is refused until there is room; jobs run on, and reading does. False when the
   * server is to stop before.
   */
  const rideOut = async ({ known }: CommitOutage): Promise<boolean> => {
    waitingForRoom = true;
    send({ kind: "room", room: false });
    await underway.settled();
    underway = new Underway();
    const inReserve = known && (await store.giveReserve());
    if (inReserve) say("the disk is full: cancelling and metering go on in the reserve; free some space");
    const held = inbox.takeAll();
    const waiting = held.filter((each) => each !== "close");
    if (waiting.length < held.length) inbox.add(["close"]);
    if (!inReserve) refuse([...(known ? takeUnanswered() : []), ...waiting]); // unknown ones wait: they may have been kept
    if (!(await waitForRoom({ store, say, isClosing: () => closing }))) return false;
    const recovered = await recover(store);
    for (const batch of [...unanswered]) {
      if (batch.effective && batch.written.seq <= recovered.head.seq) answer(batch);
    }
    const notKept = takeUnanswered();
    const again = inReserve ? [...notKept, ...waiting].filter(({ input }) => !addsSomething(input)) : [];
    refuse((inReserve ? [...notKept, ...waiting] : notKept).filter((request) => !again.includes(request)));
    inbox.add(again);
    writer = new Writer({ ...config, store, ...recovered, clock });
    waitingForRoom = false;
    await lookForRoom();
    send({ kind: "room", room: writer.hasRoom });
    return true;
  };

  const close = async (): Promise<void> => {
    callOff?.();
    await store.close();
    send({ kind: "closed" });
    port.close();
  };

  for (;;) {
    wakeAtNextTimer();
    const batch = await inbox.take(batchMax);
    if (clock.now() - roomLookedAt > roomCheckMs) await lookForRoom();
    const requests = batch.filter((each) => each !== "close");
    try {
      if (requests.length > 0) await write(requests);
      if (requests.length < batch.length) {
        await underway.done();
        await writer.snapshot().catch(tellIfFull);
        return await close();
      }
    } catch (error) {
      if (!isFull(error)) {
        const input = requests.find((request) => request.input.kind === "command")?.input;
        fail(error, input?.kind === "command" ? input.op : "", !(error instanceof CommitOutage) || error.known);
        return;
      }
      if (requests.length < batch.length) inbox.add(["close"]);
      if (!(await rideOut(error))) return await close();
    }
  }
}

/** A snapshot only saves time at the next start: where there is no room for it, none is written. */
function tellIfFull(error: unknown): void {
  if (!isFull(error) || !error.known) throw error;
  say(error.message);
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
