import { connect, type Socket } from "node:net";
import { quantile } from "./figures.ts";

/** One measurement: a number of clients, each with one request at a time, for a time. */
export interface LoadAsk {
  readonly url: string;
  /** Of the users that the clients belong to, in turn. */
  readonly tokens: readonly string[];
  readonly clients: number;
  readonly ms: number;
  /** `repeat` is the same submission with the same key again and again: answered as the first time, without a commit. */
  readonly what: "submit" | "repeat" | "whoami";
  readonly project: string;
}

export interface LoadFigures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly requests: number;
  /** Answers that were not 2xx. */
  readonly failures: number;
}

/**
 * Drives a server as cheaply as can be, since it shares the machine with it: bare sockets, requests that are one
 * string, and answers that are read only to find where they end.
 */
export async function load(ask: LoadAsk): Promise<LoadFigures> {
  const times: number[] = [];
  let failures = 0;
  const began = performance.now();
  const endsAt = began + ask.ms;
  let lastAt = began;
  const drive = async (client: number): Promise<void> => {
    const requestOf = requests(ask, ask.tokens[client % ask.tokens.length]!);
    const wire = await Wire.open(ask.url);
    for (let now = performance.now(); now < endsAt; ) {
      const status = await wire.ask(requestOf());
      lastAt = performance.now();
      times.push(lastAt - now);
      if (status < 200 || status > 299) failures++;
      now = lastAt;
    }
    wire.close();
  };
  await Promise.all(Array.from({ length: ask.clients }, (_, client) => drive(client)));
  times.sort((a, b) => a - b);
  return {
    perSecond: (times.length - failures) / ((lastAt - began) / 1000),
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    requests: times.length,
    failures,
  };
}

let keys = 0;

function requests({ url, what, project }: LoadAsk, token: string): () => string {
  const common = `Host: ${new URL(url).host}\r\nAuthorization: Bearer ${token}\r\n`;
  if (what === "whoami") {
    const request = `GET /v1/whoami HTTP/1.1\r\n${common}\r\n`;
    return () => request;
  }
  const job = {
    name: "bench",
    project,
    run: "python train.py --config detect.yaml --lr 3e-4",
    gpus: "H100:1",
    env: { OMP_NUM_THREADS: "8", WANDB_PROJECT: "detect" },
  };
  const body = JSON.stringify(job);
  const head = `POST /v1/jobs HTTP/1.1\r\n${common}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const repeated = `${head}Idempotency-Key: bench-repeated\r\n\r\n${body}`;
  if (what === "repeat") return () => repeated;
  return () => `${head}Idempotency-Key: bench-${process.pid}-${keys++}\r\n\r\n${body}`;
}

/** One connection, one request at a time. */
class Wire {
  readonly #socket: Socket;
  #answer: (status: number) => void = () => {};
  #fail: (error: Error) => void = () => {};
  #received = "";

  static async open(url: string): Promise<Wire> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new Wire(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (part: string) => this.#take(part));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  ask(request: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#answer = resolve;
      this.#fail = reject;
      this.#socket.write(request, "latin1");
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(part: string): void {
    this.#received = this.#received === "" ? part : this.#received + part;
    const head = this.#received.indexOf("\r\n\r\n");
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#received.slice(0, head))?.[1]);
    if (this.#received.length < head + 4 + length) return;
    const status = Number(this.#received.slice(9, 12));
    this.#received = "";
    this.#answer(status);
  }
}

// In a process of its own, which gets its task over IPC.
process.on("message", async (ask: LoadAsk) => {
  process.send!(await load(ask));
});
