import type { RequestOptions } from "node:https";
import { Writable } from "node:stream";
import type { Entry, EntryEnd, TerminalSize } from "@tessera/engine";
import { Channel } from "@tessera/engine/framed";
import WebSocket from "ws";
import type { ApiClient } from "../api/client.ts";
import { ClusterAway, errorOf } from "../api/error.ts";
import { paths } from "../api/paths.ts";
import type { Pod } from "../api/types.ts";

export interface ExecAsk {
  readonly container: string;
  readonly command: readonly string[];
  readonly terminal?: boolean;
}

/** The first byte of each message says which stream it belongs to. */
const channel = { input: 0, output: 1, errors: 2, status: 3, resize: 4, close: 255 } as const;
/** The first version in which the end of one stream can be told: a command can read its input to the end and still answer. */
const protocol = "v5.channel.k8s.io";
const handshakeMsMax = 30_000;
/** A connection that answers no ping for two of these is dead. */
const pingEveryMs = 20_000;
const pieceBytes = 64 * 1024;
/** Messages that may wait here before the connection is told to wait. */
const waitingMax = 4;

/** Runs a command in a container of a pod. Throws ApiError or ClusterAway where it cannot be started. */
export async function openExec(client: ApiClient, pod: Pod, ask: ExecAsk): Promise<ExecStream> {
  const { terminal = false } = ask;
  const query = new URLSearchParams([
    ["container", ask.container],
    ["stdin", "true"],
    ["stdout", "true"],
    ["stderr", String(!terminal)],
    ["tty", String(terminal)],
    ...ask.command.map((word): [string, string] => ["command", word]),
  ]);
  const credentials: RequestOptions = {};
  await client.config.applyToHTTPSOptions(credentials);
  const { agent: _, ...options } = credentials;
  const server = client.config.getCurrentCluster()!.server.replace(/^http/, "ws").replace(/\/$/, "");
  const path = `${paths.pod(pod.metadata.namespace!, pod.metadata.name)}/exec`;
  const socket = new WebSocket(`${server}${path}?${query}`, protocol, {
    ...options,
    minVersion: "TLSv1.3",
    handshakeTimeout: handshakeMsMax,
    perMessageDeflate: false,
  });
  const stream = new ExecStream(socket);
  await new Promise<void>((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("unexpected-response", (_request, answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part) => {
        text += part;
      });
      answer.once("close", () => reject(errorOf(answer.statusCode ?? 0, text, undefined)));
    });
    socket.once("error", (error) =>
      reject(new ClusterAway(`the API server cannot be reached: ${error.message}`, { cause: error })),
    );
  });
  return stream;
}

/** A command in a container, through the API server. */
export class ExecStream implements Entry {
  readonly input: Writable;
  readonly output = new Channel();
  readonly errors = new Channel();
  readonly ended: Promise<EntryEnd>;
  readonly #socket: WebSocket;
  #end: EntryEnd = { broken: "the connection into the job broke" };
  #waiting = 0;
  #taken: Promise<void> = Promise.resolve();
  #answered = true;

  constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("error", () => {}); // seen as an end without a status
    this.input = new Writable({
      write: (bytes: Buffer, _encoding, done) => this.#writePieces(bytes, () => done()),
      final: (done) => this.#write(channel.close, Buffer.of(channel.input), () => done()),
    });
    this.input.on("error", () => {});
    socket.on("message", (message: Buffer) => this.#queue(message));
    socket.on("pong", () => {
      this.#answered = true;
    });
    const pings = setInterval(() => this.#ping(), pingEveryMs).unref();
    this.ended = new Promise((resolve) => {
      socket.once("close", async () => {
        clearInterval(pings);
        await this.#taken;
        this.output.finish();
        this.errors.finish();
        this.input.destroy();
        resolve(this.#end);
      });
    });
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#write(channel.resize, Buffer.from(JSON.stringify({ Width: columns, Height: rows })), () => {});
  }

  close(): void {
    // A consumer that has stopped reading must not keep the end waiting.
    this.output.destroy();
    this.errors.destroy();
    this.#socket.resume();
    this.#socket.terminate();
  }

  #queue(message: Buffer): void {
    this.#waiting += 1;
    if (this.#waiting === waitingMax) this.#socket.pause();
    this.#taken = this.#taken.then(async () => {
      await this.#take(message);
      this.#waiting -= 1;
      if (this.#waiting === 0 && this.#socket.isPaused) this.#socket.resume();
    });
  }

  async #take(message: Buffer): Promise<void> {
    const bytes = message.subarray(1);
    const to = message[0];
    if (to === channel.output) await this.output.feed(bytes);
    else if (to === channel.errors) await this.errors.feed(bytes);
    else if (to === channel.status) this.#end = endOf(bytes.toString("utf8"));
    else if (to === channel.close && bytes[0] === channel.output) this.output.finish();
    else if (to === channel.close && bytes[0] === channel.errors) this.errors.finish();
  }

  #ping(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    // What is paused reads no answers either.
    if (!this.#answered && !this.#socket.isPaused) return void this.#socket.terminate();
    this.#answered = false;
    this.#socket.ping();
  }

  #writePieces(bytes: Buffer, done: () => void): void {
    const rest = bytes.subarray(pieceBytes);
    this.#write(channel.input, bytes.subarray(0, pieceBytes), () =>
      rest.length === 0 ? done() : this.#writePieces(rest, done),
    );
  }

  #write(to: number, bytes: Buffer, done: () => void): void {
    if (this.#socket.readyState !== WebSocket.OPEN) done();
    else this.#socket.send(Buffer.concat([Buffer.of(to), bytes]), () => done());
  }
}

interface Status {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
}

/** How a command ended, from the Status object that comes last. */
export function endOf(text: string): EntryEnd {
  try {
    const { status, reason, message, details } = JSON.parse(text) as Status;
    if (status === "Success") return { code: 0 };
    const code = details?.causes?.find((cause) => cause.reason === "ExitCode")?.message;
    if (reason === "NonZeroExitCode" && code !== undefined) return { code: Number(code) };
    return { broken: message ?? "it cannot be started" };
  } catch {
    return { broken: text || "it cannot be started" };
  }
}
