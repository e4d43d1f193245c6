import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import type { AuditRecord } from "./record.ts";
import { frame, syslogMessage } from "./syslog-message.ts";
import type { SyslogTarget } from "./target.ts";

const connectMsMax = 10_000;
const writeMsMax = 10_000;
/**
 * Syslog has no answer that says that something was taken. A receiver that went away says so only to what is written
 * next, so a batch counts as taken when the connection is still there this much later.
 */
const settleMsUsual = 500;

/** Sends records as RFC 5424 has it, over TLS (RFC 5425) or plain TCP, on one connection. */
export class SyslogSink {
  readonly batchMax = 2_000;
  readonly #target: SyslogTarget;
  readonly #settleMs: number;
  readonly #source = { host: hostname(), pid: process.pid };
  #socket: Socket | undefined;

  constructor(target: SyslogTarget, settleMs = settleMsUsual) {
    this.#target = target;
    this.#settleMs = settleMs;
  }

  async send(records: readonly AuditRecord[], signal: AbortSignal): Promise<void> {
    const socket = this.#socket ?? (await this.#connect(signal));
    this.#socket = socket;
    const bytes = Buffer.concat(records.map((record) => frame(syslogMessage(record, this.#source))));
    try {
      await written(socket, bytes, this.#settleMs, signal);
    } catch (error) {
      socket.destroy();
      this.#socket = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.destroyed) return;
    this.#socket = undefined;
    await new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
      setTimeout(() => socket.destroy(), 1_000).unref();
      socket.end();
    });
  }

  async #connect(signal: AbortSignal): Promise<Socket> {
    const { host, port, tls } = this.#target;
    const socket =
      tls === undefined
        ? connectTcp({ host, port })
        : connectTls({
            host,
            port,
            ...(isIP(host) === 0 && { servername: host }),
            ...(tls.ca !== undefined && { ca: readFileSync(tls.ca) }),
            ...(tls.cert !== undefined && { cert: readFileSync(tls.cert) }),
            ...(tls.key !== undefined && { key: readFileSync(tls.key) }),
            minVersion: "TLSv1.2",
          });
    try {
      await once(socket, tls === undefined ? "connect" : "secureConnect", {
        signal: AbortSignal.any([signal, AbortSignal.timeout(connectMsMax)]),
      });
    } catch (error) {
      socket.destroy();
      socket.on("error", () => {});
      throw error instanceof Error && error.name === "AbortError" ? new Error("it does not answer") : error;
    }
    socket.setKeepAlive(true, 30_000);
    socket.resume(); // a receiver has nothing to say; what it says must not fill a buffer
    socket.on("error", () => {}); // told by what is written next
    socket.once("close", () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
    return socket;
  }
}

/** Writes, and waits whether the connection stays. */
async function written(socket: Socket, bytes: Buffer, settleMs: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const until = { signal: AbortSignal.any([signal, over.signal]) };
  const gone = (async () => {
    await Promise.race([once(socket, "close", until), once(socket, "end", until)]);
    throw new Error("it closed the connection");
  })();
  gone.catch(() => {}); // looked at below; what comes after that is of no interest
  try {
    if (socket.destroyed || socket.readableEnded) throw new Error("it closed the connection");
    const flushed = new Promise<void>((resolve, reject) => {
      socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    flushed.catch(() => {});
    const tooLong = sleep(writeMsMax, undefined, until).then(() => {
      throw new Error("it takes nothing more");
    });
    tooLong.catch(() => {});
    await Promise.race([flushed, gone, tooLong]);
    await Promise.race([sleep(settleMs, undefined, until), gone]);
  } finally {
    over.abort();
  }
}
