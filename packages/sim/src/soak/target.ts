import { Agent, request } from "node:http";

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the checker must not lean on the types of what it checks
  readonly body: any;
}

/** No answer: the connection broke or nothing came in time. Whether the request took effect is unknown. */
export class NoAnswer extends Error {}

const answerMsMax = 8_000;

/** Where clients find the control plane at the moment; they wait here while there is none. */
export class Target {
  token = "";
  #url: string | undefined;
  #agent = new Agent({ keepAlive: true });
  #waiting: (() => void)[] = [];

  set(url: string): void {
    this.#agent.destroy();
    this.#agent = new Agent({ keepAlive: true });
    this.#url = url;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** The server is gone; requests under way end without an answer. */
  clear(): void {
    this.#url = undefined;
    this.#agent.destroy();
  }

  async url(): Promise<string> {
    while (this.#url === undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#url;
  }

  /** One request to the present server. Throws NoAnswer. */
  async ask(method: string, path: string, body?: object, key?: string): Promise<Answer> {
    return this.askAt(await this.url(), method, path, body, key);
  }

  askAt(url: string, method: string, path: string, body?: object, key?: string): Promise<Answer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const lost = (error: Error) => reject(new NoAnswer(error.message, { cause: error }));
      const sent = request(
        new URL(path, url),
        {
          method,
          agent: this.#agent,
          timeout: answerMsMax,
          headers: {
            authorization: `Bearer ${this.token}`,
            ...(text !== undefined && { "content-type": "application/json" }),
            ...(key !== undefined && { "idempotency-key": key }),
          },
        },
        (response) => {
          let received = "";
          response.setEncoding("utf8");
          response.on("data", (part) => {
            received += part;
          });
          response.on("error", lost);
          response.on("end", () => {
            if (!response.complete) return lost(new Error("the answer was cut off"));
            try {
              resolve({ status: response.statusCode!, body: received === "" ? undefined : JSON.parse(received) });
            } catch (error) {
              lost(error as Error);
            }
          });
        },
      );
      sent.on("timeout", () => sent.destroy(new Error("no answer in time")));
      sent.on("error", lost);
      sent.end(text);
    });
  }

  /** Repeats a request until an answer is not an outage. `unsure`: an earlier try may have taken effect. */
  async insist(
    method: string,
    path: string,
    body?: object,
    key?: string,
  ): Promise<{ readonly answer: Answer; readonly unsure: boolean }> {
    for (let unsure = false; ; unsure = true) {
      try {
        const answer = await this.ask(method, path, body, key);
        if (answer.status < 500) return { answer, unsure };
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }
}
