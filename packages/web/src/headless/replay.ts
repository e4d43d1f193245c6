import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { addresses, streamHeader } from "@tessera/wire/addresses";

/** What to play into one event stream after its first message. */
export type Batch = readonly { readonly event: "put" | "delete"; readonly item: object }[];

const streamPath = addresses.openStream.split(" ")[1];

/**
 * Stands before a server, passes everything on and counts it; into the list of `path`, as the browser's one stream
 * carries it, it plays batches of changes as fast as the page reads them, which no real fleet would do.
 */
export class Replay {
  readonly #target: URL;
  readonly #path: string;
  readonly #server: Server;
  #stream: ServerResponse | undefined;
  /** The number of the list in the stream. */
  #topic: string | undefined;
  url = "";
  /** Bytes of answers of the API so far, as they were sent. */
  dataBytes = 0;

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
    const path = incoming.url?.split("?")[0];
    const topic = incoming.headers[streamHeader];
    if (path === this.#path && typeof topic === "string") this.#topic = topic.split("-").at(-1);
    onward.on("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
      if (path?.startsWith("/v1/")) response.on("data", (part: Buffer) => (this.dataBytes += part.length));
      if (path === streamPath && response.statusCode === 200) this.#stream = answer;
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    incoming.pipe(onward);
  }

  /** Plays batches, waiting whenever the page has not read what was sent. */
  async play(batches: Iterable<Batch>): Promise<void> {
    const [stream, topic] = [this.#stream, this.#topic];
    if (stream === undefined || topic === undefined) throw new Error(`nobody reads ${this.#path}`);
    for (const batch of batches) {
      const text = batch
        .map(({ event, item }) => `event: ${topic}.${event}\ndata: ${JSON.stringify(item)}\n\n`)
        .join("");
      if (!stream.write(text)) await once(stream, "drain");
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
