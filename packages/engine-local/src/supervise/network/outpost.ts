import { type ChildProcess, spawn } from "node:child_process";
import { Socket as DatagramSocket } from "node:dgram";
import { Server, Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { standardPath } from "../job.ts";
import { thrift } from "../start.ts";

/** What is wanted inside the network of the job, and the number under which it is answered, with a socket or without. */
export interface OutpostAsk {
  readonly number: number;
  readonly kind: "connect" | "datagrams" | "listen";
  readonly address: string;
  readonly port: number;
}

export interface OutpostAnswer {
  readonly number: number;
  readonly failure?: string;
}

const program = fileURLToPath(new URL("./outpost-main.js", import.meta.url));
const answerMsMax = 10_000;
/** People come back to a page soon, or not for long. */
const idleMs = 30_000;

/**
 * Opens sockets inside the network of the member. No process changes its network while it runs, so another one is started
 * there when it is needed; the sockets come from it, and it goes when it has not been asked for a while.
 */
export class Outpost {
  readonly #enter: readonly string[];
  readonly #waiting = new Map<number, (answer: OutpostAnswer, handle: unknown) => void>();
  #child: ChildProcess | undefined;
  #numbers = 0;
  #idle: NodeJS.Timeout | undefined;

  /** `enter` are the words that bring a command into the network. */
  constructor(enter: readonly string[]) {
    this.#enter = enter;
  }

  /** A connection; throws with the code of what stood in the way. */
  async connect(address: string, port: number): Promise<Socket> {
    const socket = await this.#ask("connect", address, port);
    if (!(socket instanceof Socket)) throw new Error("no connection");
    socket.allowHalfOpen = true;
    return socket;
  }

  async bindDatagrams(address: string, port: number): Promise<DatagramSocket> {
    const socket = await this.#ask("datagrams", address, port);
    if (!(socket instanceof DatagramSocket)) throw new Error("no socket");
    return socket;
  }

  async listen(address: string, port: number): Promise<Server> {
    const server = await this.#ask("listen", address, port);
    if (!(server instanceof Server)) throw new Error("no socket");
    return server;
  }

  close(): void {
    clearTimeout(this.#idle);
    this.#child?.disconnect();
    this.#child = undefined;
  }

  async #ask(kind: OutpostAsk["kind"], address: string, port: number): Promise<unknown> {
    clearTimeout(this.#idle);
    this.#child ??= this.#start();
    const number = ++this.#numbers;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(number, ({ failure }, handle) =>
      failure === undefined ? resolve(handle) : reject(new Error(failure)),
    );
    const impatience = setTimeout(() => reject(new Error("ETIMEDOUT")), answerMsMax);
    try {
      const ask: OutpostAsk = { number, kind, address, port };
      this.#child.send(ask, (error) => error && reject(error));
      return await promise;
    } finally {
      clearTimeout(impatience);
      this.#waiting.delete(number);
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.close(), idleMs).unref();
    }
  }

  #start(): ChildProcess {
    const [command, ...words] = [...this.#enter, "--", process.execPath, ...thrift, program];
    const child = spawn(command!, words, {
      cwd: "/",
      env: { PATH: standardPath, UV_THREADPOOL_SIZE: "1" },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    child.on("message", (answer: OutpostAnswer, handle) => {
      const waiting = this.#waiting.get(answer.number);
      if (waiting !== undefined) waiting(answer, handle);
      else if (handle instanceof Socket) handle.destroy();
    });
    const fail = (why: string) => {
      if (this.#child === child) this.#child = undefined;
      for (const waiting of this.#waiting.values()) waiting({ number: 0, failure: why }, undefined);
    };
    child.once("error", (error) => fail(error.message));
    child.once("exit", () => fail("the network of the job cannot be entered"));
    child.unref();
    child.channel?.unref();
    return child;
  }
}
