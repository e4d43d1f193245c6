import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What to play into one event stream after its first message. */
export type Batch = readonly { readonly event: "put" | "delete"; readonly item: object }[];

/**
 * Stands before a server and passes everything on; into the stream of `path` it plays batches of changes as fast as
 * the page reads them, which no real fleet would do.
 */
export class Replay {
  readonly #target: URL;
  readonly #path: string;
  readonly #server: Server;
  #stream: ServerResponse | undefined;
  url = "";

  constructor(target: string, path: string) {
    this.#target = new URL(target);
    this.#path = path;
    this.#server = createServer((incoming, answer) => this.#pass(incoming, answer));
  }

  async open(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #pass(incoming: IncomingMessage, answer: ServerResponse): void {
    const { hostname, port } = this.#target;
    const onward = request({ hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers });
    const isPlayed =
      incoming.url?.split("?")[0] === this.#path && incoming.headers.accept?.includes("text/event-stream") === true;
    onward.on("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
      if (isPlayed) this.#stream = answer;
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    incoming.pipe(onward);
  }

  /** Plays batches, waiting whenever the page has not read what was sent. */
  async play(batches: Iterable<Batch>): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined) throw new Error(`nobody reads ${this.#path}`);
    for (const batch of batches) {
      const text = batch.map(({ event, item }) => `event: ${event}\ndata: ${JSON.stringify(item)}\n\n`).join("");
      if (!stream.write(text)) await once(stream, "drain");
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
