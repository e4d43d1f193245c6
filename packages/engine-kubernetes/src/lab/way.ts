import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type RequestOptions, request } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { KubeConfig } from "@kubernetes/client-node";
import type { List, Pod } from "../api/types.ts";

/**
 * A way to an API server for tests: plain HTTP on loopback, passed on with the credentials of a kubeconfig. It can break
 * connections, and answer lists of pods as a server that lags behind does.
 */
export class Way {
  readonly #config: KubeConfig;
  readonly #server = createServer((ask, answer) => void this.#pass(ask, answer).catch(() => answer.destroy()));
  readonly #sockets = new Set<Socket>();
  readonly #hidden = new Set<string>();
  /** Watches that were told to begin with a list since the last pod was hidden. */
  readonly #expired = new Set<string>();

  static async open(config: KubeConfig): Promise<Way> {
    const way = new Way(config);
    way.#server.on("connection", (socket) => {
      way.#sockets.add(socket);
      socket.once("close", () => way.#sockets.delete(socket));
    });
    way.#server.on("upgrade", (ask, socket, head) => void way.#join(ask, socket, head));
    await new Promise<void>((resolve) => way.#server.listen(0, "127.0.0.1", resolve));
    return way;
  }

  constructor(config: KubeConfig) {
    this.#config = config;
  }

  get kubeconfig(): string {
    const { port } = this.#server.address() as AddressInfo;
    const cluster = { server: `http://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "way",
      contexts: [{ name: "way", context: { cluster: "way", user: "way" } }],
      clusters: [{ name: "way", cluster }],
      users: [{ name: "way", user: {} }],
    });
  }

  breakConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Lists of pods leave this one out from now on, and watches must begin with a list. */
  hide(podName: string): () => void {
    this.#hidden.add(podName);
    this.#expired.clear();
    return () => this.#hidden.delete(podName);
  }

  async close(): Promise<void> {
    this.breakConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #options({ method, url, headers }: IncomingMessage): Promise<RequestOptions> {
    const options: RequestOptions = {};
    await this.#config.applyToHTTPSOptions(options);
    const { hostname, port } = new URL(this.#config.getCurrentCluster()!.server);
    const { host: _, ...rest } = headers;
    const given = { method, path: url, hostname, port, headers: { ...rest, ...options.headers } };
    return { ...options, ...given } as RequestOptions;
  }

  async #pass(ask: IncomingMessage, answer: ServerResponse): Promise<void> {
    const pods = /^\/api\/v1\/pods\?/.test(ask.url ?? "");
    const watch = /[?&]watch=true/.test(ask.url ?? "");
    const kind = new URL(ask.url ?? "", "http://way").searchParams.get("labelSelector") ?? "";
    if (pods && watch && this.#hidden.size > 0 && !this.#expired.has(kind)) {
      this.#expired.add(kind);
      answer.writeHead(410, { "content-type": "application/json" });
      answer.end(JSON.stringify({ reason: "Expired", message: "too old resource version", code: 410 }));
      return;
    }
    const onward = request(await this.#options(ask), (found) => {
      if (pods && !watch && this.#hidden.size > 0) return void this.#thin(found, answer);
      answer.writeHead(found.statusCode ?? 502, found.headers).flushHeaders();
      found.on("error", () => answer.destroy());
      found.pipe(answer);
    });
    onward.on("error", () => answer.destroy());
    answer.on("close", () => onward.destroy());
    ask.pipe(onward);
  }

  async #thin(found: IncomingMessage, answer: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of found) parts.push(part as Buffer);
    const list = JSON.parse(Buffer.concat(parts).toString("utf8")) as List<Pod>;
    const items = list.items.filter(({ metadata }) => !this.#hidden.has(metadata.name));
    answer.writeHead(found.statusCode ?? 502, { "content-type": "application/json" });
    answer.end(JSON.stringify({ ...list, items }));
  }

  async #join(ask: IncomingMessage, near: Duplex, head: Buffer): Promise<void> {
    const onward = request(await this.#options(ask));
    near.on("error", () => onward.destroy());
    onward.on("error", () => near.destroy());
    onward.on("response", () => near.destroy());
    onward.on("upgrade", (found, far, rest) => {
      const lines = Object.entries(found.headers).map(([name, value]) => `${name}: ${value}`);
      near.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
      if (rest.length > 0) near.write(rest);
      far.on("error", () => near.destroy());
      far.on("close", () => near.destroy());
      near.on("close", () => far.destroy());
      far.pipe(near).pipe(far);
    });
    onward.end(head);
  }
}
