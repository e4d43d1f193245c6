import type { IncomingMessage } from "node:http";
import { type ClientSays, channels, closeCodes, messageBytesMax, type ServerSays } from "@tessera/wire/entrance";
import type { WebSocket } from "ws";
import { exit } from "../exit.ts";
import { Failure, Outage } from "../failure.ts";
import type { Api } from "../http.ts";

/** Where bytes from the job go; resolves when more may come. */
export type Take = (bytes: Uint8Array) => Promise<void>;

export interface Ears {
  readonly output: Take;
  readonly errors: Take;
  /** The job will write no more; its input may still be open. */
  readonly outputEnd?: () => void;
}

const unsentBytesMax = 256 * 1024;
const untakenBytesMax = 256 * 1024;
const pieceBytes = messageBytesMax - 1;

/** An open way into a job. Neither side is read faster than the other one takes it. */
export class Wire {
  readonly #socket: WebSocket;
  readonly #ears: Ears;
  #last: Extract<ServerSays, { exit: number } | { broken: string }> | undefined;
  #taking: Promise<void> = Promise.resolve();
  #untaken = 0;
  /** Resolves with the exit code of what ran there; throws when it did not come to its own end. */
  readonly ended: Promise<number>;

  private constructor(socket: WebSocket, ears: Ears) {
    this.#socket = socket;
    this.#ears = ears;
    socket.on("message", (data: Buffer, isBinary: boolean) => this.#hear(data, isBinary));
    socket.on("error", () => {}); // its close follows
    this.ended = new Promise((resolve, reject) => {
      socket.once("close", (code: number) => {
        this.#taking.then(() => {
          const outcome = this.#outcome(code);
          if (outcome instanceof Failure) reject(outcome);
          else resolve(outcome);
        }, reject);
      });
    });
    this.ended.catch(() => {}); // reported by the caller that awaits it
  }

  /** Goes through an entrance that was granted. */
  static async open(api: Api, entrance: string, ears: Ears): Promise<Wire> {
    const { WebSocket } = await import("ws");
    const { url, headers, tls, failureOf } = await api.socketAt("openEntrance", { entrance });
    const socket = new WebSocket(url, { ...tls, headers, perMessageDeflate: false, maxPayload: 4 << 20 });
    const wire = new Wire(socket, ears);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("unexpected-response", (_request, answer: IncomingMessage) =>
        api.failureOf(answer).then(reject, reject),
      );
      socket.once("error", (error) => reject(failureOf(error)));
    });
    return wire;
  }

  /** Sends bytes to the job; resolves when more may be sent. */
  async send(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      if (this.#socket.readyState !== this.#socket.OPEN) return;
      const message = Buffer.concat([Buffer.of(channels.input), bytes.subarray(at, at + pieceBytes)]);
      const sent = new Promise<void>((resolve) => this.#socket.send(message, { binary: true }, () => resolve()));
      if (this.#socket.bufferedAmount > unsentBytesMax) await sent;
    }
  }

  say(said: ClientSays): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(said));
  }

  /** Leaves; what was started there ends. */
  close(): void {
    this.#socket.resume();
    this.#socket.close();
    setTimeout(() => this.#socket.terminate(), 2_000).unref();
  }

  #hear(data: Buffer, isBinary: boolean): void {
    if (!isBinary) {
      const said = JSON.parse(data.toString("utf8")) as ServerSays;
      if ("end" in said) {
        if (said.end === "output") this.#taking = this.#taking.then(() => this.#ears.outputEnd?.());
      } else this.#last = said;
      return;
    }
    const take = data[0] === channels.errors ? this.#ears.errors : this.#ears.output;
    this.#untaken += data.length;
    if (this.#untaken > untakenBytesMax) this.#socket.pause();
    this.#taking = this.#taking
      .then(() => take(data.subarray(1)))
      .then(() => {
        this.#untaken -= data.length;
        if (this.#untaken <= untakenBytesMax) this.#socket.resume();
      });
    this.#taking.catch(() => this.#socket.terminate());
  }

  /** The exit code, or why there is none. */
  #outcome(code: number): number | Failure {
    const last = this.#last;
    if (last !== undefined && "exit" in last) return last.exit;
    if (code === closeCodes.notAllowed) {
      const message = last?.broken ?? "you may not be inside this job any more";
      return new Failure(exit.notAllowed, { code: "forbidden", message });
    }
    if (code === closeCodes.broken) {
      return new Failure(exit.serverDown, { code: "ended", message: last?.broken ?? "the connection broke" });
    }
    return new Outage(
      code === closeCodes.goingAway
        ? "the server stops or restarts: this connection and what it started in the job have ended; the job goes on"
        : "the connection to the server broke: what it started in the job has ended; the job goes on",
      "repeat the command once the server is back",
    );
  }
}
