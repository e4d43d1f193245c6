import { readFileSync } from "node:fs";
import { signedPost } from "../signed-post.ts";
import type { AuditRecord } from "./record.ts";
import type { HttpTarget } from "./target.ts";

/** Posts records as lines of JSON to a collector, which takes a batch with any status from 200 to 299. */
export class HttpSink {
  readonly batchMax = 500;
  readonly #target: HttpTarget;
  readonly #key: Buffer;
  readonly #now: () => number;

  constructor(target: HttpTarget, key: Buffer, now: () => number) {
    this.#target = target;
    this.#key = key;
    this.#now = now;
  }

  async send(records: readonly AuditRecord[], signal: AbortSignal): Promise<void> {
    const { url, tokenFile } = this.#target;
    const body = records.map((record) => `${JSON.stringify(record)}\n`).join("");
    // Read each time: tokens are replaced while we run.
    const token = tokenFile === undefined ? undefined : readFileSync(tokenFile, "utf8").trim();
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    await signedPost({ url, body, contentType: "application/x-ndjson", headers }, this.#key, this.#now(), signal);
  }

  async close(): Promise<void> {}
}
