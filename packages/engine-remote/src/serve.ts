import { chmodSync, chownSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { HealthFinding, LeaseId, Report } from "@tessera/core";
import type { CheckAsk, Engine, JobFolder, LeaseOrder, LogQuery, StopOrder, Telemetry } from "@tessera/engine";
import { BadMessage, sentFailure } from "@tessera/engine/remote";
import { type Check, list, mustBe, whole } from "./checks/check.ts";
import {
  checkAsk,
  filePath,
  folderName,
  jobId,
  leaseId,
  leaseOrder,
  logQuery,
  nodeName,
  stopOrder,
} from "./checks/order.ts";
import { serveEntry } from "./entries.ts";

/** Calls of the helper beside those of the engine, each with the check of its arguments. */
export interface Extras {
  readonly [name: string]: {
    readonly takes: readonly Check[];
    readonly act: (...args: never[]) => Promise<unknown> | unknown;
  };
}

export interface Serving {
  readonly engine: Engine;
  /** Where to listen. */
  readonly socket: string;
  /** The one user, besides root, who may connect. */
  readonly user?: number;
  /** What is done to an order before the engine gets it. */
  readonly prepare?: (order: LeaseOrder) => Promise<LeaseOrder>;
  readonly extras?: Extras;
}

const bodyBytesMax = 8 << 20;

/** Answers the calls of one control plane until it is closed. What arrives is not trusted: it is checked, then handed on. */
export async function serveEngine(serving: Serving): Promise<{ close(): Promise<void> }> {
  const far = new FarSide(serving);
  const server = createServer((request, response) => void far.answer(request, response));
  const entries = new Set<Duplex>();
  server.on("upgrade", (_request, socket, head) => {
    entries.add(socket);
    socket.once("close", () => entries.delete(socket));
    void serveEntry(serving.engine, socket, head);
  });
  rmSync(serving.socket, { force: true });
  // Closed to all until it has its owner.
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(serving.socket, () => resolve()));
  } finally {
    process.umask(mask);
  }
  if (serving.user !== undefined) chownSync(serving.socket, serving.user, -1);
  chmodSync(serving.socket, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        for (const socket of entries) socket.destroy(); // which are no connections of HTTP any more
      }),
  };
}

interface Call {
  readonly takes: readonly Check[];
  readonly act: (args: readonly unknown[], response: ServerResponse) => Promise<unknown> | unknown;
}

class FarSide {
  readonly #engine: Engine;
  readonly #calls: ReadonlyMap<string, Call>;
  #reports: ServerResponse | undefined;
  #findings: ServerResponse | undefined;
  readonly #untold: HealthFinding[] = [];
  #watches = false;

  constructor({ engine, prepare = async (order) => order, extras = {} }: Serving) {
    this.#engine = engine;
    const calls: { readonly [name: string]: Call } = {
      hello: { takes: [], act: () => ({ name: engine.name, capabilities: engine.capabilities }) },
      inventory: { takes: [], act: () => engine.inventory() },
      telemetry: { takes: [], act: () => engine.telemetry?.() ?? nothingSeen },
      findings: { takes: [], act: (_args, response) => this.#tellFindings(response) },
      check: {
        takes: [nodeName, checkAsk],
        act: ([node, ask]) => engine.check?.(node as string, ask as CheckAsk) ?? cannotCheck(engine.name),
      },
      bind: { takes: [leaseOrder], act: async ([order]) => engine.bind(await prepare(order as LeaseOrder)) },
      release: { takes: [leaseId], act: ([lease]) => engine.release(lease as LeaseId) },
      stop: { takes: [leaseId, stopOrder], act: ([lease, how]) => engine.stop(lease as LeaseId, how as StopOrder) },
      list: { takes: [], act: () => engine.list() },
      acknowledge: {
        takes: [leaseId, whole()],
        act: ([lease, sequence]) => engine.acknowledge(lease as LeaseId, sequence as number),
      },
      reports: { takes: [], act: (_args, response) => this.#tellReports(response) },
      logs: {
        takes: [leaseId, logQuery],
        act: ([lease, query], response) => this.#sendLogs(lease as LeaseId, query as LogQuery, response),
      },
      ports: { takes: [leaseId], act: ([lease]) => engine.ports(lease as LeaseId) },
      files: {
        takes: [leaseId, folderName],
        act: ([lease, folder], response) => sendLines(engine.files(lease as LeaseId, folder as JobFolder), response),
      },
      readFile: {
        takes: [leaseId, folderName, filePath, whole()],
        act: (args, response) => this.#sendFile(args, response),
      },
      keptJobs: { takes: [], act: () => this.#keptJobs() },
      sweep: {
        takes: [list(jobId, 1_000_000)],
        act: ([over]) => {
          const ended = new Set(over as string[]);
          return engine.sweep((job) => !ended.has(job));
        },
      },
    };
    const others = Object.entries(extras).map(
      ([name, { takes, act }]) =>
        [name, { takes, act: (args: readonly unknown[]) => act(...(args as never[])) }] as const,
    );
    this.#calls = new Map([...Object.entries(calls), ...others]);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let lease: LeaseId | undefined;
    try {
      const call = this.#calls.get((request.url ?? "").slice(1));
      if (request.method !== "POST" || call === undefined) throw new BadMessage("there is no such call");
      const args = await argumentsOf(request);
      if (args.length !== call.takes.length) throw new BadMessage(`it takes ${call.takes.length} arguments`);
      for (const [i, check] of call.takes.entries()) mustBe(check, args[i], `argument ${i}`);
      lease = leaseIn(args[0]);
      const answer = await call.act(args, response);
      if (!response.headersSent) response.writeHead(200, { "content-type": "application/json" });
      if (!response.writableEnded && answer !== streaming) response.end(JSON.stringify(answer ?? null));
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      response.writeHead(error instanceof BadMessage ? 400 : 500).end(JSON.stringify(sentFailure(error, lease)));
    }
  }

  /** One listener at a time: a control plane that connects again takes the place of the one before. */
  #tellReports(response: ServerResponse): typeof streaming {
    this.#reports?.end();
    this.#reports = response;
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.flushHeaders();
    this.#engine.subscribe((report: Report) => void this.#reports?.write(`${JSON.stringify(report)}\n`));
    response.once("close", () => {
      if (this.#reports === response) this.#reports = undefined; // what it did not acknowledge is told again to the next
    });
    return streaming;
  }

  /** Findings that come while no control plane listens are kept, up to a number: the engine tells each once. */
  #tellFindings(response: ServerResponse): typeof streaming {
    this.#findings?.end();
    this.#findings = response;
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.flushHeaders();
    const tell = (finding: HealthFinding) => {
      if (this.#findings !== undefined) this.#findings.write(`${JSON.stringify(finding)}\n`);
      else if (this.#untold.length < untoldMax) this.#untold.push(finding);
    };
    for (const finding of this.#untold.splice(0)) tell(finding);
    if (!this.#watches) this.#engine.onHealth?.(tell);
    this.#watches = true;
    response.once("close", () => {
      if (this.#findings === response) this.#findings = undefined;
    });
    return streaming;
  }

  async #sendLogs(lease: LeaseId, query: LogQuery, response: ServerResponse): Promise<unknown> {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    return sendLines(this.#engine.logs(lease, { ...query, signal: gone.signal }), response);
  }

  async #sendFile(args: readonly unknown[], response: ServerResponse): Promise<unknown> {
    const [lease, folder, path, start] = args as [LeaseId, JobFolder, string, number];
    const file = await this.#engine.readFile(lease, folder, path, start);
    if (file === undefined) return response.writeHead(204).end() && streaming;
    response.writeHead(200, { "tessera-mode": file.mode, "tessera-bytes": file.bytes });
    for await (const part of file.content) if (!(await sent(response, part))) break;
    response.end();
    return streaming;
  }

  /** The jobs of which the engine still keeps something, so that the control plane can say which of them have ended. */
  async #keptJobs(): Promise<string[]> {
    const kept: string[] = [];
    await this.#engine.sweep((job) => kept.push(job) > 0);
    return kept;
  }
}

/** Of an engine that cannot be watched. */
const nothingSeen: Telemetry = { gpus: [], members: [] };

const untoldMax = 1_000;

function cannotCheck(name: string): never {
  throw new Error(`engine ${name} has no checks`);
}

/** What a call answers that has written its answer itself. */
const streaming = Symbol("streaming");

async function sendLines(items: AsyncIterable<unknown>, response: ServerResponse): Promise<typeof streaming> {
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.flushHeaders();
  for await (const item of items) if (!(await sent(response, `${JSON.stringify(item)}\n`))) break;
  response.end();
  return streaming;
}

/** Waits until more may be written; false once the other side is gone. */
async function sent(response: ServerResponse, part: string | Uint8Array): Promise<boolean> {
  if (response.destroyed) return false;
  if (response.write(part)) return true;
  await new Promise<void>((resolve) => {
    response.once("drain", resolve).once("close", resolve);
  });
  return !response.destroyed;
}

async function argumentsOf(request: IncomingMessage): Promise<readonly unknown[]> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bodyBytesMax) throw new BadMessage(`a message has at most ${bodyBytesMax} bytes`);
    parts.push(part);
  }
  let args: unknown;
  try {
    args = JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch {
    throw new BadMessage("the message is not JSON");
  }
  if (!Array.isArray(args)) throw new BadMessage("the message must be a list of arguments");
  return args;
}

function leaseIn(first: unknown): LeaseId | undefined {
  const lease = typeof first === "object" && first !== null && "lease" in first ? first.lease : first;
  return typeof lease === "string" ? (lease as LeaseId) : undefined;
}
