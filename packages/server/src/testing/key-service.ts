import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { masterIdOf, unwrapWith, wrapWith } from "../access/ring/master.ts";

/** The key service of docs/key-service.md, with its keys in memory: for tests, and to see what one must do. */
export class ReferenceKeyService {
  readonly token = randomBytes(16).toString("hex");
  /** The newest first. */
  keys: Buffer[] = [randomBytes(32)];
  /** Answers nothing useful while this is set. */
  away = false;
  /** Takes this long over each answer. */
  delayMs = 0;
  /** What it answers instead of the right thing. */
  wrong: ((path: string, right: object) => string | object) | undefined;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      let body = "";
      for await (const part of request) body += part;
      if (this.delayMs > 0) await sleep(this.delayMs);
      const tell = (status: number, answer: object) => {
        const said = status === 200 ? (this.wrong?.(request.url ?? "", answer) ?? answer) : answer;
        response.writeHead(status, { "content-type": "application/json" });
        response.end(typeof said === "string" ? said : JSON.stringify(said));
      };
      if (this.away) return tell(503, { error: "away" });
      if (request.headers.authorization !== `Bearer ${this.token}`) return tell(401, { error: "another token" });
      try {
        tell(200, this.#answer(request.url ?? "", JSON.parse(body)));
      } catch (error) {
        tell(400, { error: (error as Error).message });
      }
    });
  }

  static async open(): Promise<ReferenceKeyService> {
    const service = new ReferenceKeyService();
    await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(path: string, ask: Readonly<Record<string, string>>): object {
    const [newest] = this.keys;
    const { key = "", context = "", master = "", value = "" } = ask;
    switch (path) {
      case "/v1/current":
        return { master: masterIdOf(newest!) };
      case "/v1/wrap":
        return wrapWith(newest!, Buffer.from(key, "base64"), context);
      case "/v1/unwrap": {
        const found = this.keys.find((each) => masterIdOf(each) === master);
        if (found === undefined) throw new Error(`there is no key ${master}`);
        return { key: unwrapWith(found, { master, value }, context).toString("base64") };
      }
      case "/v1/rotate":
        this.keys.unshift(randomBytes(32));
        return { master: masterIdOf(this.keys[0]!) };
      case "/v1/settle":
        this.keys.length = 1;
        return { master: masterIdOf(newest!) };
      default:
        throw new Error("no such call");
    }
  }
}
