import { Agent, request as ask, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { Duplex } from "node:stream";
import { type JobId, refuse } from "@tessera/core";
import { type Entry, EntryRefused } from "@tessera/engine";
import { isSameOrigin } from "../../access/origin.ts";
import { pageTokenOf } from "../../access/page-token.ts";
import type { Denial } from "../answer/problem.ts";
import type { Ground } from "../guard/streams.ts";
import type { Entrances, Open, PageVisit } from "./entrances.ts";
import { headersBack, headersIn, pageCookie, pageCookieIn } from "./page-headers.ts";
import { leaseOf, liveJob, type Visit } from "./visit.ts";

/** The page of a port of a member, as its host name says. */
interface Named {
  readonly job: JobId;
  readonly rank: number;
  readonly port: number;
}

const label = /^([a-z0-9]{16})(?:-e(\d{1,7}))?(?:-r(\d{1,7}))?-p(\d{1,5})$/;
const ticketName = "tess-ticket";
/** Connections that are kept for one page of one browser, and how long an unused one is. */
const connections = { keepAlive: true, maxSockets: 24, maxFreeSockets: 8, timeout: 30_000 };

export interface PagesConfig {
  readonly secure: boolean;
  /** From which the tokens of notebooks follow. */
  readonly serverKey: Buffer;
  /** A domain of its own for pages, with a port if it is not the usual one; without, `localhost` is used. */
  readonly domain?: string;
  /** Whether people reach this server under `localhost`. */
  readonly local: boolean;
  /** The port that the server listens on, once it does. */
  port(): number;
}

/**
 * Pages of jobs in a browser. Each has a host name of its own, so that it is another origin than the console and than
 * every other page: the console's cookie is never sent there. A ticket opens it once and is exchanged for a cookie of
 * that host alone.
 */
export class Pages {
  readonly #ground: Ground;
  readonly #entrances: Entrances;
  readonly #config: PagesConfig;
  readonly #agents = new Map<string, Agent>();

  constructor(ground: Ground, entrances: Entrances, config: PagesConfig) {
    this.#ground = ground;
    this.#entrances = entrances;
    this.#config = config;
  }

  /** What page a Host header names; undefined for every other host, the console's among them. */
  at(host: string | undefined): Named | undefined {
    const name = (host ?? "").toLowerCase().replace(/:\d+$/, "");
    const domain = (this.#config.domain ?? "localhost").replace(/:\d+$/, "");
    if (!name.endsWith(`.${domain}`)) return undefined;
    const [, id, element, rank, port] = label.exec(name.slice(0, -domain.length - 1)) ?? [];
    if (id === undefined) return undefined;
    const job = `job_${id}${element === undefined ? "" : `.${element}`}` as JobId;
    return { job, rank: Number(rank ?? 0), port: Number(port) };
  }

  /** An address that opens the page in a browser once. */
  urlOf(page: Visit & { readonly port: number }): string | Denial {
    const { secure, domain, local } = this.#config;
    if (domain === undefined && !local) {
      const hint = `use tess open ${page.job}, or let the owner start the server with --apps-domain`;
      return refuse("conflict", "how", "page", "needs a domain for pages, and this server has none", hint);
    }
    const [id = "", element] = page.job.slice("job_".length).split(".");
    const host = [id, element && `e${element}`, page.rank > 0 && `r${page.rank}`, `p${page.port}`]
      .filter(Boolean)
      .join("-");
    const ticket = this.#entrances.ticket(page);
    const at = domain ?? `localhost:${this.#config.port()}`;
    return `${secure ? "https" : "http"}://${host}.${at}/?${ticketName}=${ticket}`;
  }

  /** Answers a request for a page; nothing of the console or of the API can be reached from here. */
  async answer(named: Named, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://page");
    const ticket = url.searchParams.get(ticketName);
    if (ticket !== null) return this.#exchange(named, ticket, url, response);
    const cookie = pageCookieIn(request.headers, this.#config.secure);
    const visit = cookie === undefined ? undefined : this.#visitAt(named, cookie);
    if (cookie === undefined || visit === undefined) return tell(response, 401, closedPage(named.job));
    if (!isOwnRequest(request)) return tell(response, 403, "This page answers no other site.");
    try {
      await this.#pass(visit, cookie, request, response);
    } catch (error) {
      const reason = error instanceof EntryRefused ? error.message : "the job does not answer";
      tell(response, 502, `The page of the job cannot be reached: ${reason}.`);
    }
  }

  /** A WebSocket of a page, such as the kernels of a notebook. */
  async upgrade(named: Named, request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const cookie = pageCookieIn(request.headers, this.#config.secure);
    const visit = cookie === undefined ? undefined : this.#visitAt(named, cookie);
    const refuseWith = (status: string) =>
      socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    if (visit === undefined) return void refuseWith("401 Unauthorized");
    if (isSameOrigin(request.headers) === false) return void refuseWith("403 Forbidden");
    try {
      const upstream = await this.#connect(visit);
      const asked = ask({
        createConnection: () => upstream as never,
        method: request.method,
        path: request.url,
        headers: { ...this.#headers(visit, request), connection: "Upgrade", upgrade: request.headers.upgrade },
      });
      socket.once("close", () => upstream.destroy());
      asked.once("error", () => socket.destroy());
      asked.once("response", (answer) => {
        refuseWith(`${answer.statusCode} ${answer.statusMessage}`);
        upstream.destroy();
      });
      asked.once("upgrade", (answer, stream, first) => {
        const lines = Object.entries(headersBack(answer)).flatMap(([name, value]) =>
          [value].flat().map((each) => `${name}: ${each}`),
        );
        socket.write(
          ["HTTP/1.1 101 Switching Protocols", "connection: Upgrade", "upgrade: websocket", ...lines, "", ""].join(
            "\r\n",
          ),
        );
        socket.write(first);
        stream.write(head);
        stream.pipe(socket).pipe(stream);
        stream.once("close", () => socket.destroy());
      });
      asked.end();
    } catch {
      refuseWith("502 Bad Gateway");
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  #visitAt(named: Named, cookie: string): PageVisit | undefined {
    const visit = this.#entrances.page(cookie);
    return visit !== undefined && isFor(named)(visit) ? visit : undefined;
  }

  #exchange(named: Named, ticket: string, url: URL, response: ServerResponse): void {
    const cookie = this.#entrances.admit(ticket, isFor(named));
    if (cookie === undefined) {
      tell(response, 403, `This address has been used or is too old. ${closedPage(named.job)}`);
      return;
    }
    url.searchParams.delete(ticketName);
    response.writeHead(302, {
      location: `${url.pathname}${url.search}`,
      "set-cookie": pageCookie(cookie, this.#config.secure, this.#entrances.limits.pageMsMax),
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    });
    response.end();
  }

  async #pass(visit: PageVisit, cookie: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = ask({
      agent: this.#agentFor(visit, cookie),
      method: request.method,
      path: request.url,
      headers: this.#headers(visit, request),
      // Never used: the agent connects through the engine.
      host: "page",
    });
    response.once("close", () => asked.destroy());
    request.pipe(asked);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.once("response", resolve).once("error", reject);
    });
    asked.on("error", () => response.destroy());
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headersBack(answer));
    answer.pipe(response);
    answer.once("error", () => response.destroy());
  }

  #headers(visit: PageVisit, request: IncomingMessage): IncomingHttpHeaders {
    const isNotebook = liveJob(this.#ground, visit)?.spec.type === "notebook";
    return {
      ...headersIn(request.headers),
      ...(isNotebook && { authorization: `token ${pageTokenOf(this.#config.serverKey, visit.job)}` }),
      "x-forwarded-host": request.headers.host,
      "x-forwarded-proto": this.#config.secure ? "https" : "http",
    };
  }

  /** Connections are kept per browser, so that what one user may do is never done over the connection of another. */
  #agentFor(visit: PageVisit, cookie: string): Agent {
    for (const [key, each] of this.#agents) {
      if (this.#entrances.page(key) !== undefined) continue;
      each.destroy();
      this.#agents.delete(key);
    }
    const known = this.#agents.get(cookie);
    if (known !== undefined) return known;
    const agent = new Agent(connections);
    // An agent takes a connection that comes later through its second argument.
    agent.createConnection = ((_options: unknown, done: (error: Error | null, stream?: Duplex) => void) => {
      this.#connect(visit).then(
        (stream) => done(null, stream),
        (error: Error) => done(error),
      );
    }) as never;
    this.#agents.set(cookie, agent);
    return agent;
  }

  async #connect(visit: PageVisit): Promise<Duplex> {
    const entrances = this.#entrances;
    if (entrances.mayOpen(visit, "port") !== undefined) throw new EntryRefused("too many connections are open");
    const { principal, job, attempt, rank, port } = visit;
    let stream: Duplex | undefined;
    const open: Open = { ...{ principal, job, attempt, rank, kind: "port" }, end: () => stream?.destroy() };
    entrances.opened(open);
    try {
      const entry = await this.#ground.control.open(leaseOf(visit), { kind: "port", port });
      stream = connectionOf(entry);
      stream.once("close", () => entrances.closed(open));
      return stream;
    } catch (error) {
      entrances.closed(open);
      throw error;
    }
  }
}

function connectionOf(entry: Entry): Duplex {
  const stream = Duplex.from({ readable: entry.output, writable: entry.input });
  stream.on("error", () => {});
  stream.once("close", () => entry.close());
  // What an agent asks of the sockets that it keeps.
  return Object.assign(stream, {
    setTimeout: () => stream,
    setNoDelay: () => stream,
    setKeepAlive: () => stream,
    ref: () => stream,
    unref: () => stream,
  });
}

function isFor(named: Named): (page: PageVisit) => boolean {
  return ({ job, rank, port }) => job === named.job && rank === named.rank && port === named.port;
}

/**
 * A request that the page itself makes, or a person who follows a link to it. Pages of other jobs can share a domain
 * with this one, where browsers send its cookie along.
 */
function isOwnRequest({ headers, method }: IncomingMessage): boolean {
  if (isSameOrigin(headers) !== false) return true;
  const follows = headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  return headers["sec-fetch-site"] === "none" || (follows && method === "GET");
}

function closedPage(job: string): string {
  return `This page belongs to a job. Open it from the job's page of the console, or with: tess open ${job}`;
}

function tell(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(`${text}\n`);
}
