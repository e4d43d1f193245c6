import { rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EntryEnd } from "@tessera/engine";
import { type Frame, framesOf, jsonFrame, jsonIn, kinds } from "@tessera/engine/framed";
import type { EntranceAsk } from "../entry/client.ts";
import { socketAt } from "../entry/place.ts";
import { leaseFile } from "../lease/folder.ts";
import { ExecEntry, type Inside } from "./exec-entry.ts";
import { listenersOf } from "./listeners.ts";
import { connectToPort, relayPort } from "./port-entry.ts";
import { treeMembers } from "./tree.ts";

/** The control plane counts entries of people; this only keeps a fault there from filling the machine. */
const entriesMax = 1_000;
const openMsMax = 5_000;
/** How long the engine may take to read the last frame and to go. */
const leaveMsMax = 10_000;
const shutMsMax = 5_000;

/**
 * Where people enter a running member. The engine knocks at a socket in the folder of the lease, which nobody else can
 * reach, once for each command and each connection to a port. When the connection breaks, what it started ends.
 */
export class Entrance {
  readonly #folder: string;
  readonly #clients = new Set<Socket>();
  readonly #underWay = new Set<Promise<void>>();
  #server: Server | undefined;
  #inside: Inside | undefined;
  #numbers = 0;
  #over = "";
  readonly #opened = Promise.withResolvers<void>();

  constructor(leaseFolder: string) {
    this.#folder = leaseFolder;
  }

  /** From here on the engine can knock; it is let in once the command runs. A machine without sockets only lacks entries. */
  async listen(): Promise<void> {
    rmSync(join(this.#folder, leaseFile.entrance), { force: true });
    const server = createServer((client) => {
      const done = this.#welcome(client).finally(() => {
        this.#underWay.delete(done);
        this.#clients.delete(client);
        leave(client);
      });
      this.#clients.add(client);
      this.#underWay.add(done);
    });
    this.#server = server;
    const { path, release } = socketAt(this.#folder, leaseFile.entrance);
    await new Promise<void>((resolve) => {
      server.once("error", () => resolve());
      server.listen(path, resolve);
    });
    release();
  }

  /** Lets people into a member whose command is being started. */
  open(inside: Inside): void {
    this.#over = "";
    this.#inside = inside;
    this.#opened.resolve();
  }

  /** Ends every entry and says why; settles when nothing of them is left. */
  async shut(reason: string): Promise<void> {
    this.#over = reason;
    this.#inside = undefined;
    for (const client of this.#clients) client.write(jsonFrame(kinds.end, { broken: reason }), () => client.destroy());
    // Whatever is left is ended with the rest of the job.
    await Promise.race([Promise.allSettled(this.#underWay), sleep(shutMsMax, undefined, { ref: false })]);
  }

  close(): void {
    this.#server?.close();
    for (const client of this.#clients) client.destroy();
  }

  /** A member is told to have started a moment before its command is. */
  async #whenOpen(): Promise<Inside | undefined> {
    if (this.#inside === undefined && this.#over === "") {
      await Promise.race([this.#opened.promise, sleep(openMsMax, undefined, { ref: false })]);
    }
    return this.#inside;
  }

  async #welcome(client: Socket): Promise<void> {
    client.on("error", () => {}); // seen as the end of its frames
    const frames = framesOf(client);
    try {
      const { value: first } = await frames.next();
      if (first === undefined || first.kind !== kinds.ask) return;
      const end = await this.#serve(jsonIn<EntranceAsk>(first), frames, client);
      if (typeof end === "string") client.write(jsonFrame(kinds.refused, { reason: end }));
      else if (end !== undefined) client.write(jsonFrame(kinds.end, this.#over === "" ? end : { broken: this.#over }));
    } catch {
      // the engine went away
    }
  }

  /** How it ended; a text says why it was not opened. */
  async #serve(
    ask: EntranceAsk,
    frames: AsyncGenerator<Frame>,
    client: Socket,
  ): Promise<EntryEnd | string | undefined> {
    const inside = await this.#whenOpen();
    if (inside === undefined) return this.#over || "the job does not run yet";
    if (this.#clients.size > entriesMax) return "there are too many entries into this job";
    const pids = () => treeMembers(inside.tree());
    const opened = (value = {}) => void client.write(jsonFrame(kinds.opened, value));
    if (ask.kind === "ports") {
      opened({ ports: [...new Set(listenersOf(pids()).map(({ port }) => port))] });
      return undefined;
    }
    if (ask.kind === "port") {
      const socket = await connectToPort(ask.port, pids, inside.network);
      if (typeof socket === "string") return socket;
      opened();
      return relayPort(socket, frames, client);
    }
    let isOpen = false;
    const entry = new ExecEntry(inside, ++this.#numbers);
    client.once("close", () => void entry.close());
    const end = await entry.run(ask, frames, client, () => {
      isOpen = true;
      opened();
    });
    return isOpen || "code" in end ? end : end.broken;
  }
}

/**
 * The engine closes first, once it has read the last frame. If we did, what it still sends would be refused, and the error
 * would take from it what it has not read yet: a short command would look broken.
 */
function leave(client: Socket): void {
  client.end();
  const impatience = setTimeout(() => client.destroy(), leaveMsMax).unref();
  client.once("close", () => clearTimeout(impatience));
}
