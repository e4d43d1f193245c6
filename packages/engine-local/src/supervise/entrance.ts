import { rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { EntryEnd } from "@tessera/engine";
import type { EntranceAsk } from "../entry/client.ts";
import { type Frame, framesOf, jsonFrame, jsonIn, kinds } from "../entry/frames.ts";
import { socketAt } from "../entry/place.ts";
import { leaseFile } from "../lease/folder.ts";
import { ExecEntry, type Inside } from "./exec-entry.ts";
import { listenersOf } from "./listeners.ts";
import { connectToPort, relayPort } from "./port-entry.ts";
import { treeMembers } from "./tree.ts";

/** The control plane counts entries of people; this only keeps a fault there from filling the machine. */
const entriesMax = 1_000;

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

  constructor(leaseFolder: string) {
    this.#folder = leaseFolder;
  }

  /** Opens it to a member whose command runs. A machine without sockets here only lacks entries. */
  open(inside: Inside): void {
    this.#inside = inside;
    this.#over = "";
    if (this.#server !== undefined) return;
    rmSync(join(this.#folder, leaseFile.entrance), { force: true });
    this.#server = createServer({ allowHalfOpen: false }, (client) => {
      const done = this.#welcome(client).finally(() => {
        this.#underWay.delete(done);
        this.#clients.delete(client);
        client.destroySoon();
      });
      this.#clients.add(client);
      this.#underWay.add(done);
    });
    this.#server.on("error", () => {});
    const { path, release } = socketAt(this.#folder, leaseFile.entrance);
    this.#server.listen(path, release);
    this.#server.unref();
  }

  /** Ends every entry and says why; settles when nothing of them is left. */
  async shut(reason: string): Promise<void> {
    this.#over = reason;
    this.#inside = undefined;
    for (const client of this.#clients) client.write(jsonFrame(kinds.end, { broken: reason }), () => client.destroy());
    await Promise.allSettled(this.#underWay);
  }

  close(): void {
    this.#server?.close();
    for (const client of this.#clients) client.destroy();
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
    const inside = this.#inside;
    if (inside === undefined) return this.#over || "the job is not running";
    if (this.#clients.size > entriesMax) return "there are too many entries into this job";
    const pids = () => treeMembers(inside.tree());
    const opened = (value = {}) => void client.write(jsonFrame(kinds.opened, value));
    if (ask.kind === "ports") {
      opened({ ports: [...new Set(listenersOf(pids()).map(({ port }) => port))] });
      return undefined;
    }
    if (ask.kind === "port") {
      const socket = await connectToPort(ask.port, pids);
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
