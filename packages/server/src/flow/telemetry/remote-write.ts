import { setTimeout as sleep } from "node:timers/promises";
import type { AccountId } from "@tessera/core";
import type { TelemetryRow } from "@tessera/telemetry";
import { remoteSamples } from "./remote-series.ts";
import { snappyBlock } from "./snappy.ts";
import { writeRequest } from "./write-request.ts";

export interface RemoteWriteSettings {
  readonly url: string;
  /** Sent with each request; its value is secret. */
  readonly header?: { readonly name: string; readonly value: string };
}

export interface RemoteWriteParts extends RemoteWriteSettings {
  readonly pathOf: (account: AccountId) => string | undefined;
  readonly warn: (text: string) => void;
  /** Before the second, third … try of a request; with no more left it is given up. */
  readonly retryMs?: readonly number[];
}

/** Rows of one request, and rows that wait at most: the oldest of a receiver that is away are dropped. */
const rowsEach = 500;
const rowsMax = 200_000;
const answerMsMax = 10_000;
const usualRetryMs = [1_000, 5_000, 15_000, 30_000];

/** Sends samples to a Prometheus or what speaks its protocol. Never blocks: what cannot be sent is dropped and counted. */
export class RemoteWriter {
  readonly #parts: RemoteWriteParts;
  readonly #stopping = new AbortController();
  readonly counts = { rowsSent: 0, rowsDropped: 0 };
  #waiting: TelemetryRow[] = [];
  #sending: Promise<void> | undefined;
  #isFailing = false;

  constructor(parts: RemoteWriteParts) {
    this.#parts = parts;
  }

  write(rows: readonly TelemetryRow[]): void {
    if (this.#stopping.signal.aborted) return;
    for (const row of rows) this.#waiting.push(row);
    const over = this.#waiting.length - rowsMax;
    if (over > 0) {
      this.#waiting.splice(0, over);
      this.counts.rowsDropped += over;
    }
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Gives up what waits. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#sending;
  }

  /** One request after the other: a receiver refuses samples that are older than those it has. */
  async #send(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#stopping.signal.aborted) {
      const rows = this.#waiting.splice(0, rowsEach);
      const fault = await this.#post(rows);
      if (fault === undefined) this.counts.rowsSent += rows.length;
      else this.counts.rowsDropped += rows.length;
      this.#tell(fault);
    }
  }

  /** Undefined = taken; else why it was given up. */
  async #post(rows: readonly TelemetryRow[]): Promise<string | undefined> {
    const { pathOf, retryMs = usualRetryMs } = this.#parts;
    const samples = rows.flatMap((row) => remoteSamples(row, pathOf));
    if (samples.length === 0) return undefined;
    const body = snappyBlock(writeRequest(samples));
    for (let tries = 0; ; tries++) {
      const { fault, again } = await this.#try(body);
      if (fault === undefined) return undefined;
      const waitMs = retryMs[tries];
      if (!again || waitMs === undefined) return fault;
      await sleep(waitMs, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {});
      if (this.#stopping.signal.aborted) return fault;
    }
  }

  async #try(body: Buffer): Promise<{ readonly fault?: string; readonly again?: boolean }> {
    const { url, header } = this.#parts;
    try {
      const answer = await fetch(url, {
        ...{ method: "POST", body, redirect: "error" },
        headers: {
          "content-type": "application/x-protobuf",
          "content-encoding": "snappy",
          "x-prometheus-remote-write-version": "0.1.0",
          "user-agent": "tessera",
          ...(header !== undefined && { [header.name]: header.value }),
        },
        signal: AbortSignal.any([AbortSignal.timeout(answerMsMax), this.#stopping.signal]),
      });
      await answer.body?.cancel();
      if (answer.ok) return {};
      return { fault: `it answers ${answer.status}`, again: answer.status === 429 || answer.status >= 500 };
    } catch (error) {
      const { message, cause } = error as Error;
      return { fault: cause instanceof Error ? cause.message : message, again: true };
    }
  }

  /** Said once, until it works again. The address has no secret: settings with one are refused. */
  #tell(fault: string | undefined): void {
    if (this.#stopping.signal.aborted) return;
    if (fault !== undefined && !this.#isFailing)
      this.#parts.warn(`samples cannot be written to ${this.#parts.url}: ${fault}; what waits too long is dropped`);
    this.#isFailing = fault !== undefined;
  }
}
