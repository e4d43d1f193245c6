import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { createInterface } from "node:readline";

/** An answer of the API server that is no success. */
export class ApiError extends Error {
  constructor(method, path, status, body) {
    super(`${method} ${path}: ${status} ${body?.message ?? body}`);
    this.status = status;
    this.reason = body?.reason;
  }
}

/** The lab's own, small client of the API server: what judges the engine shares no code with it. */
export class Api {
  #agent;
  #port;

  constructor({ port, ca, cert, key, sockets = 32 }) {
    this.#port = port;
    const [caText, certText, keyText] = [ca, cert, key].map((file) => readFileSync(file));
    this.#agent = new Agent({ keepAlive: true, maxSockets: sockets, ca: caText, cert: certText, key: keyText });
  }

  get = (path) => this.#call("GET", path);
  post = (path, body) => this.#call("POST", path, body);
  put = (path, body) => this.#call("PUT", path, body);
  delete = (path, body) => this.#call("DELETE", path, body);
  merge = (path, body) => this.#call("PATCH", path, body, "application/merge-patch+json");
  apply = (path, body) =>
    this.#call("PATCH", `${path}?fieldManager=lab&force=true`, body, "application/apply-patch+yaml");

  /** Plain text, such as metrics. */
  async text(path) {
    return this.#read(await this.#send("GET", path));
  }

  /** Whether it is ready, and says so at once: a question that comes while it starts may be answered after a minute. */
  async isReady() {
    const answer = await this.#send("GET", "/readyz", undefined, undefined, AbortSignal.timeout(2_000));
    await this.#read(answer);
    return answer.statusCode === 200;
  }

  /** Everything of a kind, then every change: `onList(items)` again after each gap, `onEvent(type, object)` in between. */
  watch(path, { onList, onEvent }) {
    const stopped = new AbortController();
    const follow = async () => {
      const { items, metadata } = await this.get(path);
      onList(items);
      const join = path.includes("?") ? "&" : "?";
      const from = `${path}${join}watch=1&allowWatchBookmarks=true&resourceVersion=${metadata.resourceVersion}`;
      const answer = await this.#send("GET", from, undefined, undefined, stopped.signal);
      for await (const line of createInterface({ input: answer, crlfDelay: Number.POSITIVE_INFINITY })) {
        const { type, object } = JSON.parse(line);
        if (type === "ERROR") return;
        if (type !== "BOOKMARK") onEvent(type, object);
      }
    };
    const forever = async () => {
      while (!stopped.signal.aborted) {
        await follow().catch(() => {});
        if (!stopped.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 200));
      }
    };
    const ended = forever();
    return {
      async close() {
        stopped.abort();
        await ended;
      },
    };
  }

  close() {
    this.#agent.destroy();
  }

  async #call(method, path, body, type = "application/json") {
    const answer = await this.#send(method, path, body, type);
    const text = await this.#read(answer);
    const value = answer.headers["content-type"]?.includes("json") ? JSON.parse(text) : text;
    if (answer.statusCode >= 300) throw new ApiError(method, path, answer.statusCode, value);
    return value;
  }

  #send(method, path, body, type, signal) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    // A DELETE has no length unless it is told, and its body would be read as the next request.
    const length = text !== undefined && { "content-type": type, "content-length": Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: "127.0.0.1",
          port: this.#port,
          path,
          method,
          agent: this.#agent,
          ...(signal && { signal }),
          headers: { accept: "application/json", ...length },
        },
        resolve,
      );
      sent.once("error", reject);
      sent.end(text);
    });
  }

  async #read(answer) {
    let text = "";
    answer.setEncoding("utf8");
    for await (const part of answer) text += part;
    return text;
  }
}
