import { execFileSync } from "node:child_process";
import { chownSync, closeSync, constants, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { EntryAsk, EntryEnd, TerminalSize } from "@tessera/engine";
import { type Frame, frameOf, jsonIn, kinds, send } from "@tessera/engine/framed";
import { endEntry } from "./entry-processes.ts";
import { entryScripts } from "./entry-script.ts";
import type { MemberNetwork } from "./network/member-network.ts";
import type { RunSheet } from "./sheet.ts";
import type { Tree } from "./tree.ts";

export type ExecAsk = Extract<EntryAsk, { kind: "exec" }>;

/** What an entry needs of the member around it. */
export interface Inside {
  readonly sheet: RunSheet;
  readonly network: MemberNetwork;
  tree(): Tree;
  /** Lets the init start script `number` of the door folder. */
  session(number: number): void;
}

/** An init that is alive starts a script at once. */
const startMsMax = 10_000;
/** How long output may take to arrive after the last process that could write it is gone. */
const drainMsMax = 2_000;

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
const pipes = ["in", "out", "err", "status", "size"] as const;
type Pipe = (typeof pipes)[number];

/**
 * One command inside the job. The init starts a script that we lay into the door folder; its standard streams are named
 * pipes there, the only thing that passes between two mount namespaces and that a shell can open. The job may open the
 * pipes and cannot replace them, because the folder is ours.
 */
export class ExecEntry {
  readonly #inside: Inside;
  readonly #number: number;
  readonly #folder: string;
  /** Our ends, and second ends that keep a pipe from looking closed until the script has opened its own. */
  readonly #open = new Map<string, number>();
  readonly #sockets: Socket[] = [];
  #terminal: string | undefined;
  #size: Socket | undefined;
  #wanted: TerminalSize | undefined;
  #words: Interface | undefined;
  #closing: Promise<void> | undefined;

  constructor(inside: Inside, number: number) {
    this.#inside = inside;
    this.#number = number;
    this.#folder = join(inside.sheet.doorFolder, `${number}.pipes`);
  }

  /** Runs the command; `opened` is called once it runs. Settles when nothing of it is left. */
  async run(ask: ExecAsk, frames: AsyncGenerator<Frame>, client: Socket, opened: () => void): Promise<EntryEnd> {
    try {
      this.#lay(ask);
      const status = this.#read("status");
      this.#words = createInterface({ input: status });
      const outcome = this.#follow(this.#words, client, opened, frames);
      this.#inside.session(this.#number);
      return await outcome;
    } catch (error) {
      return { broken: `the command cannot be started: ${(error as Error).message}` };
    } finally {
      await this.close();
    }
  }

  /** Ends everything that was started through this entry. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await endEntry(this.#inside.tree(), this.#number);
    this.#words?.close(); // its stream is destroyed below, which it would not notice
    for (const socket of this.#sockets) socket.destroy();
    for (const descriptor of this.#open.values()) closeSync(descriptor);
    this.#open.clear();
    rmSync(this.#folder, { recursive: true, force: true });
    for (const suffix of ["", ".inner"]) rmSync(`${this.#script}${suffix}`, { force: true });
  }

  get #script(): string {
    return join(this.#inside.sheet.doorFolder, String(this.#number));
  }

  #lay(ask: ExecAsk): void {
    const { sheet } = this.#inside;
    mkdirSync(this.#folder, { mode: 0o711 });
    execFileSync("mkfifo", ["-m", "600", ...pipes], { cwd: this.#folder });
    if (sheet.owner !== undefined) {
      for (const pipe of pipes) chownSync(join(this.#folder, pipe), sheet.owner, sheet.owner);
    }
    const { outer, inner } = entryScripts(ask, this.#number, sheet.doorPath);
    writeFileSync(this.#script, outer, { mode: 0o644 });
    if (inner !== undefined) writeFileSync(`${this.#script}.inner`, inner, { mode: 0o644 });
    for (const pipe of pipes) {
      // The reading end first: a pipe that nobody reads cannot be opened for writing.
      const ends = [O_RDONLY, O_WRONLY].map((way) => openSync(join(this.#folder, pipe), way | O_NONBLOCK));
      this.#open.set(`${pipe} read`, ends[0]!);
      this.#open.set(`${pipe} write`, ends[1]!);
    }
  }

  async #follow(
    words: AsyncIterable<string>,
    client: Socket,
    opened: () => void,
    frames: AsyncGenerator<Frame>,
  ): Promise<EntryEnd> {
    let end: EntryEnd = { broken: "it was killed" };
    let started = false;
    let drained: Promise<unknown> = Promise.resolve();
    const late = setTimeout(() => {
      end = { broken: "the job did not start it in time" };
      this.#shut("status write");
    }, startMsMax);
    for await (const line of words) {
      const [, word, value] = /^(\S+) ?(.*)$/.exec(line) ?? [];
      if (word === "open" && !started) {
        started = true;
        clearTimeout(late);
        drained = this.#begin(client, frames);
        opened();
      } else if (word === "tty" && /^\/dev\/pts\/\d+$/.test(value ?? "")) {
        this.#terminal = value;
        this.#resize();
      } else if (word === "end") {
        end = { code: Number(value) & 0xff };
        break;
      } else if (word === "fail") {
        end = { broken: value || "it cannot be started" };
        break;
      }
    }
    clearTimeout(late);
    // What the command left behind holds its output open; it ends with the entry.
    await endEntry(this.#inside.tree(), this.#number);
    await Promise.race([drained, sleep(drainMsMax, undefined, { ref: false })]);
    return end;
  }

  /** From here on the script has its own ends; ours must go, so that each side sees the other one close. */
  #begin(client: Socket, frames: AsyncGenerator<Frame>): Promise<unknown> {
    for (const spare of ["in read", "out write", "err write", "status write"]) this.#shut(spare);
    this.#size = this.#write("size");
    void this.#takeInput(this.#write("in"), frames);
    return Promise.all([
      this.#pass("out", client, kinds.output, kinds.outputEnd),
      this.#pass("err", client, kinds.errors, kinds.errorsEnd),
    ]);
  }

  async #pass(pipe: Pipe, client: Socket, kind: number, endKind: number): Promise<void> {
    try {
      for await (const part of this.#read(pipe)) if (!(await send(client, frameOf(kind, part as Buffer)))) return;
      await send(client, frameOf(endKind));
    } catch {
      // closed from our side
    }
  }

  async #takeInput(input: Socket, frames: AsyncGenerator<Frame>): Promise<void> {
    try {
      for await (const frame of frames) {
        if (frame.kind === kinds.input) await send(input, frame.bytes);
        else if (frame.kind === kinds.inputEnd) input.end();
        else if (frame.kind === kinds.resize) {
          this.#wanted = jsonIn<TerminalSize>(frame);
          this.#resize();
        }
      }
    } catch {
      // the connection of the one who asked broke
    }
    await this.close();
  }

  #resize(): void {
    if (this.#wanted === undefined || this.#terminal === undefined || this.#size === undefined) return;
    const { columns, rows } = this.#wanted;
    if (!this.#size.destroyed) this.#size.write(`${this.#terminal} ${rows} ${columns}\n`);
  }

  #read(pipe: Pipe): Socket {
    return this.#stream(`${pipe} read`, { readable: true, writable: false });
  }

  #write(pipe: Pipe): Socket {
    return this.#stream(`${pipe} write`, { readable: false, writable: true });
  }

  #stream(end: string, ways: { readonly readable: boolean; readonly writable: boolean }): Socket {
    const fd = this.#open.get(end)!;
    this.#open.delete(end);
    const socket = new Socket({ fd, ...ways });
    socket.on("error", () => {}); // the other side closed; the end of the command says the rest
    this.#sockets.push(socket);
    return socket;
  }

  #shut(end: string): void {
    const descriptor = this.#open.get(end);
    if (descriptor === undefined) return;
    this.#open.delete(end);
    closeSync(descriptor);
  }
}
